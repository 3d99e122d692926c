// Predictions that keep their answers folded, and the quiz. What a reader answers stays in this browser.
import { el } from "./shared.js";

function remembered(key) {
  try {
    return localStorage.getItem(`headwork:${key}`);
  } catch {
    return null; // storage may be switched off: the page works without it
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(`headwork:${key}`, value);
  } catch {
    // nothing to do: see above
  }
}

/** Numbers as people type them: 1/3, 0.333, .33, 33%, a list in brackets. */
export function typedNumbers(text) {
  const parts = text.replace(/\u2212/g, "-").replace(/[[\](),;]/g, " ").trim().split(/\s+/).filter(Boolean);
  return parts.map((part) => {
    const match = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?:\/(\d+\.?\d*))?(%)?$/i.exec(part);
    if (!match) return NaN;
    return (Number(match[1]) / Number(match[2] ?? 1)) / (match[3] ? 100 : 1);
  });
}

/** Whether typed numbers are the right ones: within one percent, or right to the decimals that were typed. */
export function agrees(text, right) {
  const numbers = typedNumbers(text);
  const decimals = Math.max(0, ...text.split(/[\s,;]+/).map((part) => (part.split(".")[1] ?? "").replace(/\D/g, "").length));
  const slack = /[./%]/.test(text) ? 0.5 * 10 ** -decimals : 0;
  return numbers.length === right.length
    && numbers.every((value, i) => Math.abs(value - right[i]) <= Math.max(0.01 * Math.abs(right[i]), slack && decimals >= 2 ? slack : 1e-9));
}

export function mountPrediction(form, lesson) {
  const key = `${lesson}:predict:${form.dataset.name}`;
  const result = form.querySelector(".result");
  const answer = JSON.parse(form.dataset.answer);
  const tell = (text) => {
    const right = form.dataset.kind === "choice" ? text === answer : agrees(text, answer);
    result.textContent = right ? `You wrote ${text}. That is what comes out.` : `You wrote ${text}. Open the answer below and find where it parts.`;
    result.dataset.right = right;
    form.classList.add("answered");
    form.querySelectorAll("input, button").forEach((input) => { input.disabled = true; });
    document.dispatchEvent(new CustomEvent("headwork:predicted"));
  };
  const before = remembered(key);
  if (before) tell(before);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = String(new FormData(form).get("prediction") ?? "").trim();
    const problem = !text ? "Write or choose an answer first."
      : form.dataset.kind === "choice" || typedNumbers(text).every(Number.isFinite) ? ""
      : "Write numbers, such as 0.25, 1/4 or [2, 3].";
    result.textContent = problem;
    if (problem) return;
    remember(key, text);
    tell(text);
  });
}

/** Keep a folded answer shut until all of its predictions are written. */
export function mountGate(details) {
  const names = details.dataset.gatedBy.split(" ");
  const note = el("p", { class: "gate" }, "The answer opens once your prediction is written. ");
  note.append(el("button", { type: "button", onclick: () => open() }, "Show it without one"));
  const open = () => {
    note.remove();
    details.hidden = false;
  };
  const look = () => {
    const answered = (name) => document.querySelector(`form.predict[data-name="${name}"]`)?.classList.contains("answered");
    if (names.every(answered)) open();
  };
  details.hidden = true;
  details.before(note);
  document.addEventListener("headwork:predicted", look);
  look();
}

export function mountQuestion(question, lesson) {
  const key = `${lesson}:quiz:${question.dataset.name}`;
  const reason = question.querySelector(".reason");
  const tell = (input) => {
    const right = input.dataset.right === "true";
    reason.textContent = `${right ? "Right." : "Not this one."} ${input.dataset.reason}`;
    reason.dataset.right = right;
    remember(key, input.value);
  };
  question.addEventListener("change", (event) => tell(event.target));
  const before = remembered(key);
  const input = before !== null && question.querySelector(`input[value="${CSS.escape(before)}"]`);
  if (input) {
    input.checked = true;
    tell(input);
  }
}
