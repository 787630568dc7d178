/**
 * The list of an OpenAPI document's operations: searched as one types, chosen by the many. Without
 * this script it is a long list of boxes.
 */

const section = document.querySelector("[data-operations]");
const rows = Array.from(section?.querySelectorAll("tbody tr") ?? []);
const boxes = rows.map((row) => row.querySelector("input[type=checkbox]"));
const most = Number(section?.dataset.most);

function count() {
  section.querySelector("[data-count]").value = boxes.filter((box) => box.checked).length;
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) row.hidden = !words.every((word) => row.dataset.text.includes(word));
}

function choose(checked) {
  let left = most - boxes.filter((box) => box.checked).length;
  boxes.forEach((box, n) => {
    if (!checked) box.checked = false;
    else if (!rows[n].hidden && !box.disabled && !box.checked && left-- > 0) box.checked = true;
  });
  count();
}

if (section) {
  section.querySelector("[data-tools]").hidden = false;
  const field = section.querySelector("[data-search]");
  field.addEventListener("input", () => search(field.value));
  // Enter looks for something here; it does not import.
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
  section.querySelector("[data-all]").addEventListener("click", () => choose(true));
  section.querySelector("[data-none]").addEventListener("click", () => choose(false));
  section.addEventListener("change", count);
  count();
}
