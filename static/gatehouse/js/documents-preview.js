/** The editor: live preview, and a guard against leaving with unsaved text. */
import { csrfToken, debounce } from "./lib.js";

const form = document.querySelector("[data-editor]");
const source = form.elements.namedItem("content");
const view = form.querySelector("[data-preview]");
const state = form.querySelector("[data-editor-state]");
let newest = 0;
let dirty = "editorDirty" in form.dataset;

async function render() {
  const mine = (newest += 1);
  view.setAttribute("aria-busy", "true");
  const body = new URLSearchParams({ content: source.value });
  const headers = { "X-CSRFToken": csrfToken(), "HX-Request": "true" };
  const response = await fetch(form.dataset.previewUrl, { method: "POST", headers, body }).catch(() => null);
  if (mine !== newest) return; // a later text is on its way already
  // Sanitised by the server, the same as the page shows; a redirect would be the sign-in page.
  if (response?.ok && !response.redirected) view.innerHTML = await response.text();
  else state.textContent = form.dataset.textPreviewFailed;
  view.removeAttribute("aria-busy");
}

function markDirty() {
  dirty = true;
  state.textContent = form.dataset.textUnsaved;
}

if (view) {
  source.addEventListener("input", debounce(render, 300));
  if (source.value && !view.childElementCount) render();
}
form.addEventListener("input", markDirty);
form.addEventListener("submit", () => (dirty = false));
form.addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.metaKey || event.ctrlKey)) return;
  event.preventDefault();
  form.requestSubmit();
});
form.querySelector("[data-discard]")?.addEventListener("click", () => (dirty = false));
addEventListener("beforeunload", (event) => {
  if (dirty) event.preventDefault();
});
if (dirty) markDirty();
