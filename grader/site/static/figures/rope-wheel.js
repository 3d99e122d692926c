// Pairs of a query and a key turned by their positions, with the score, which knows only the distance.
import { choice, curve, el, numberTable, shown, slider, svg } from "../shared.js";

const RADIUS = 46;

export function mount(root, data) {
  const { query, key, pairs, bases, positions } = data;
  const state = { m: data.query_position, n: data.key_position, base: data.base };
  const speeds = () => pairs.map((_, j) => state.base ** (-j / pairs.length));
  const turned = (row, position) => speeds().map((speed, j) => {
    const [x, y] = pairs[j].map((column) => row[column]);
    const [cos, sin] = [Math.cos(position * speed), Math.sin(position * speed)];
    return [x * cos - y * sin, x * sin + y * cos];
  });
  const score = (m, n) => {
    const [a, b] = [turned(query, m), turned(key, n)];
    return a.reduce((sum, [x, y], j) => sum + x * b[j][0] + y * b[j][1], 0);
  };
  const longest = Math.max(...[query, key].flatMap((row) => pairs.map((pair) => Math.hypot(...pair.map((column) => row[column])))));

  const wheels = pairs.map((pair) => {
    const arrows = [0, 1].map((series) => svg("line", { x1: 0, y1: 0, class: `arrow series-${series}`, "stroke-dasharray": series ? "5 3" : null }));
    const name = svg("text", { x: 0, y: 66, "text-anchor": "middle" });
    const drawing = svg("svg", { viewBox: "-52 -52 104 124", role: "img" }, svg("circle", { r: RADIUS, class: "grid ring" }), ...arrows, name);
    return { pair, arrows, name, drawing };
  });
  const distances = Array.from({ length: 2 * positions + 1 }, (_, i) => i - positions);
  const line = curve({ xs: distances, low: -score(0, 0), high: score(0, 0), xLabel: "distance m \u2212 n", yLabel: "score", label: "Score against distance" });
  const table = numberTable({ caption: "Distance and score", columns: ["distance m \u2212 n", "score"] });

  function draw() {
    const both = [turned(query, state.m), turned(key, state.n)];
    wheels.forEach(({ pair, arrows, name, drawing }, j) => {
      arrows.forEach((arrow, series) => {
        arrow.setAttribute("x2", (both[series][j][0] / longest) * RADIUS);
        arrow.setAttribute("y2", (-both[series][j][1] / longest) * RADIUS);
      });
      name.textContent = `${shown(speeds()[j])} rad`;
      drawing.setAttribute("aria-label", `Columns ${pair.join(" with ")}, ${shown(speeds()[j])} radians for each position`);
    });
    const distance = state.m - state.n;
    table.update([[distance, score(state.m, state.n)]]);
    line.update(distances.map((far) => score(far, 0)), distance);
    root.dataset.state = JSON.stringify(state);
  }
  const set = (name) => (value) => {
    state[name] = value;
    draw();
  };
  const names = bases.map((base) => base.toLocaleString("en"));
  root.append(
    el("div", { class: "controls" },
      slider("Position m of the query (solid)", { min: 0, max: positions, step: 1, value: state.m, changed: set("m") }),
      slider("Position n of the key (dashed)", { min: 0, max: positions, step: 1, value: state.n, changed: set("n") }),
      choice("Base", names, { value: bases.indexOf(state.base), changed: (i) => set("base")(bases[i]) })),
    el("div", { class: "wheels" }, ...wheels.map(({ drawing }) => drawing)),
    el("div", { class: "side-by-side" }, line.drawing, table.table),
    el("p", { class: "said" }, "Move both sliders by the same amount: all hands turn, and the score stays."));
  draw();
}
