// The filter of a lesson's mistakes: what is typed has to stand in a mistake's title, check or question.
import { el } from "./shared.js";

export function mountFilter(page) {
  const mistakes = [...page.querySelectorAll(".mistake")];
  const groups = [...page.querySelectorAll(".given")];
  const texts = mistakes.map((mistake) => mistake.textContent.toLowerCase());
  const count = el("output", {}, "");
  const input = el("input", { type: "search", id: "find-mistake", autocomplete: "off", placeholder: "softmax, keepdims, float32 …" });
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    mistakes.forEach((mistake, i) => { mistake.hidden = !words.every((word) => texts[i].includes(word)); });
    groups.forEach((group) => { group.hidden = !group.querySelector(".mistake:not([hidden])"); });
    const left = mistakes.filter((mistake) => !mistake.hidden).length;
    count.textContent = words.length ? `${left} of ${mistakes.length}` : "";
  };
  input.addEventListener("input", filter);
  page.querySelector(".find").append(el("label", { for: "find-mistake" }, "Find a mistake"), input, count);
}
