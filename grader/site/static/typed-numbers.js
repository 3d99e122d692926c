// Numbers as a person types them, by the rules of `grade predict`: what is understood, and what agrees with what.

const CLOSE = 0.01; // relative: what a calculation in the head may be off
const ZERO = 1e-9; // floats leave something like 1e-17 where zero is right
const LONGEST = 200;
const FORMS = "such as 2, -0.5, .33, 1/3, 33% or 1e-3";
const DIGITS = "[0-9]+";
const DECIMAL = new RegExp(`^[-+]?(?:${DIGITS}(?:\\.(${DIGITS})?)?|\\.(${DIGITS}))(?:e([-+]?${DIGITS}))?$`, "i");

/** What was typed is not what was asked; the message says what is expected. */
export class NotUnderstood extends Error {}

/** The `count` numbers in `text`, each as { value, decimals }; decimals is null where a number is exact, as 1/3 is. */
export function typedNumbers(text, count) {
  if ([...text].length > LONGEST) throw new NotUnderstood(`that is long; ${expected(count)}`);
  const plain = text.replace(/[\u2212\u2013\u2011]/g, "-").trim().replace(/\s*(\/)\s*|\s+(%)/g, (_, slash, percent) => slash ?? percent);
  const tokens = plain.replace(/[[\](){};,]/g, " ").split(/\s+/).filter(Boolean);
  if (count === 1 && /,\d|\d,/.test(plain)) {
    const point = tokens.length > 1 ? tokens.join(".") : `0.${tokens[0]}`;
    throw new NotUnderstood(`${text.trim()} could be two numbers; a decimal takes a point: ${point}`);
  }
  const found = tokens.map(oneNumber);
  if (found.length !== count) {
    const comma = /\d,\d/.test(plain) ? "; a decimal takes a point, as in 0.5" : "";
    throw new NotUnderstood(`${found.length} ${found.length === 1 ? "number" : "numbers"}; ${expected(count)}${comma}`);
  }
  return found;
}

/** Whether each of the numbers is the right one at its place. */
export function agree(typed, right) {
  return typed.length === right.length && typed.every((one, i) => agrees(one, right[i]));
}

/** Within 1 %, or `right` rounded to the decimals typed; two decimals or more may also be cut off. */
function agrees({ value, decimals }, right) {
  const error = Math.abs(value - right);
  if (Math.abs(right) < ZERO) return error < ZERO;
  if (error <= CLOSE * Math.abs(right) * (1 + ZERO)) return true;
  if (decimals === null || decimals < 1 || value === 0) return false;
  const unit = 10 ** -decimals * (1 + ZERO);
  const cutOff = decimals >= 2 && Math.abs(value) < Math.abs(right) && error < unit;
  return error <= unit / 2 || cutOff;
}

function expected(count) {
  return count === 1 ? `expected is a number, ${FORMS}` : `expected are ${count} numbers, each ${FORMS}`;
}

function oneNumber(token) {
  const number = token.replace(/%$/, "");
  const [above, below, ...more] = number.split("/");
  const match = DECIMAL.exec(above);
  const known = match && !more.length && (below === undefined || DECIMAL.test(below));
  const value = known ? float(above) / (below === undefined ? 1 : float(below)) / (number === token ? 1 : 100) : NaN;
  if (!Number.isFinite(value)) throw new NotUnderstood(`${token} is no number; write it ${FORMS}`);
  const digits = (match[1] ?? match[2] ?? "").replaceAll("_", "").length;
  const decimals = digits - float(match[3] ?? "0") + (number === token ? 0 : 2);
  return { value, decimals: below === undefined ? decimals : null };
}

function float(text) {
  return Number(text.replaceAll("_", ""));
}
