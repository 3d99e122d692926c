// The logit of the right token, and with it the probabilities, the loss and its gradient.
import { bars, choice, el, numberTable, slider, softmax } from "../shared.js";

export function mount(root, data) {
  const { tokens } = data;
  const state = { logits: [...data.logits], target: data.target };
  const probabilities = bars({ count: tokens.length, label: "Probabilities", names: tokens });
  const gradients = bars({ count: tokens.length, label: "Gradient of the loss by each logit", names: tokens, signed: true, series: 1 });
  const table = numberTable({ caption: "What the right token costs", columns: ["loss in nats", "perplexity of this one token"] });
  const each = numberTable({ caption: "Every token", rows: ["probability", "gradient"], columns: tokens });

  function draw() {
    const p = softmax(state.logits);
    const largest = Math.max(...state.logits);
    const logTotal = largest + Math.log(state.logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
    const loss = logTotal - state.logits[state.target];
    const gradient = p.map((value, i) => value - (i === state.target ? 1 : 0));
    probabilities.update(p);
    gradients.update(gradient);
    each.update([p, gradient]);
    table.update([[loss, Math.exp(loss)]]);
    root.dataset.state = JSON.stringify(state);
  }
  const sliders = tokens.map((token, i) => slider(`logit of ${token}`, { min: -10, max: 10, step: 0.1, value: state.logits[i], changed: (value) => { state.logits[i] = value; draw(); } }));
  root.append(
    el("div", { class: "controls" }, choice("The right token", tokens, { value: state.target, changed: (target) => { state.target = target; draw(); } }), ...sliders),
    el("div", { class: "side-by-side" }, probabilities.chart, gradients.chart),
    el("div", { class: "wide" }, each.table), el("div", { class: "wide" }, table.table));
  draw();
}
