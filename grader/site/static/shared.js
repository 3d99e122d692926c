// What the interactive figures share: making elements, controls, colours, and softmax.

/** An HTML element with attributes and children (strings or elements). */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

/** Three significant digits, with a real minus sign. */
export function shown(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits))).replace("-", "\u2212");
}

/** A labelled slider; `changed(value)` is called as it moves. */
export function slider(label, { min, max, step, value, changed, format = shown }) {
  const output = el("span", { class: "reading", "aria-hidden": "true" });
  const input = el("input", { type: "range", min, max, step, value });
  const say = () => {
    output.textContent = format(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.addEventListener("input", () => {
    say();
    changed(Number(input.value));
  });
  say();
  return el("label", { class: "control" }, el("span", {}, label), input, output);
}

/** A labelled checkbox; `changed(checked)` is called when it is switched. */
export function checkbox(label, { checked, changed }) {
  const input = el("input", { type: "checkbox", checked });
  input.addEventListener("change", () => changed(input.checked));
  return el("label", { class: "control" }, input, el("span", {}, label));
}

/** A labelled choice; `changed(index)` is called when another option is taken. */
export function choice(label, options, { value = 0, changed }) {
  const select = el("select", {}, ...options.map((text, i) => el("option", { value: i, selected: i === value }, text)));
  select.addEventListener("change", () => changed(Number(select.value)));
  return el("label", { class: "control" }, el("span", {}, label), select);
}

/** Softmax of a row; -Infinity gets exactly 0, and a row of nothing but -Infinity gives zeros. */
export function softmax(row) {
  const largest = Math.max(...row);
  if (largest === -Infinity) return row.map(() => 0);
  const exponentials = row.map((score) => Math.exp(score - largest));
  const total = exponentials.reduce((sum, part) => sum + part, 0);
  return exponentials.map((part) => part / total);
}

export function dot(a, b) {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

// The colour scale of the drawn figures, light to dark (YlGnBu), distinct in every common colour blindness.
const SCALE = [
  [255, 255, 217], [237, 248, 177], [199, 233, 180], [127, 205, 187], [65, 182, 196],
  [29, 145, 192], [34, 94, 168], [37, 52, 148], [8, 29, 88],
];

/** The colour of a weight from 0 to 1, with the ink that has at least 4.5 : 1 on it. */
export function colour(value) {
  const place = Math.min(Math.max(value, 0), 1) * (SCALE.length - 1);
  const low = Math.min(Math.floor(place), SCALE.length - 2);
  const mixed = SCALE[low].map((part, i) => Math.round(part + (SCALE[low + 1][i] - part) * (place - low)));
  const linear = mixed.map((part) => {
    const channel = part / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return { background: `rgb(${mixed.join(",")})`, ink: luminance > 0.179 ? "black" : "white" };
}

/** A table; without `rows` it has one row that needs no name. Every cell keeps its full value in data-value. */
function grid(kind, { caption, rows = [""], columns }) {
  const cells = rows.map(() => columns.map((name) => el("td", { "data-name": name })));
  const named = rows[0] !== "";
  const heading = (scope, name) => el("th", { scope }, name);
  const head = el("tr", {}, ...(named ? [el("td")] : []), ...columns.map((name) => heading("col", name)));
  const body = rows.map((name, i) => el("tr", {}, ...(named ? [heading("row", name)] : []), ...cells[i]));
  const table = el("table", { class: kind, "aria-label": caption }, el("thead", {}, head), el("tbody", {}, ...body));
  const write = (matrix, text) => matrix.forEach((row, i) => row.forEach((value, j) => {
    cells[i][j].textContent = text(value);
    cells[i][j].dataset.value = value;
  }));
  return { table, cells, rows: body, write };
}

/** A table of weights as a heatmap. `update(matrix)` writes new values. */
export function heatTable(options) {
  const { table, cells, rows, write } = grid("heat", options);
  const update = (matrix, text = shown) => {
    write(matrix, text);
    matrix.forEach((row, i) => row.forEach((value, j) => {
      const { background, ink } = colour(value);
      cells[i][j].style.background = background;
      cells[i][j].style.color = ink;
    }));
  };
  return { table, update, rows };
}

const ROUNDING = 1e-12; // what floats leave where zero is right

/** A table of numbers. `update(matrix)` writes new values. */
export function numberTable(options) {
  const { table, write } = grid("plain", options);
  return { table, update: (matrix) => write(matrix, (value) => (Math.abs(value) < ROUNDING ? "0" : shown(value, 4))) };
}

/** Make an SVG handle draggable by pointer and by arrow keys. `moved(x, y)` gets coordinates of the drawing. */
export function draggable(handle, drawing, { label, step, at, moved }) {
  handle.setAttribute("tabindex", "0");
  handle.setAttribute("role", "slider");
  handle.setAttribute("aria-label", label);
  handle.setAttribute("aria-roledescription", "draggable point");
  handle.classList.add("handle");
  const toDrawing = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    moved(point.x, point.y);
  };
  handle.addEventListener("pointerdown", (event) => {
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();
    handle.focus();
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) toDrawing(event);
  });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault(); // the page shall not scroll
    const [x, y] = at();
    moved(x + by[0], y + by[1]);
  });
}

/** A bar chart of values from 0 to 1, or around zero when `signed`; then the scale follows the largest value. */
export function bars({ count, label, names = [], signed = false, series = 0 }) {
  const [width, height] = [300, 150];
  const step = width / count;
  const zero = signed ? height / 2 : height;
  const shapes = Array.from({ length: count }, (_, i) => svg("rect", { x: i * step + step * 0.12, width: step * 0.76, class: `series-${series}` }));
  const texts = names.map((name, i) => svg("text", { x: (i + 0.5) * step, y: height + 16, "text-anchor": "middle" }, name));
  const drawing = svg("svg", { viewBox: `0 -16 ${width} ${height + 40}`, role: "img", "aria-label": label, class: "bars" },
    ...(signed ? [] : [svg("line", { x1: 0, x2: width, y1: 0, y2: 0, class: "grid" }), svg("text", { x: 0, y: -4 }, "1")]),
    svg("line", { x1: 0, x2: width, y1: zero, y2: zero, class: "axis" }), ...shapes, ...texts);
  const update = (values) => {
    const largest = signed ? Math.max(1, ...values.map(Math.abs)) : 1;
    values.forEach((value, i) => {
      const size = (Math.abs(value) / largest) * (signed ? height / 2 : height);
      shapes[i].setAttribute("height", size);
      shapes[i].setAttribute("y", value >= 0 ? zero - size : zero);
    });
    drawing.setAttribute("aria-label", `${label}: ${values.map((value) => shown(value, 2)).join(", ")}`);
  };
  return { chart: el("div", {}, el("p", { class: "title" }, label), drawing), update };
}

/** A curve over numbers, `low` to `high`, with a mark. `update(ys, at)` draws it with the mark at the number `at`. */
export function curve({ xs, low, high, xLabel, yLabel, label }) {
  const [width, height, left, bottom, top] = [340, 200, 40, 40, 20];
  const x = (value) => left + ((value - xs[0]) / (xs[xs.length - 1] - xs[0])) * (width - left - 10);
  const y = (value) => top + ((high - value) / (high - low)) * (height - bottom - top);
  const dot = svg("circle", { r: 5, class: "series-1" });
  const line = svg("polyline", { class: "curve series-0" });
  const beside = (value) => svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, shown(value, 2));
  const below = (value) => svg("text", { x: x(value), y: height - 24, "text-anchor": "middle" }, shown(value));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("line", { x1: left, x2: width - 10, y1: y(0), y2: y(0), class: "axis" }),
    svg("line", { x1: left, x2: left, y1: top, y2: height - bottom, class: "axis" }),
    line, dot, beside(high), beside(0), beside(low), below(xs[0]), below(0), below(xs[xs.length - 1]),
    svg("text", { x: x(0), y: height - 6, "text-anchor": "middle" }, xLabel),
    svg("text", { x: left, y: 11, "text-anchor": "middle" }, yLabel));
  const update = (ys, at) => {
    line.setAttribute("points", xs.map((value, i) => `${x(value)},${y(ys[i])}`).join(" "));
    dot.setAttribute("cx", x(at));
    dot.setAttribute("cy", y(ys[xs.indexOf(at)]));
  };
  return { drawing, update };
}
