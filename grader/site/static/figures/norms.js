// One row through LayerNorm and RMSNorm: move its numbers, add a constant to all, multiply all.
import { bars, el, numbers, shown, slider } from "../shared.js";

export function mount(root, data) {
  const state = { row: [...data.row], added: 0, factor: 1 };
  const { gain, bias, eps } = data;
  const charts = ["the row", "LayerNorm", "RMSNorm"].map((name) => bars({ count: state.row.length, label: name, signed: true, series: ["the row", "LayerNorm", "RMSNorm"].indexOf(name) }));
  const table = numbers(["mean of the row", "rms of the row"]);
  const outputs = ["LayerNorm", "RMSNorm"].map((name) => numbers(state.row.map((_, i) => `${name} ${i}`)));

  function draw() {
    const row = state.row.map((value) => value * state.factor + state.added);
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const square = row.reduce((sum, value) => sum + value * value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    const layer = row.map((value, i) => ((value - mean) / Math.sqrt(variance + eps)) * gain[i] + bias[i]);
    const rms = row.map((value, i) => (value / Math.sqrt(square + eps)) * gain[i]);
    [row, layer, rms].forEach((values, i) => charts[i].update(values));
    table.update([mean, Math.sqrt(square)]);
    outputs[0].update(layer);
    outputs[1].update(rms);
    root.dataset.state = JSON.stringify(state);
  }
  root.append(
    el("div", { class: "controls" },
      ...state.row.map((value, i) => slider(`x${i}`, { min: -4, max: 4, step: 0.1, value, changed: (next) => { state.row[i] = next; draw(); } })),
      slider("add to all", { min: -10, max: 10, step: 0.5, value: 0, changed: (next) => { state.added = next; draw(); } }),
      slider("multiply all by", { min: 0.1, max: 10, step: 0.1, value: 1, changed: (next) => { state.factor = next; draw(); } })),
    el("div", { class: "side-by-side" }, ...charts.map((chart, i) => el("div", {}, el("p", { class: "which" }, ["The row", "LayerNorm", "RMSNorm"][i]), chart.drawing))),
    el("div", { class: "side-by-side" }, table.table, outputs[0].table, outputs[1].table),
    el("p", { class: "said" }, `gain ${gain.map((x) => shown(x)).join(", ")}; bias ${bias.map((x) => shown(x)).join(", ")}; eps ${shown(eps)}`));
  draw();
}
