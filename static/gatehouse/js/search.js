/** "/" puts the cursor into the search box, Escape empties it. The searching itself is htmx's. */

const box = document.querySelector("[data-search] input[type=search]");

function isTyping(element) {
  return element.matches("input, textarea, select, [contenteditable]");
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  event.preventDefault();
  box.focus();
  box.select();
});

box.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !box.value) return;
  box.value = "";
  box.dispatchEvent(new Event("input", { bubbles: true }));
});
