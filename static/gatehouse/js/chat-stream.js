/**
 * Sends a message and follows its run. The page works without it (the form posts to chat:send);
 * with it steps and text appear while they happen. A lost connection stops nothing: the events are
 * read on from the last id seen.
 */
import { csrfToken, newKey, wait } from "./lib.js";
import { LiveRun } from "./live-run.js";
import { readEvents } from "./sse.js";

const NIL = "00000000-0000-0000-0000-000000000000";
const RETRY_MS = [500, 1000, 2000, 4000, 8000];
const API = "/api/agent";

const chat = document.getElementById("chat");
const words = chat.dataset;
const form = document.getElementById("composer");
const field = (name) => form.elements.namedItem(name);
const send = form.querySelector("[data-send]");
const stop = form.querySelector("[data-stop]");
const live = new LiveRun(document.getElementById("live"), words);
const thread = () => document.getElementById("thread");

let run = null; // {id, lastEventId}: the run that is followed now

function setBusy(busy) {
  send.hidden = busy;
  stop.hidden = !busy;
  stop.disabled = false;
  chat.toggleAttribute("aria-busy", busy);
}

/** The server's rendering replaces the live one. Through htmx, so that cards in it work. */
async function refreshThread() {
  const url = thread().dataset.threadUrl;
  if (!url) return;
  const before = thread();
  await window.htmx.ajax("GET", url, { source: "#thread", target: "#thread", swap: "outerHTML" }).catch(() => {});
  if (thread() === before) return; // no answer: what was shown live stays
  live.clear();
  thread().lastElementChild?.scrollIntoView({ block: "nearest" });
}

/** A new conversation got its id: the address bar and the thread learn it, without a reload. */
function adoptConversation(id) {
  if (!id || thread().dataset.conversationId === id) return;
  thread().dataset.conversationId = id;
  thread().dataset.threadUrl = words.threadUrl.replace(NIL, id);
  field("conversation_id").value = id;
  history.replaceState(null, "", words.conversationUrl.replace(NIL, id));
  document.getElementById("welcome")?.remove();
}

/** Returns true when the run needs no more following. */
async function handle(event) {
  if (event.id !== undefined && run) run.lastEventId = event.id;
  const { type, data } = event;
  if (type === "run.started") {
    run = { id: data.run_id, lastEventId: event.id };
    adoptConversation(data.conversation_id);
  } else if (type === "action.required") {
    await refreshThread();
  } else if (type === "run.finished") {
    adoptConversation(data.conversation_id);
    await refreshThread();
    return true;
  } else if (type === "error") {
    await refreshThread();
    live.showProblem(data.message);
    return true;
  } else {
    live.show(event);
  }
  return false;
}

/** Reads one response to its end. True: the run is over or waits; false: the connection broke off. */
async function follow(response) {
  for await (const event of readEvents(response)) {
    if (await handle(event)) return true;
  }
  return false;
}

async function openEvents() {
  const headers = { Accept: "text/event-stream" };
  if (run.lastEventId) headers["Last-Event-ID"] = run.lastEventId;
  return fetch(`${API}/runs/${run.id}/events/`, { headers });
}

/** Attaches to the present run, again and again, until it is over or gone. */
async function followRun() {
  for (let attempt = 0; ; attempt += 1) {
    const seen = run.lastEventId;
    try {
      const response = await openEvents();
      if (response.ok) {
        live.showStatus(words.textWorking);
        if (await follow(response)) return;
      } else if (response.status < 500 && response.status !== 429) {
        return await refreshThread(); // not there (any more) for us: show what the server knows
      }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // what fetch and a broken body raise
    }
    if (run.lastEventId !== seen) attempt = 0;
    live.showStatus(words.textReconnecting);
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
  // Another run may have begun (from another tab); the same one again would be a loop.
  if (thread().dataset.activeRunId !== followed) attachToActiveRun();
}

function body(text) {
  const { conversationId, contextVersion } = thread().dataset;
  const payload = { text, enable_tools: field("enable_tools").checked };
  if (conversationId) payload.conversation_id = conversationId;
  if (conversationId && contextVersion) payload.context_version = Number(contextVersion);
  if (!conversationId && field("agent")) payload.agent = field("agent").value;
  return JSON.stringify(payload);
}

function post(path, content, extra = {}) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), ...extra };
  return fetch(`${API}${path}`, { method: "POST", headers, body: content });
}

/** The text goes back into the box, and the person reads what to do next. */
async function giveBack(text, sentence) {
  live.clear();
  live.showProblem(sentence);
  field("text").value = text;
  field("text").focus();
}

async function explainRefusal(response, text) {
  if (response.status === 409) await refreshThread();
  const known = { 401: words.textSignin, 403: words.textSignin, 409: words.textStale, 429: words.textBusy };
  const details = await response.json().catch(() => ({}));
  const detail = details.errors?.map((error) => error.detail).join(" ") ?? "";
  await giveBack(text, known[response.status] ?? `${words.textFailed} ${detail}`);
}

async function sendMessage(text, key) {
  let response;
  try {
    response = await post("/messages/", body(text), { Accept: "text/event-stream", "Idempotency-Key": key });
  } catch {
    return giveBack(text, words.textOffline);
  }
  if (!response.ok) return explainRefusal(response, text);
  const finished = await follow(response).catch(() => false);
  if (!finished && run) await followRun();
  else if (!finished) await refreshThread();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field("text").value.trim();
  if (!text || run || !stop.hidden) return;
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
  thread().querySelector(".run-status")?.remove(); // the live line takes its place
  live.showStatus(words.textWorking);
  whileBusy(followRun);
}

// A card was decided: its run may go on, and the thread says so.
document.body.addEventListener("htmx:afterSwap", async (event) => {
  if (!event.detail.target.id.startsWith("draft-") || !stop.hidden) return;
  await refreshThread();
  attachToActiveRun();
});

scrollTo({ top: document.documentElement.scrollHeight });
attachToActiveRun();
