/** "?" tells the keys; "g" and a letter go to a page. Never while one types, never with a modifier. */

const dialog = document.getElementById("shortcuts");
const SECOND_KEY_MS = 1200;
let first = "";
let since = 0;

function isTyping(element) {
  return element.matches("input, textarea, select, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const { key } = event;
  if (key === "?") return dialog.open ? dialog.close() : dialog.showModal();
  const keys = event.timeStamp - since < SECOND_KEY_MS ? first + key : key;
  [first, since] = [key, event.timeStamp];
  dialog.querySelector(`[data-keys="${CSS.escape(keys)}"]`)?.click();
});
