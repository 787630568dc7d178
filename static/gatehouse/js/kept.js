/** What a person opened, typed, pressed or stood in stays theirs when a rendering of the server replaces it. */

const opened = new Map(); // id of a <details> -> how the person left it
const FIELDS = "textarea[id], select[id], input[id]:not([type=hidden])";
const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary";
let typed = new Map(); // id of a field -> what it held before the swap
let focused = null; // the place of what had the focus
let pressing = null; // {promise, resolve} from the pointer's going down until its click has been dealt with

/** Whether a replacement now would swallow a click: it needs both halves on one element. */
export function isPressing() {
  return pressing !== null;
}

export function released() {
  return pressing?.promise;
}

document.addEventListener("pointerdown", () => (pressing ??= Promise.withResolvers()));
for (const type of ["pointerup", "pointercancel"]) {
  document.addEventListener(type, () => {
    const pressed = pressing;
    pressing = null;
    setTimeout(() => pressed?.resolve());
  });
}

// A click on the summary (Enter and the space bar make one too) comes before the toggle itself.
document.addEventListener("click", (event) => {
  const fold = event.target.closest("summary")?.parentElement;
  if (fold?.id) opened.set(fold.id, !fold.open);
  if (fold && !fold.open) fold.addEventListener("toggle", () => enter(inPlaceOf(fold)), { once: true });
});

/** The thread may have been replaced between the click and the opening. */
function inPlaceOf(fold) {
  return document.getElementById(fold.id) ?? fold;
}

/** Who opens a question wants to write: the cursor goes into its field, and nothing covers it. */
function enter(fold) {
  const field = fold.querySelector("textarea, input:not([type=hidden]), select");
  if (!field || !fold.open) return;
  field.focus({ preventScroll: true });
  (field.form ?? fold).scrollIntoView({ block: "nearest" });
}

function stateOf(field) {
  const { value, checked, selectionStart: start, selectionEnd: end } = field;
  return { value, checked, before: renderedOf(field), start, end };
}

/** What the server put into it. */
function renderedOf(field) {
  return field.tagName === "SELECT" ? field.querySelector("[selected]")?.value : field.defaultValue;
}

function namesake(element) {
  return (other) => other.tagName === element.tagName && other.textContent.trim() === element.textContent.trim();
}

/** Where an element is, so that it is found in a new rendering: most buttons and links have no id of their own. */
function placeOf(element) {
  const around = element.closest("[id]");
  const alike = [...around.querySelectorAll(FOCUSABLE)].filter(namesake(element));
  return { id: around.id, element, nth: alike.indexOf(element) };
}

/** What is in that place now; what is around it where it is gone. */
function foundAt({ id, element, nth }) {
  const around = document.getElementById(id);
  return [...(around?.querySelectorAll(FOCUSABLE) ?? [])].filter(namesake(element))[nth] ?? around;
}

document.body.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const fields = [...target.querySelectorAll(FIELDS)];
  typed = new Map(fields.map((field) => [field.id, stateOf(field)]));
  focused = target.contains(document.activeElement) ? placeOf(document.activeElement) : null;
});

/** A value that the server changed meanwhile is shown: the card says so, and the person looks again. */
function fill(id, { value, checked, before, start, end }) {
  const field = document.getElementById(id);
  if (!field || renderedOf(field) !== before) return;
  field.value = value;
  if (checked !== undefined) field.checked = checked; // a radio button's value never changes
  if (start != null) field.setSelectionRange(start, end);
}

document.body.addEventListener("htmx:afterSwap", () => {
  for (const [id, open] of opened) document.getElementById(id)?.toggleAttribute("open", open);
  for (const [id, state] of typed) fill(id, state);
  if (focused) foundAt(focused)?.focus({ preventScroll: true });
  typed.clear();
  focused = null;
});
