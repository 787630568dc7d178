/** What a person opened, typed, pressed or stood in stays theirs when a rendering of the server replaces it. */

const opened = new Map(); // id of a <details> -> how the person left it
const FIELDS = "textarea[id], input[id]:not([type=hidden])";
let typed = new Map(); // id of a field -> what it held before the swap
let focused = null; // id of what had the focus, or of what is around it
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
  return { value: field.value, before: field.defaultValue, start: field.selectionStart, end: field.selectionEnd };
}

document.body.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const fields = [...target.querySelectorAll(FIELDS)];
  typed = new Map(fields.map((field) => [field.id, stateOf(field)]));
  focused = target.contains(document.activeElement) ? document.activeElement.closest("[id]").id : null;
});

/** A value that the server changed meanwhile is shown: the card says so, and the person looks again. */
function fill(id, { value, before, start, end }) {
  const field = document.getElementById(id);
  if (!field || field.defaultValue !== before) return;
  field.value = value;
  if (start !== null) field.setSelectionRange(start, end);
}

document.body.addEventListener("htmx:afterSwap", () => {
  for (const [id, open] of opened) document.getElementById(id)?.toggleAttribute("open", open);
  for (const [id, state] of typed) fill(id, state);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  typed.clear();
  focused = null;
});
