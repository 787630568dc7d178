/** While a page stands open in sight, it learns of what has come: the counts of the frame, and of its conversation that there is more. */

const EVERY_MS = 12000;
const LATEST_MS = 120000; // between two looks while there is no answer

const url = document.getElementById("frame").dataset.newsUrl;
let seen = "";
let pause = EVERY_MS;
let timer;
let isLooking = false;

function address() {
  const { conversationId = "", messageCount = "" } = document.getElementById("thread")?.dataset ?? {};
  return conversationId ? `${url}?conversation=${conversationId}&messages=${messageCount}` : url;
}

function show(html) {
  const part = document.createElement("template");
  part.innerHTML = html;
  for (const count of [...part.content.children]) {
    const before = document.getElementById(count.id);
    if (before && !before.isEqualNode(count)) before.replaceWith(count);
  }
}

/** False: whoever is signed out, or may not ask any more, is not asked for again. */
async function ask() {
  const response = await fetch(address(), { headers: { "X-Seen": seen }, redirect: "manual" });
  if (response.type === "opaqueredirect" || [401, 403, 404].includes(response.status)) return false;
  if (!response.ok) throw new TypeError(`news: ${response.status}`);
  if (response.status === 200) {
    seen = response.headers.get("X-Seen");
    show(await response.text());
    if (response.headers.has("X-Thread")) document.dispatchEvent(new CustomEvent("news:thread"));
  }
  return true;
}

async function look() {
  clearTimeout(timer);
  if (document.hidden || isLooking) return;
  isLooking = true;
  try {
    if (!(await ask())) {
      document.removeEventListener("visibilitychange", look);
      return;
    }
    pause = EVERY_MS;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // what fetch raises
    pause = Math.min(2 * pause, LATEST_MS);
  } finally {
    isLooking = false;
  }
  timer = setTimeout(look, pause);
}

document.addEventListener("visibilitychange", look);
timer = setTimeout(look, EVERY_MS);
