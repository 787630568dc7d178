/** Toasts: those the server rendered, and our own. Errors stay until closed, the rest goes by itself. */
import { setIcon } from "./lib.js";

const STAY_MS = 6000;
const area = () => document.getElementById("toasts");

const ICONS = { error: "warning", success: "check-circle" };

export function toast(text, level = "error") {
  const element = area().querySelector("template").content.firstElementChild.cloneNode(true);
  element.className = `toast toast-${level}`;
  setIcon(element, ICONS[level]);
  element.querySelector("[data-toast-text]").textContent = text;
  area().append(element);
}

/** One of the sentences that the server wrote (translated) into the toast area. */
export function toastFor(name) {
  toast(area().getAttribute(`data-text-${name}`));
}

function arm(element) {
  element.querySelector("[data-toast-close]")?.addEventListener("click", () => element.remove());
  if (element.matches(".toast-error, .toast-warning")) return;
  let timer = setTimeout(() => element.remove(), STAY_MS);
  const hold = () => clearTimeout(timer);
  const release = () => (timer = setTimeout(() => element.remove(), STAY_MS));
  for (const event of ["mouseenter", "focusin"]) element.addEventListener(event, hold);
  for (const event of ["mouseleave", "focusout"]) element.addEventListener(event, release);
}

const armed = new WeakSet();
function armAll() {
  for (const element of document.querySelectorAll("#toasts > .toast")) {
    if (!armed.has(element)) arm(element);
    armed.add(element);
  }
}

// An htmx answer may swap the whole area in, so the body is watched, not the area.
new MutationObserver(armAll).observe(document.body, { childList: true, subtree: true });
armAll();
