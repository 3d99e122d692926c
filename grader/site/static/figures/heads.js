// The heads of one layer: switch some off and see what is left of the output.
import { checkbox, choice, el, heatTable, numberTable, shown } from "../shared.js";

export function mount(root, data) {
  const { words, weights, parts } = data; // (T), (H, T, T) and (H, T, D): the output is the sum of the parts over the heads
  const state = { on: weights.map(() => true), position: parts[0].length - 1 };
  const heats = weights.map((matrix, h) => {
    const heat = heatTable({ caption: `Weights of head ${h}`, rows: words, columns: words });
    heat.update(matrix, (value) => (value === 0 ? "0" : shown(value, 2)));
    const box = checkbox(`Head ${h} is on`, { checked: true, changed: (on) => { state.on[h] = on; draw(); } });
    return { panel: el("div", { class: "head" }, box, heat.table) };
  });
  const table = numberTable({ caption: "What is left", columns: [...parts[0][0].map((_, i) => `output ${i}`), "share of the output that is lost"] });
  const said = el("p", { class: "said", "aria-live": "polite" });

  const sum = (keep, t) => parts[0][0].map((_, i) => parts.reduce((total, part, h) => total + (keep[h] ? part[t][i] : 0), 0));
  const length = (row) => Math.sqrt(row.reduce((total, value) => total + value * value, 0));

  function draw() {
    const all = sum(state.on.map(() => true), state.position);
    const left = sum(state.on, state.position);
    const lost = length(all.map((value, i) => value - left[i])) / length(all);
    table.update([[...left, lost]]);
    heats.forEach(({ panel }, h) => panel.classList.toggle("off", !state.on[h]));
    said.textContent = state.on.every(Boolean) ? "All heads add up to the output." : `Without ${state.on.map((on, h) => (on ? "" : `head ${h}`)).filter(Boolean).join(" and ")} the output of “${words[state.position]}” moves by ${shown(lost)} of its length.`;
    root.dataset.state = JSON.stringify(state);
  }
  root.append(
    el("div", { class: "controls" }, choice("Output of", words, { value: state.position, changed: (t) => { state.position = t; draw(); } })),
    el("div", { class: "side-by-side heads" }, ...heats.map(({ panel }) => panel)),
    el("div", { class: "wide" }, table.table), said);
  draw();
}
