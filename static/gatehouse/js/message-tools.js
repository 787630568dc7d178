/** Beside the messages: copying an answer, and sending again what failed. */
import { switchTools } from "./composer.js";
import { toast } from "./toasts.js";

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const text = button.closest(".message-body").querySelector(".prose, .message-live").innerText;
  await navigator.clipboard.writeText(text);
  toast(button.dataset.textCopied, "success");
});

// Browsers give the clipboard to secure pages only; elsewhere there is no button.
if (!navigator.clipboard) document.documentElement.classList.add("no-clipboard");

// With JavaScript a retry goes through the composer, so that it is seen while it happens.
document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-retry]");
  if (!form) return;
  event.preventDefault();
  const composer = document.getElementById("composer");
  composer.elements.namedItem("text").value = form.elements.namedItem("text").value;
  switchTools(Boolean(form.elements.namedItem("enable_tools")));
  composer.requestSubmit();
});
