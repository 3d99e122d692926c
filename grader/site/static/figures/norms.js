// One row through LayerNorm and RMSNorm: move its numbers, add a constant to all, multiply all.
import { bars, el, numberTable, shown, slider } from "../shared.js";

export function mount(root, data) {
  const state = { row: [...data.row], added: 0, factor: 1 };
  const { gain, bias, eps } = data;
  const names = ["The row", "LayerNorm", "RMSNorm"];
  const charts = names.map((label, series) => bars({ count: state.row.length, label, signed: true, series }));
  const table = numberTable({ caption: "The row before and after", rows: names, columns: [...state.row.map((_, i) => `x${i}`), "mean", "rms"] });
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const rms = (values) => Math.sqrt(mean(values.map((value) => value * value)));

  function draw() {
    const row = state.row.map((value) => value * state.factor + state.added);
    const centred = row.map((value) => value - mean(row));
    const over = (values) => values.map((value, i) => (value / Math.sqrt(rms(values) ** 2 + eps)) * gain[i]);
    const all = [row, over(centred).map((value, i) => value + bias[i]), over(row)];
    all.forEach((values, i) => charts[i].update(values));
    table.update(all.map((values) => [...values, mean(values), rms(values)]));
    root.dataset.state = JSON.stringify(state);
  }
  root.append(
    el("div", { class: "controls" },
      ...state.row.map((value, i) => slider(`x${i}`, { min: -4, max: 4, step: 0.1, value, changed: (next) => { state.row[i] = next; draw(); } })),
      slider("add to all", { min: -10, max: 10, step: 0.5, value: 0, changed: (next) => { state.added = next; draw(); } }),
      slider("multiply all by", { min: 0.1, max: 10, step: 0.1, value: 1, changed: (next) => { state.factor = next; draw(); } })),
    el("div", { class: "side-by-side small" }, ...charts.map(({ chart }) => chart)),
    el("div", { class: "wide" }, table.table),
    el("p", { class: "said" }, `gain ${gain.map((x) => shown(x)).join(", ")}; bias ${bias.map((x) => shown(x)).join(", ")}; eps ${shown(eps)}`));
  draw();
}
