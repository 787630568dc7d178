/** Buttons that copy the text of a field: `data-copy` is its id, `data-text-done` what the button then says. */

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    // navigator.clipboard is there on https and loopback only; the old way works everywhere.
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else document.execCommand("copy");
    button.textContent = button.dataset.textDone;
  });
}
