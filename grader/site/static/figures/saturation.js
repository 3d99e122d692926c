// Sixteen scores of random rows at a chosen width: what softmax makes of them with and without the division by √Dk.
import { bars, checkbox, el, numberTable, shown, slider, softmax } from "../shared.js";

export function mount(root, data) {
  const state = { width: 64, scaled: false };
  const weightBars = bars({ count: data.normals.length, label: "Weights of the sixteen keys" });
  const table = numberTable({ caption: "What it comes to", columns: ["spread of the scores", "largest weight", "size of the Jacobian"] });

  function draw() {
    const factor = state.scaled ? 1 : Math.sqrt(state.width);
    const scores = data.normals.map((value) => value * factor);
    const weights = softmax(scores);
    const mean = scores.reduce((sum, value) => sum + value, 0) / scores.length;
    const spread = Math.sqrt(scores.reduce((sum, value) => sum + (value - mean) ** 2, 0) / scores.length);
    const squares = weights.flatMap((p, i) => weights.map((q, j) => ((i === j ? p : 0) - p * q) ** 2));
    weightBars.update(weights);
    table.update([[spread, Math.max(...weights), Math.sqrt(squares.reduce((sum, value) => sum + value, 0))]]);
    root.dataset.state = JSON.stringify(state);
  }
  root.append(
    el("div", { class: "controls" },
      slider("Width Dk", { min: 1, max: 10, step: 1, value: Math.log2(state.width), format: (power) => shown(2 ** power, 4), changed: (power) => { state.width = 2 ** power; draw(); } }),
      checkbox("Divide by √Dk", { checked: false, changed: (scaled) => { state.scaled = scaled; draw(); } })),
    el("div", { class: "side-by-side" }, weightBars.chart, el("div", { class: "wide" }, table.table)));
  draw();
}
