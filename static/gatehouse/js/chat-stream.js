/**
 * Sends a message and follows its run. The page works without it (the form posts to chat:send);
 * with it steps and text appear while they happen. A lost connection stops nothing: the events are
 * read on from the last id seen.
 */
import { isSendable } from "./composer.js";
import { isPressing, released } from "./kept.js";
import { csrfToken, isAtEnd, newKey, wait } from "./lib.js";
import { LiveRun } from "./live-run.js";
import { readEvents } from "./sse.js";

const NIL = "00000000-0000-0000-0000-000000000000";
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const API = "/api/agent";

const chat = document.getElementById("chat");
const words = chat.dataset;
const menu = document.getElementById("conversation-menu").parentElement;
const form = document.getElementById("composer");
const field = (name) => form.elements.namedItem(name);
const send = form.querySelector("[data-send]");
const stop = form.querySelector("[data-stop]");
const live = new LiveRun(document.getElementById("live"), words);
const thread = () => document.getElementById("thread");

let run = null; // {id, lastEventId}: the run that is followed now
let outdated = false; // a card was decided while a run was followed
let deciding = 0; // decisions under way: until their answers are here the cards stay in their place
let settling = 0; // looks at what the decided cards have left
let held = false; // a thread came while something in the old one was being pressed
let refreshing = Promise.resolve(); // htmx only queues a second request of an element, and says that it was made

function setBusy(busy) {
  send.hidden = busy;
  stop.hidden = !busy;
  stop.disabled = false;
  showBusy();
}

/** Also while it is not known yet whether a run goes on. */
function showBusy() {
  chat.toggleAttribute("aria-busy", !stop.hidden || deciding > 0 || settling > 0);
}

/** The server's rendering replaces the live one (through htmx, so that cards in it work). `follows`: its end comes into sight. False: no answer. */
function refreshThread(options) {
  const refreshed = refreshing.then(() => refreshNow(options));
  refreshing = refreshed.catch(() => {});
  return refreshed;
}

async function refreshNow({ follows = true } = {}) {
  const url = thread().dataset.threadUrl;
  const before = thread();
  if (!url) return false;
  do {
    held = false;
    await released();
    await window.htmx.ajax("GET", url, { source: "#chat", target: "#thread", swap: "outerHTML" }).catch(() => {});
  } while (held);
  if (thread() === before) return outdated; // what was shown live stays
  live.clear();
  showTitle();
  if (run && isActive()) showWorking();
  if (follows) thread().lastElementChild?.scrollIntoView({ block: "nearest" });
  return true;
}

/** Whether the server said, at the last refresh, that this run goes on. */
function isActive() {
  return thread().dataset.activeRunId === run.id;
}

function showWorking() {
  thread().querySelector(".run-status")?.remove(); // the live line takes its place
  live.showStatus(words.textWorking);
}

/** The thread was rendered after this event, so it shows it already. */
function isShown(event) {
  return isActive() && Number(event.id) <= Number(thread().dataset.lastEventId);
}

/** A new conversation got its id: the address bar and the thread learn it, without a reload. */
function adoptConversation(id) {
  if (!id || thread().dataset.conversationId === id) return;
  thread().dataset.conversationId = id;
  thread().dataset.threadUrl = words.threadUrl.replace(NIL, id);
  field("conversation_id").value = id;
  history.replaceState(null, "", words.conversationUrl.replace(NIL, id));
  document.getElementById("welcome")?.remove();
  menu.querySelector("form").action = menu.querySelector("form").action.replace(NIL, id);
  menu.querySelector("a").href = menu.querySelector("a").href.replace(NIL, id);
  for (const element of document.querySelectorAll("[data-in-conversation]")) element.hidden = false;
}

/** The conversation may have got its name since; what somebody types into the menu stays. */
function showTitle() {
  const title = document.getElementById("conversation-title").textContent;
  document.title = `${title} · Gatehouse`;
  menu.querySelector("[name=title]").defaultValue = title;
}

/** Returns true when the run is over. */
async function handle(event) {
  const { type, data } = event;
  if (type === "run.started") {
    run = { id: data.run_id };
    adoptConversation(data.conversation_id);
  } else if (type === "run.finished" || type === "error") {
    await refreshThread();
    if (type === "error") live.showProblem(data.message);
    return true;
  } else if (type === "action.required" || (!isShown(event) && !live.show(event))) {
    await refreshThread();
  }
  run.lastEventId = event.id ?? run.lastEventId;
  return false;
}

/** An end without run.finished: the run waits for the person, or the connection broke off. */
async function rests() {
  const response = await fetch(`${API}/runs/${run.id}/`);
  if (response.status >= 500 || response.status === 429) return false;
  if (response.ok && (await response.json()).status === "RUNNING") return false;
  const isRefreshed = await refreshThread();
  return isRefreshed && !isActive(); // its last card may have been decided since
}

/** Reads one response to its end. True: nothing more will come. */
async function follow(response) {
  if (response.ok) {
    for await (const event of readEvents(response)) {
      if (await handle(event)) return true;
    }
  }
  return rests();
}

function openEvents() {
  const headers = { Accept: "text/event-stream" };
  if (run.lastEventId) headers["Last-Event-ID"] = run.lastEventId;
  return fetch(`${API}/runs/${run.id}/events/`, { headers });
}

/** Follows the present run through every loss of connection, beginning with `response` if there is one. */
async function followRun(response = null) {
  for (let attempt = 0; ; attempt += 1) {
    const seen = run.lastEventId;
    try {
      if (await follow(response ?? (await openEvents()))) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // what fetch and a broken body raise
    }
    response = null;
    if (run.lastEventId !== seen) attempt = 0;
    if (attempt) live.showStatus(words.textReconnecting);
    await wait(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)]);
  }
}

async function whileBusy(action) {
  setBusy(true);
  let followed;
  try {
    await action();
  } finally {
    followed = run?.id;
    setBusy(false);
    run = null;
  }
  const decided = outdated;
  outdated = false;
  if (decided) await settle();
  // Another run may have begun (from another tab); the same one again would be a loop.
  else if (thread().dataset.activeRunId !== followed) attachToActiveRun();
}

function body(text) {
  const { conversationId, contextVersion } = thread().dataset;
  const payload = { text, enable_tools: field("enable_tools").checked };
  if (conversationId) payload.conversation_id = conversationId;
  if (conversationId && contextVersion) payload.context_version = Number(contextVersion);
  if (!conversationId && field("agent")) payload.agent = field("agent").value;
  if (!conversationId && field("project")) payload.project = field("project").value;
  return JSON.stringify(payload);
}

function post(path, content, extra = {}) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), ...extra };
  return fetch(`${API}${path}`, { method: "POST", headers, body: content });
}

/** The text goes back into the box, and the person reads what to do next. */
function giveBack(text, sentence) {
  live.clear();
  live.showProblem(sentence);
  field("text").value = text;
  field("text").focus();
}

async function explainRefusal(response, text) {
  if (response.status === 409) await refreshThread();
  const { errors = [] } = await response.json().catch(() => ({}));
  const isStale = errors.some((error) => error.code === "stale_context");
  const known = { 401: words.textSignin, 403: words.textSignin, 429: words.textBusy };
  const details = errors.map((error) => error.detail).join(" ");
  giveBack(text, isStale ? words.textStale : (known[response.status] ?? `${words.textFailed} ${details}`));
}

async function sendMessage(text, key) {
  let response;
  try {
    response = await post("/messages/", body(text), { Accept: "text/event-stream", "Idempotency-Key": key });
  } catch {
    return giveBack(text, words.textOffline);
  }
  if (!response.ok) return explainRefusal(response, text);
  run = { id: response.headers.get("X-Run-Id") };
  return followRun(response);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field("text").value.trim();
  if (!isSendable() || run || chat.hasAttribute("aria-busy")) return;
  field("text").value = "";
  field("text").dispatchEvent(new Event("input"));
  live.clear();
  live.showQuestion(text);
  live.showStatus(words.textWorking);
  whileBusy(() => sendMessage(text, newKey()));
});

stop.addEventListener("click", async () => {
  if (!run) return;
  stop.disabled = true;
  live.showStatus(words.textStopping);
  const response = await post(`/runs/${run.id}/cancel/`, "{}").catch(() => null);
  if (!response?.ok) stop.disabled = false; // the run goes on; pressing again is safe
});

/** On load, and after a card was decided: the server says in the thread which run goes on. */
function attachToActiveRun() {
  const { activeRunId, lastEventId } = thread().dataset;
  if (!activeRunId || run || !stop.hidden) return;
  run = { id: activeRunId, lastEventId };
  showWorking();
  whileBusy(() => followRun());
}

/** A card was decided: its run may go on, and the thread says so. */
async function settle() {
  settling += 1;
  showBusy();
  try {
    await refreshThread();
    attachToActiveRun();
  } finally {
    settling -= 1;
    showBusy();
  }
}

// htmx tells nobody of an answer whose card is gone by then, so a thread that comes meanwhile is left out.
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "thread") return;
  held = isPressing();
  if (!deciding && !held) return;
  event.detail.shouldSwap = false;
  outdated ||= Boolean(deciding);
});

document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (!event.detail.target?.id.startsWith("draft-")) return;
  deciding += 1;
  showBusy();
  event.detail.xhr.addEventListener("loadend", async () => {
    deciding -= 1;
    outdated = !stop.hidden;
    if (!outdated) await settle();
  });
});

// A reminder, a receipt or another tab has written; while a run is followed, its end shows it anyway.
document.addEventListener("news:thread", async () => {
  if (run || !stop.hidden || deciding) return;
  await refreshThread({ follows: isAtEnd() });
  attachToActiveRun();
});

scrollTo({ top: document.documentElement.scrollHeight });
attachToActiveRun();
