/** The message box: grows with its text, Enter sends, suggestions fill it, the tools switch is remembered. */

const form = document.getElementById("composer");
const box = form.elements.namedItem("text");
const tools = form.elements.namedItem("enable_tools");
const error = document.getElementById("composer-error");
const count = form.querySelector("[data-count]");
const limit = Number(box.dataset.maxLength);
const NEAR = 0.9; // of the limit: from here on it is counted

function grow() {
  if (CSS.supports("field-sizing", "content")) return;
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
}

/** As the server counts: characters, not UTF-16 units. Counted one by one only where it can matter. */
function lengthOf(text) {
  return text.length > limit * NEAR ? [...text].length : text.length;
}

function showCount() {
  const length = limit ? lengthOf(box.value) : 0;
  count.hidden = !limit || length < limit * NEAR;
  count.classList.toggle("over", length > limit);
  if (!count.hidden) count.textContent = `${length.toLocaleString()} / ${limit.toLocaleString()}`;
}

function showError(text) {
  error.textContent = text;
  error.hidden = !text;
  box.toggleAttribute("aria-invalid", Boolean(text));
}

/** Says in the box's own place why its text can't be sent; the text stays. */
export function isSendable() {
  if (!box.value.trim()) showError(box.dataset.textBlank);
  else if (limit && lengthOf(box.value.trim()) > limit) showError(box.dataset.textTooLong);
  else return true;
  box.focus();
  return false;
}

box.addEventListener("input", () => {
  showError("");
  showCount();
  grow();
});
box.addEventListener("keydown", (event) => {
  // isComposing: Enter chooses a word of an input method (Chinese, Japanese …), it does not send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

/** As if the person had done it: it stays so in the next conversation. */
export function switchTools(on) {
  tools.checked = on;
  sessionStorage.setItem("enable_tools", String(on));
}

document.addEventListener("click", (event) => {
  const suggestion = event.target.closest("[data-suggest]");
  if (!suggestion) return;
  box.value = suggestion.dataset.suggest;
  switchTools(true);
  grow();
  box.focus();
});

const remembered = sessionStorage.getItem("enable_tools");
if (remembered !== null) tools.checked = remembered === "true";
showCount();
tools.addEventListener("change", () => switchTools(tools.checked));
grow();
