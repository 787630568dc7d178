/**
 * Links in rendered text: what leads elsewhere (a picture from elsewhere is such a link, too: it is
 * never loaded into our page) opens in a tab of its own, and from a preview everything does, so
 * that nobody loses the conversation or the unsaved text they came from.
 */

function leavesPage(link) {
  if (link.origin !== location.origin) return /^https?:$/.test(link.protocol);
  return Boolean(link.closest("[data-preview]")) && !link.getAttribute("href").startsWith("#");
}

document.addEventListener("click", (event) => {
  const link = event.target.closest(".prose a[href]");
  if (!link || !leavesPage(link)) return;
  link.target = "_blank";
  link.relList.add("noopener", "noreferrer");
}, true);
