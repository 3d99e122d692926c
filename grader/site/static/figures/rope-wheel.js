// Pairs of a query and a key turned by their positions, and the score, which knows only the distance.
import { curve, el, numbers, shown, slider, svg } from "../shared.js";

const RADIUS = 46;

export function mount(root, data) {
  const { query, key, base } = data;
  const pairs = query.length / 2;
  const state = { m: 12, n: 4 };
  const speeds = Array.from({ length: pairs }, (_, j) => base ** (-j / pairs));
  const turned = (row, position) => speeds.map((speed, j) => {
    const [x, y] = [row[2 * j], row[2 * j + 1]];
    const [cos, sin] = [Math.cos(position * speed), Math.sin(position * speed)];
    return [x * cos - y * sin, x * sin + y * cos];
  });
  const score = (m, n) => {
    const [a, b] = [turned(query, m), turned(key, n)];
    return a.reduce((sum, [x, y], j) => sum + x * b[j][0] + y * b[j][1], 0);
  };
  const longest = Math.max(...speeds.map((_, j) => Math.hypot(query[2 * j], query[2 * j + 1])), ...speeds.map((_, j) => Math.hypot(key[2 * j], key[2 * j + 1])));

  const wheels = speeds.map((speed, j) => {
    const arrows = [0, 1].map((series) => svg("line", { x1: 0, y1: 0, class: `arrow series-${series}`, "stroke-dasharray": series ? "5 3" : null }));
    const drawing = svg("svg", { viewBox: "-56 -56 112 130", role: "img", "aria-label": `Pair ${j}, ${shown(speed)} radians for each position` },
      svg("circle", { r: RADIUS, class: "grid ring" }), ...arrows, svg("text", { x: 0, y: 70, "text-anchor": "middle" }, `${shown(speed)} rad`));
    return { arrows, drawing };
  });
  const distances = Array.from({ length: 129 }, (_, i) => i - 64);
  const line = curve({ xs: distances, ys: distances.map((distance) => score(distance, 0)), xLabel: "distance", yLabel: "score", label: "Score against distance" });
  const table = numbers(["distance m \u2212 n", "score"]);

  function draw() {
    const both = [turned(query, state.m), turned(key, state.n)];
    wheels.forEach(({ arrows }, j) => arrows.forEach((arrow, series) => {
      arrow.setAttribute("x2", (both[series][j][0] / longest) * RADIUS);
      arrow.setAttribute("y2", (-both[series][j][1] / longest) * RADIUS);
    }));
    const distance = state.m - state.n;
    table.update([distance, score(state.m, state.n)]);
    line.mark(distance, score(state.m, state.n));
    root.dataset.state = JSON.stringify(state);
  }
  const set = (name) => (value) => {
    state[name] = value;
    draw();
  };
  root.append(
    el("div", { class: "controls" },
      slider("Position m of the query (solid)", { min: 0, max: 64, step: 1, value: state.m, changed: set("m") }),
      slider("Position n of the key (dashed)", { min: 0, max: 64, step: 1, value: state.n, changed: set("n") })),
    el("div", { class: "wheels" }, ...wheels.map(({ drawing }) => drawing)),
    el("div", { class: "side-by-side" }, line.drawing, table.table),
    el("p", { class: "said" }, "Move both sliders by the same amount: all arrows turn, and the score stays."));
  draw();
}
