// Brings a page to life once it is there. `figures` maps names to the modules of the interactive figures.
import { mountGate, mountPrediction, mountQuestion } from "./practice.js";

const lesson = document.querySelector("meta[name='headwork-lesson']")?.content ?? "";
document.querySelectorAll("form.predict").forEach((form) => mountPrediction(form, lesson));
document.querySelectorAll("details.gated").forEach(mountGate);
document.querySelectorAll("fieldset.question").forEach((question) => mountQuestion(question, lesson));
document.querySelectorAll("figure.interactive").forEach((figure) => {
  const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  figures[figure.dataset.figure](figure.querySelector(".stage"), data);
});
