/**
 * Forms that are made from a schema, without leaving the page: a button that adds or removes a row
 * is sent in the background, and what comes back takes the place of what is there. So it is when
 * the fields or the JSON behind them were changed: the other follows. Without this script the same
 * buttons load the page anew. Its names stay its own: the console loads its scripts as classic
 * ones, which share what they declare.
 */

(() => {
  const ACT = "button[name$=':act']";
  let asked = 0;

  async function send(form, button) {
    const number = ++asked;
    const data = new FormData(form);
    data.append(button.name, button.value);
    const answer = await fetch(location.href, { method: "POST", body: data });
    if (!answer.ok || answer.redirected) throw new Error(`${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return number === asked ? page : null; // a later one is under way
  }

  function fieldsOf(root, part) {
    return root.querySelectorAll(`[name="${part}"], [name^="${part}."], [name^="${part}-"]`);
  }

  function copyFields(form, page, part) {
    const keyOf = (field) => `${field.name}\n${field.type === "checkbox" ? field.value : ""}`;
    const simple = (root) => Array.from(fieldsOf(root, part)).filter((field) => !field.closest("[data-structure]"));
    const others = new Map(simple(page).map((field) => [keyOf(field), field]));
    for (const field of simple(form)) {
      const other = others.get(keyOf(field));
      if (!other) continue;
      if (field.type === "checkbox") field.checked = other.checked;
      else if (field.value !== other.value) field.value = other.value;
    }
  }

  function copyStructures(form, page) {
    for (const place of form.querySelectorAll("[data-structure]")) {
      const other = page.getElementById(place.id);
      if (other && other.innerHTML !== place.innerHTML) place.innerHTML = other.innerHTML;
    }
  }

  /** To the row that is new, or to where the one was that is gone. */
  function focusAfter(place, before, verb) {
    const rows = place.querySelectorAll(".gh-row-of");
    const row = verb === "add" ? Array.from(rows).find((one) => !before.has(one.querySelector("input")?.value)) : null;
    const target = row?.querySelector("input:not([type=hidden]), select, textarea") ?? place;
    target.focus();
  }

  async function act(button) {
    const form = button.form;
    const place = button.closest("[data-structure]");
    const [verb, name] = button.value.split(" ");
    const rows = new Set(Array.from(form.querySelectorAll(`[name="${CSS.escape(name ?? "")}:rows"]`), (one) => one.value));
    const page = await send(form, button);
    if (!page) return;
    copyStructures(form, page);
    copyFields(form, page, button.name.replace(/:act$/, ""));
    if (place) focusAfter(document.getElementById(name ? `id_${name}` : "") ?? place, rows, verb);
  }

  addEventListener("click", (event) => {
    const button = event.target.closest?.(ACT);
    if (!button || button.ariaBusy === "true") return;
    event.preventDefault();
    button.ariaBusy = "true";
    act(button)
      .catch(() => button.form?.requestSubmit(button))
      .finally(() => { button.ariaBusy = null; });
  });

  addEventListener("change", (event) => {
    const field = event.target;
    const shows = field.id && document.querySelector(`[data-shows="${CSS.escape(field.id)}"]`);
    if (shows) {
      shows.click();
      return;
    }
    const step = field.form?.querySelector("[data-steps]");
    const part = step?.name.replace(/:act$/, "");
    if (step && (field.name === part || field.name.startsWith(`${part}.`))) keepInStep(step, part, field.name === part);
  });

  /** What can't be read yet stays as it is, and is told when the form is sent. */
  async function keepInStep(step, part, textCounts) {
    const form = step.form;
    const page = await send(form, step).catch(() => null);
    if (!page || page.querySelector(".errors, .errornote")) return;
    if (textCounts) {
      copyStructures(form, page);
      copyFields(form, page, part);
      return;
    }
    for (const name of [part, `${part}-step`]) {
      form.elements[name].value = page.querySelector(`[name="${name}"]`).value;
    }
  }
})();
