/** Around htmx swaps: whole pages are never put into a fragment's place, failures are said, focus is kept. */
import { toastFor } from "./toasts.js";

const SENTENCES = { 403: "denied", 404: "missing", 429: "busy" };

function isPage(xhr) {
  return /^\s*<!doctype html/i.test(xhr.responseText);
}

// A page where a fragment was expected: signed out in between, or an error page.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, elt } = event.detail;
  if (!isPage(xhr) || elt.closest("[hx-select]")) return;
  event.detail.shouldSwap = false;
  if (xhr.status < 400) location.reload();
  else toastFor(SENTENCES[xhr.status] ?? "failed");
});

document.body.addEventListener("htmx:responseError", (event) => {
  const { xhr, shouldSwap } = event.detail;
  if (isPage(xhr) || shouldSwap || [403, 409, 410, 422].includes(xhr.status)) return;
  toastFor(SENTENCES[xhr.status] ?? "failed");
});

document.body.addEventListener("htmx:sendError", () => toastFor("offline"));

// The card that was acted on is replaced: focus goes to the new one, so that it is read out.
document.body.addEventListener("htmx:afterSwap", (event) => {
  const id = event.detail.target.id;
  if (id.startsWith("draft-")) document.getElementById(id)?.focus({ preventScroll: true });
});
