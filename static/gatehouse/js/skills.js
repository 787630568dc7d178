/** The page of skills: says which reminders have changed, and keeps its list from being replaced under a click. */
import { isPressing } from "./kept.js";

const LIST = "reminder-jobs";
let states = statesOf();

function statesOf() {
  const jobs = document.querySelectorAll(`#${LIST} [data-job]`);
  return new Map([...jobs].map((job) => [job.dataset.job, job.dataset.news]));
}

document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id === LIST && isPressing()) event.detail.shouldSwap = false;
});

// A line above may have become longer or shorter: what was pressed stays under the finger.
let pressedAt = null;
document.body.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const pressed = document.activeElement;
  pressedAt = target.id === "skills" && target.contains(pressed) ? pressed.getBoundingClientRect().top : null;
});
document.body.addEventListener("htmx:afterSwap", () => {
  if (pressedAt !== null) scrollBy(0, document.activeElement.getBoundingClientRect().top - pressedAt);
  pressedAt = null;
});

document.body.addEventListener("htmx:afterSwap", () => {
  const before = states;
  states = statesOf();
  const news = [...states].filter(([id, said]) => before.has(id) && before.get(id) !== said);
  if (news.length) document.getElementById("jobs-news").textContent = news.map(([, said]) => said).join(" ");
});

// A second click must not make a second reminder.
document.addEventListener("submit", (event) => {
  if (event.target.id === "reminder-form") event.submitter?.setAttribute("disabled", "");
});
window.addEventListener("pageshow", () => {
  document.querySelector("#reminder-form button")?.removeAttribute("disabled");
});
