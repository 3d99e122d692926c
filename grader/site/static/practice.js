// Predictions that keep their answers folded, then the quiz. What a reader answers stays in this browser.
import { el } from "./shared.js";
import { NotUnderstood, agree, typedNumbers } from "./typed-numbers.js";

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

export function mountPrediction(form, lesson) {
  const key = `${lesson}:predict:${form.dataset.name}`;
  const result = form.querySelector(".result");
  const answer = JSON.parse(form.dataset.answer);
  const choice = form.dataset.kind === "choice";
  const holds = (text) => (choice ? text === answer : agree(typedNumbers(text, answer.length), answer));
  const tell = (text) => {
    const right = holds(text);
    result.textContent = `You wrote ${text}. ${right ? "That is what comes out." : "Open the answer below and find where it parts."}`;
    result.dataset.right = right;
    form.classList.add("answered");
    form.querySelectorAll("input, button").forEach((input) => { input.disabled = true; });
    document.dispatchEvent(new CustomEvent("headwork:predicted"));
  };
  const attempt = (text) => {
    try {
      tell(text);
      return true;
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      result.textContent = `Not kept: ${error.message}.`;
      return false;
    }
  };
  const before = remembered(key);
  if (before !== null && attempt(before)) show(form, before);
  if (!form.classList.contains("answered")) result.textContent = ""; // the lesson has come to ask for something else
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = String(new FormData(form).get("prediction") ?? "").trim();
    if (!text) result.textContent = "Write or choose an answer first.";
    else if (attempt(text)) remember(key, text);
  });
}

function show(form, text) {
  form.querySelectorAll("input").forEach((input) => {
    if (input.type === "radio") input.checked = input.value === text;
    else input.value = text;
  });
}

/** Keep a folded answer shut until all of its predictions are written. */
export function mountGate(details) {
  const names = details.dataset.gatedBy.split(" ");
  const note = el("p", { class: "gate" }, "The answer opens once your prediction is written. ");
  const open = () => {
    note.remove();
    details.hidden = false;
  };
  const forced = () => {
    open();
    details.querySelector("summary").focus();
  };
  const look = () => {
    const answered = (name) => document.querySelector(`form.predict[data-name="${name}"]`)?.classList.contains("answered");
    if (names.every(answered)) open();
  };
  note.append(el("button", { type: "button", onclick: forced }, "Show it without one"));
  details.hidden = true;
  details.before(note);
  document.addEventListener("headwork:predicted", look);
  look();
}

export function mountQuestion(question, lesson) {
  const key = `${lesson}:quiz:${question.dataset.name}`;
  const inputs = [...question.querySelectorAll("input")];
  const reasons = [...question.querySelectorAll(".reason")];
  const tell = () => {
    reasons.forEach((reason, i) => { reason.hidden = !inputs[i].checked; });
    remember(key, inputs.find((input) => input.checked).value);
  };
  question.addEventListener("change", tell);
  const before = inputs.find((input) => input.value === remembered(key));
  if (before) {
    before.checked = true;
    tell();
  }
}
