/** Around htmx swaps: whole pages are never put into a fragment's place, failures are said, focus is kept. */
import { toastFor } from "./toasts.js";

const SENTENCES = { 403: "denied", 404: "missing", 429: "busy" };

function isPage(xhr) {
  return /^\s*<!doctype html/i.test(xhr.responseText);
}

/** Whether it is the page that a part is asked of, and not the one for signing in. */
function holdsPart(xhr, element) {
  const part = element.closest("[hx-select]")?.getAttribute("hx-select") ?? "";
  return part.startsWith("#") && xhr.responseText.includes(`id="${part.slice(1)}"`);
}

// A page where a fragment was expected: signed out in between, or an error page.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (!isPage(xhr) || (xhr.status < 400 && holdsPart(xhr, requestConfig.elt))) return;
  event.detail.shouldSwap = false;
  if (xhr.status < 400) location.reload();
  else toastFor(SENTENCES[xhr.status] ?? "failed");
});

document.body.addEventListener("htmx:responseError", (event) => {
  const { xhr } = event.detail;
  if (!isPage(xhr)) toastFor(SENTENCES[xhr.status] ?? "failed"); // a page was dealt with above
});

document.body.addEventListener("htmx:sendError", () => toastFor("offline"));

// The card that was acted on is replaced: focus goes to the new one, so that it is read out.
document.body.addEventListener("htmx:afterSwap", (event) => {
  const id = event.detail.target.id;
  if (id.startsWith("draft-")) document.getElementById(id)?.focus({ preventScroll: true });
});
