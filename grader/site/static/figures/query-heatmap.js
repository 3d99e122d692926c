// Two queries that can be dragged about, and the heatmap of their weights over fixed keys.
import { dot, draggable, el, heatTable, shown, softmax, svg } from "../shared.js";

const REACH = 4; // the plane shows -4 to 4 in both coordinates
const SIZE = 260;

export function mount(root, data) {
  const keys = data.keys;
  const queries = data.queries.map((query) => [...query]);
  const scale = Math.sqrt(keys[0].length);

  const toPlane = (value) => (value / REACH) * (SIZE / 2);
  const fromPlane = (value) => Math.round((value / (SIZE / 2)) * REACH * 10) / 10;
  const drawing = svg("svg", { viewBox: `${-SIZE / 2 - 12} ${-SIZE / 2 - 12} ${SIZE + 24} ${SIZE + 24}`, class: "plane", role: "group", "aria-label": "Plane of queries and keys" });
  for (let tick = -REACH; tick <= REACH; tick += 1) {
    const at = toPlane(tick);
    const kind = tick === 0 ? "axis" : "grid";
    drawing.append(svg("line", { x1: at, y1: -SIZE / 2, x2: at, y2: SIZE / 2, class: kind }));
    drawing.append(svg("line", { y1: at, x1: -SIZE / 2, y2: at, x2: SIZE / 2, class: kind }));
  }
  keys.forEach((key, j) => {
    drawing.append(svg("rect", { x: toPlane(key[0]) - 5, y: -toPlane(key[1]) - 5, width: 10, height: 10, class: "key" }));
    drawing.append(svg("text", { x: toPlane(key[0]) + 8, y: -toPlane(key[1]) - 6 }, `k${j}`));
  });

  const names = (row) => row.map((query, i) => `q${i} (${query.map((x) => shown(x)).join(", ")})`);
  const heat = heatTable({
    caption: "Weights: a row for each query, a column for each key",
    rows: names(queries),
    columns: keys.map((key, j) => `k${j} (${key.join(", ")})`),
  });
  const said = el("p", { class: "said", "aria-live": "polite" }, "Drag a round query, or move it with the arrow keys. The squares are the keys.");

  const handles = queries.map((_, i) => {
    const line = svg("line", { x1: 0, y1: 0, class: `arrow series-${i}` });
    const handle = svg("circle", { r: 9, class: `series-${i}` });
    const name = svg("text", { class: "query-name" }, `q${i}`);
    drawing.append(line, name, handle);
    draggable(handle, drawing, {
      label: `Query q${i}`,
      step: toPlane(0.1),
      at: () => [toPlane(queries[i][0]), -toPlane(queries[i][1])],
      moved: (x, y) => {
        const within = (value) => Math.min(Math.max(fromPlane(value), -REACH), REACH);
        queries[i] = [within(x), within(-y)];
        draw(i);
      },
    });
    return { line, handle, name };
  });

  function draw(changed) {
    const weights = queries.map((query) => softmax(keys.map((key) => dot(query, key) / scale)));
    heat.update(weights);
    queries.forEach((query, i) => {
      const [x, y] = [toPlane(query[0]), -toPlane(query[1])];
      const { line, handle, name } = handles[i];
      line.setAttribute("x2", x);
      line.setAttribute("y2", y);
      handle.setAttribute("cx", x);
      handle.setAttribute("cy", y);
      handle.setAttribute("aria-valuemin", -REACH);
      handle.setAttribute("aria-valuemax", REACH);
      handle.setAttribute("aria-valuenow", query[0]);
      handle.setAttribute("aria-valuetext", query.map((part) => shown(part)).join(", "));
      name.setAttribute("x", x + 12);
      name.setAttribute("y", y + 4);
      heat.rows[i].firstChild.textContent = names(queries)[i];
    });
    root.dataset.state = JSON.stringify({ queries });
    if (changed === undefined) return;
    const row = weights[changed];
    const top = row.indexOf(Math.max(...row));
    said.textContent = `q${changed} gives most, ${shown(row[top])}, to k${top}.`;
  }

  root.append(el("div", { class: "side-by-side" }, drawing, el("div", {}, el("p", { class: "title" }, "Weights: a row for each query, a column for each key"), heat.table, said)));
  draw();
}
