// The logit of the right token, and with it the probabilities, the loss and its gradient.
import { bars, choice, el, numbers, slider, softmax } from "../shared.js";

export function mount(root, data) {
  const { tokens } = data;
  const state = { logits: [...data.logits], target: data.target };
  const probabilities = bars({ count: tokens.length, label: "Probability of each token", names: tokens });
  const gradients = bars({ count: tokens.length, label: "Gradient of the loss by each logit", names: tokens, signed: true, series: 1 });
  const table = numbers(["loss in nats", "perplexity of this one token"]);
  const each = numbers(tokens.map((token) => `p(${token})`));
  const slopes = numbers(tokens.map((token) => `gradient ${token}`));

  function draw() {
    const p = softmax(state.logits);
    const largest = Math.max(...state.logits);
    const logTotal = largest + Math.log(state.logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
    const loss = logTotal - state.logits[state.target];
    const gradient = p.map((value, i) => value - (i === state.target ? 1 : 0));
    probabilities.update(p);
    gradients.update(gradient);
    each.update(p);
    slopes.update(gradient);
    table.update([loss, Math.exp(loss)]);
    root.dataset.state = JSON.stringify(state);
  }
  const sliders = tokens.map((token, i) => slider(`logit of ${token}`, { min: -10, max: 10, step: 0.1, value: state.logits[i], changed: (value) => { state.logits[i] = value; draw(); } }));
  root.append(
    el("div", { class: "controls" }, choice("The right token", tokens, { value: state.target, changed: (target) => { state.target = target; draw(); } }), ...sliders),
    el("div", { class: "side-by-side" },
      el("div", {}, el("p", { class: "which" }, "Probabilities"), probabilities.drawing),
      el("div", {}, el("p", { class: "which" }, "Gradient by each logit"), gradients.drawing)),
    el("div", { class: "side-by-side" }, table.table, each.table, slopes.table));
  draw();
}
