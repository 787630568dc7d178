/** What more than one module needs. No state. */

export function csrfToken() {
  return document.querySelector('meta[name="csrf-token"]')?.content ?? "";
}

/** Random, also on plain http, where crypto.randomUUID() does not exist. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function debounce(action, delayMs) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), delayMs);
  };
}

export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether the reader is where the newest stands. */
export function isAtEnd() {
  return innerHeight + scrollY > document.documentElement.scrollHeight - 160;
}

/** A copy of what a <template> holds, with `text` in its slot. */
export function fromTemplate(id, text = "") {
  const element = document.getElementById(id).content.firstElementChild.cloneNode(true);
  const slot = element.querySelector("[data-slot]");
  if (slot) slot.textContent = text;
  return element;
}

/** Shows another drawing of the sprite in an existing icon. */
export function setIcon(container, name) {
  const use = container.querySelector(".icon use");
  const sprite = use.getAttribute("href").split("#")[0];
  use.setAttribute("href", `${sprite}#${name}`);
}
