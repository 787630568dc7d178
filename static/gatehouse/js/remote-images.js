/**
 * Pictures from elsewhere in rendered text. They are never loaded into our page (a text written by a
 * model must not call home); the button says where the picture is and opens it in a tab of its own.
 */

document.addEventListener("click", (event) => {
  const button = event.target.closest(".remote-image[data-src]");
  if (!button) return;
  const url = new URL(button.dataset.src, location.href);
  if (["http:", "https:"].includes(url.protocol)) open(url, "_blank", "noopener,noreferrer");
});

function nameHost(button) {
  const host = URL.parse?.(button.dataset.src, location.href)?.host;
  if (!host || button.title) return;
  button.title = button.dataset.src;
  if (!button.textContent.includes(host)) button.append(` (${host})`);
}

function nameHosts() {
  document.querySelectorAll(".remote-image[data-src]").forEach(nameHost);
}

// Text arrives later too: the preview, and the thread after a run.
new MutationObserver(nameHosts).observe(document.body, { childList: true, subtree: true });
nameHosts();
