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
  const output = el("output", {}, format(value));
  const input = el("input", { type: "range", min, max, step, value });
  input.addEventListener("input", () => {
    output.textContent = format(Number(input.value));
    changed(Number(input.value));
  });
  const labelled = el("label", { class: "control" }, el("span", {}, label), input, output);
  labelled.set = (next) => {
    input.value = next;
    output.textContent = format(next);
  };
  return labelled;
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

/** The colour of a weight from 0 to 1, with the ink that is readable on it. */
export function colour(value) {
  const place = Math.min(Math.max(value, 0), 1) * (SCALE.length - 1);
  const low = Math.min(Math.floor(place), SCALE.length - 2);
  const mixed = SCALE[low].map((part, i) => Math.round(part + (SCALE[low + 1][i] - part) * (place - low)));
  const linear = mixed.map((part) => {
    const channel = part / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return { background: `rgb(${mixed.join(",")})`, ink: luminance > 0.22 ? "#1f2933" : "#fdfdfb" };
}

/** A table of weights as a heatmap. `update(matrix)` writes new values; every cell keeps its full value in data-value. */
export function heatTable({ caption, rows, columns, corner = "" }) {
  const cells = rows.map(() => columns.map(() => el("td", {})));
  const head = el("tr", {}, el("th", { scope: "col" }, corner), ...columns.map((name) => el("th", { scope: "col" }, name)));
  const body = rows.map((name, i) => el("tr", {}, el("th", { scope: "row" }, name), ...cells[i]));
  const table = el("table", { class: "heat" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
  const update = (matrix, text = shown) => {
    matrix.forEach((row, i) => row.forEach((value, j) => {
      const { background, ink } = colour(value);
      const cell = cells[i][j];
      cell.textContent = text(value);
      cell.dataset.value = value;
      cell.style.background = background;
      cell.style.color = ink;
    }));
  };
  return { table, update, rows: body, cells };
}

/** Make an SVG handle draggable by pointer and by arrow keys. `moved(x, y)` gets coordinates of the drawing. */
export function draggable(handle, drawing, { label, step, at, moved }) {
  handle.setAttribute("tabindex", "0");
  handle.setAttribute("role", "slider");
  handle.setAttribute("aria-label", label);
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
    event.preventDefault();
    const [x, y] = at();
    moved(x + by[0], y + by[1]);
  });
}

/** A column of named numbers. `update(values)` writes them; every cell keeps its full value in data-value. */
export function numbers(names) {
  const cells = names.map((name) => el("td", { "data-name": name }));
  const table = el("table", { class: "plain" }, el("tbody", {}, ...names.map((name, i) => el("tr", {}, el("th", { scope: "row" }, name), cells[i]))));
  const update = (values) => values.forEach((value, i) => {
    cells[i].textContent = shown(value, 4);
    cells[i].dataset.value = value;
  });
  return { table, update };
}

/** A bar chart of values from 0 to 1, or around zero when `signed`; the scale follows the largest value then. */
export function bars({ count, label, names = [], signed = false, series = 0 }) {
  const [width, height] = [300, 150];
  const step = width / count;
  const zero = signed ? height / 2 : height;
  const shapes = Array.from({ length: count }, (_, i) => svg("rect", { x: i * step + step * 0.12, width: step * 0.76, class: `series-${series}` }));
  const texts = names.map((name, i) => svg("text", { x: (i + 0.5) * step, y: height + 16, "text-anchor": "middle" }, name));
  const drawing = svg("svg", { viewBox: `0 -16 ${width} ${height + 40}`, role: "img", "aria-label": label, class: "bars" },
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
  return { drawing, update };
}

/** A curve over whole numbers with a mark that can be moved along it. */
export function curve({ xs, ys, xLabel, yLabel, label }) {
  const [width, height, left, bottom] = [320, 180, 44, 34];
  const [low, high] = [Math.min(...ys, 0), Math.max(...ys, 0)];
  const x = (value) => left + ((value - xs[0]) / (xs[xs.length - 1] - xs[0])) * (width - left - 8);
  const y = (value) => 8 + ((high - value) / (high - low || 1)) * (height - bottom - 8);
  const dot = svg("circle", { r: 5, class: "series-1" });
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    svg("line", { x1: left, x2: width - 8, y1: y(0), y2: y(0), class: "axis" }),
    svg("line", { x1: left, x2: left, y1: 8, y2: height - bottom, class: "axis" }),
    svg("polyline", { points: xs.map((value, i) => `${x(value)},${y(ys[i])}`).join(" "), class: "curve series-0" }), dot,
    svg("text", { x: left - 6, y: y(high) + 4, "text-anchor": "end" }, shown(high, 2)),
    svg("text", { x: left - 6, y: y(low) + 4, "text-anchor": "end" }, shown(low, 2)),
    svg("text", { x: left, y: height - 18, "text-anchor": "middle" }, shown(xs[0])),
    svg("text", { x: width - 8, y: height - 18, "text-anchor": "end" }, shown(xs[xs.length - 1])),
    svg("text", { x: (width + left) / 2, y: height - 4, "text-anchor": "middle" }, xLabel),
    svg("text", { x: left + 6, y: 14 }, yLabel));
  const mark = (atX, atY) => {
    dot.setAttribute("cx", x(atX));
    dot.setAttribute("cy", y(atY));
  };
  return { drawing, mark };
}
