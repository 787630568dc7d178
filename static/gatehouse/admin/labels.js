/**
 * Names for what django-unfold draws without one: fields in rows of a table have the heading of
 * their column, select2's boxes the label of the select that they stand for. An icon is a word in
 * a font of its own ("history"): nobody is told it as part of a name.
 */

(() => {
  const FIELDS = "td :is(input, select, textarea):not([type=hidden]), .vDateField, .vTimeField";

  function headingOf(field) {
    const cell = field.closest("td");
    const table = cell?.closest("table");
    const place = cell ? Array.from(cell.parentElement.children).indexOf(cell) : -1;
    return table?.querySelector("thead tr:last-of-type")?.children[place]?.textContent.trim() || cell?.dataset.label;
  }

  function hideIcons() {
    for (const icon of document.querySelectorAll(".material-symbols-outlined:not([aria-hidden])")) {
      const control = icon.closest("a, button") ?? icon;
      const word = document.querySelector(`meta[name="icon-${CSS.escape(icon.textContent.trim())}"]`);
      const isAll = control.textContent.trim() === icon.textContent.trim() && !control.title && !control.ariaLabel;
      if (isAll && word && control !== icon) control.ariaLabel = word.content;
      if (!isAll || word) icon.ariaHidden = "true";
    }
  }

  function nameFields() {
    for (const field of document.querySelectorAll(FIELDS)) {
      if (field.labels?.length || field.ariaLabel || field.hasAttribute("aria-labelledby")) continue;
      field.ariaLabel = headingOf(field) || field.placeholder || field.name.replace(/^.*-/, "").replaceAll("_", " ");
    }
    for (const box of document.querySelectorAll(".select2-selection[role=combobox]")) {
      const select = box.closest(".select2")?.previousElementSibling;
      const label = select?.labels?.[0]?.textContent.trim() || select?.ariaLabel;
      if (!label || box.ariaLabel) continue;
      for (const part of [box, box.querySelector("[role=textbox]")]) if (part) part.ariaLabel = label;
    }
  }

  // select2 draws when the page has loaded, and again for each row that is added.
  addEventListener("load", () => {
    const name = () => { hideIcons(); nameFields(); };
    name();
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
  });
})();
