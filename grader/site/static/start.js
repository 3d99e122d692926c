// Brings a page to life once it is there. `figures` maps names to the modules of the interactive figures.
import { mountFilter } from "./gallery.js";
import { mountGate, mountPrediction, mountQuestion } from "./practice.js";

const lesson = document.querySelector("meta[name='headwork-lesson']")?.content ?? "";
document.querySelectorAll("form.predict").forEach((form) => mountPrediction(form, lesson));
document.querySelectorAll("details.gated").forEach(mountGate);
document.querySelectorAll("fieldset.question").forEach((question) => mountQuestion(question, lesson));
document.querySelectorAll(".find").forEach((find) => mountFilter(find.closest("article")));
document.querySelectorAll("figure.interactive").forEach((figure) => {
  const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  figures[figure.dataset.figure](figure.querySelector(".stage"), data);
});

// Two unnamed asides would be one and the same for who hears the page; what scrolls sideways has to be reached by key.
document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Lessons");
document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
const wide = new ResizeObserver((boxes) => boxes.forEach(({ target }) => {
  if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
  else target.removeAttribute("tabindex");
}));
document.querySelectorAll("article pre, .table-wrapper, div.math, .matrix, .wide, .side-by-side > *").forEach((box) => wide.observe(box));
