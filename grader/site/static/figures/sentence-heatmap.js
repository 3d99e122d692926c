// The weights of one word over all words of a sentence: pick the word, hide the future, change the temperature.
import { checkbox, choice, el, heatTable, shown, slider, softmax } from "../shared.js";

export function mount(root, data) {
  const { words, scores: given } = data; // scores (T, T) are scaled already
  const state = { word: data.word, masked: data.masked ?? false, temperature: 1 };
  const names = words.map((word, i) => `${i} ${word}`);

  const heat = heatTable({ caption: "Weights of all words", rows: names, columns: names });
  const one = heatTable({ caption: "Weights of the chosen word", rows: ["weight"], columns: names });
  const scores = el("tr", {}, el("th", { scope: "row" }, "score"));
  const scoreCells = words.map(() => el("td"));
  scores.append(...scoreCells);
  one.table.querySelector("tbody").prepend(scores);
  const said = el("p", { class: "said", "aria-live": "polite" });

  const score = (i, j) => (state.masked && j > i ? -Infinity : given[i][j] / state.temperature);

  function draw() {
    const rows = words.map((_, i) => words.map((__, j) => score(i, j)));
    const weights = rows.map(softmax);
    heat.update(weights, (value) => (value === 0 ? "0" : shown(value, 2)));
    one.update([weights[state.word]]);
    scoreCells.forEach((cell, j) => {
      const value = rows[state.word][j];
      cell.textContent = value === -Infinity ? "\u2212∞" : shown(value);
      cell.dataset.value = value;
    });
    heat.rows.forEach((row, i) => row.classList.toggle("chosen", i === state.word));
    const row = weights[state.word];
    const top = row.indexOf(Math.max(...row));
    const hidden = state.masked && state.word < words.length - 1 ? ` The ${words.length - 1 - state.word} later words get exactly 0.` : "";
    said.textContent = `“${words[state.word]}” looks most at “${words[top]}”, with ${shown(row[top])}.${hidden}`;
    root.dataset.state = JSON.stringify(state);
  }
  const set = (name) => (value) => {
    state[name] = value;
    draw();
  };
  root.append(
    el("div", { class: "controls" },
      choice("Word that looks", names, { value: state.word, changed: set("word") }),
      checkbox("Hide what comes later (causal mask)", { checked: state.masked, changed: set("masked") }),
      slider("Temperature", { min: 0.1, max: 5, step: 0.1, value: 1, changed: set("temperature") })),
    el("p", { class: "title" }, "The chosen word: scaled scores, then weights"), el("div", { class: "wide" }, one.table), said,
    el("p", { class: "title" }, "All words: a row for each word that looks, a column for each word looked at"), el("div", { class: "wide" }, heat.table));
  draw();
}
