/** The message box: grows with its text, Enter sends, suggestions fill it, the tools switch is remembered. */

const form = document.getElementById("composer");
const box = form.elements.namedItem("text");
const tools = form.elements.namedItem("enable_tools");

function grow() {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

box.addEventListener("input", grow);
box.addEventListener("keydown", (event) => {
  // isComposing: Enter chooses a word of an input method (Chinese, Japanese …), it does not send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

document.addEventListener("click", (event) => {
  const suggestion = event.target.closest("[data-suggest]");
  if (!suggestion) return;
  box.value = suggestion.dataset.suggest;
  tools.checked = true;
  grow();
  box.focus();
});

const remembered = sessionStorage.getItem("enable_tools");
if (remembered !== null) tools.checked = remembered === "true";
tools.addEventListener("change", () => sessionStorage.setItem("enable_tools", String(tools.checked)));
grow();
