/** Shows the events of a run below the thread. Text goes in as text; the final HTML is the server's. */
import { fromTemplate, isAtEnd, setIcon } from "./lib.js";

const OUTCOMES = { success: ["check", "done"], denied: ["x-circle", "denied"] };

export class LiveRun {
  #area;
  #texts = new Map();
  #tools = new Map();
  #status;
  #words;

  /** `area` is emptied; `words` holds the translated sentences (a dataset). */
  constructor(area, words) {
    this.#area = area;
    this.#words = words;
    this.clear();
  }

  clear() {
    this.#area.replaceChildren();
    this.#texts.clear();
    this.#tools.clear();
    this.#status = null;
  }

  showQuestion(text) {
    this.#append(fromTemplate("template-user", text));
  }

  showStatus(text) {
    this.#status ??= fromTemplate("template-status");
    this.#status.querySelector("[data-slot]").textContent = text;
    this.#append(this.#status);
  }

  showProblem(text) {
    this.#status?.remove();
    this.#status = null;
    this.#append(fromTemplate("template-problem", text));
  }

  /** One event of the stream; unknown types are left alone. False: it is about a call not shown here. */
  show({ type, data }) {
    if (type === "tool.finished" && !this.#tools.has(data.call_id)) return false;
    if (type === "text.delta") this.#addText(data);
    else if (type === "step.restarted") this.#restart(data.step);
    else if (type === "tool.started") this.#startTool(data);
    else if (type === "tool.finished") this.#finishTool(data);
    return true;
  }

  /** Adds `element` above the status line, and keeps the end in sight for a reader who is there. */
  #append(element) {
    this.#following(() => {
      this.#area.append(element);
      if (this.#status) this.#area.append(this.#status);
    });
  }

  #following(change) {
    const follow = isAtEnd();
    change();
    if (follow) scrollTo({ top: document.documentElement.scrollHeight });
  }

  #addText({ step, text }) {
    if (!this.#texts.has(step)) {
      this.#texts.set(step, fromTemplate("template-text"));
      this.#append(this.#texts.get(step));
    }
    const slot = this.#texts.get(step).querySelector("[data-slot]");
    this.#following(() => slot.append(text));
  }

  /** Another process took over, or the model is asked anew: what it had said does not count. */
  #restart(step) {
    this.#forgetStep(step);
    this.showStatus(this.#words.textRestarted);
  }

  /** A killed attempt starts anew: what it had written is not part of the answer. */
  #forgetStep(step) {
    this.#texts.get(step)?.remove();
    this.#texts.delete(step);
    for (const [callId, tool] of this.#tools) {
      if (tool.step !== step) continue;
      tool.element.remove();
      this.#tools.delete(callId);
    }
  }

  #startTool({ step, call_id: callId, tool, title }) {
    if (this.#tools.has(callId)) return;
    const element = fromTemplate("template-step");
    element.querySelector(".step-title").textContent = title || tool;
    element.querySelector(".step-tool").textContent = tool;
    this.#tools.set(callId, { step, element });
    this.#append(element);
  }

  #finishTool({ call_id: callId, status, duration_ms: durationMs }) {
    const { element } = this.#tools.get(callId);
    const waits = status.startsWith("needs_");
    const [icon, word] = OUTCOMES[status] ?? (waits ? ["clock", "waits"] : ["x-circle", "error"]);
    const line = element.querySelector(".step");
    line.dataset.status = status;
    setIcon(line, icon);
    line.querySelector(".step-detail").textContent = this.#words[`text${word[0].toUpperCase()}${word.slice(1)}`];
    if (durationMs != null) line.querySelector(".step-duration").textContent = `${durationMs} ms`;
  }
}
