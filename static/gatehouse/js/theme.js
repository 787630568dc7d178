/** The theme button. The server writes the cookie's value into <html data-theme>, so nothing flashes. */
import { setIcon } from "./lib.js";

const ICONS = { auto: "auto", light: "sun", dark: "moon" };
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const YEAR_SECONDS = 31536000;

function apply(theme) {
  document.documentElement.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const age = theme === "auto" ? 0 : YEAR_SECONDS;
  document.cookie = `theme=${theme}; Path=/; Max-Age=${age}; SameSite=Lax${secure}`;
}

function label(button, theme) {
  const text = button.getAttribute(`data-label-${theme}`);
  button.setAttribute("aria-label", text);
  button.title = text;
  setIcon(button, ICONS[theme]);
}

for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  label(button, document.documentElement.dataset.theme);
  button.addEventListener("click", () => {
    const theme = NEXT[document.documentElement.dataset.theme] ?? "light";
    apply(theme);
    label(button, theme);
  });
}
