// The scale of a score: which value a digit means, and whether a score asks for an error.

/** @typedef {{ min: number, max: number, step: number, anchors: { value: number, text: string }[] }} Scale */

/**
 * On a scale of at most ten values the digit is the value; on a longer one it counts tenths.
 * @param {Scale} scale
 * @param {string} digit
 * @returns {number | null} a value on the scale
 */
export function readDigit({ min, max, step }, digit) {
  const number = Number(digit), isShort = max - min < 10;
  const value = isShort ? number : min + (number / 10) * (max - min);
  const rounded = min + Math.round((value - min) / step) * step;
  return rounded < min || rounded > max ? null : rounded;
}

/**
 * @param {import("./assess-marks.js").Assessment} assessment
 * @param {{ scale: Scale | null, span_required_below: number | null }} protocol
 * @returns {"score" | "span" | null} what is missing
 */
export function findMissing({ score, spans }, { scale, span_required_below: limit }) {
  if (!scale) return null;
  if (score === null) return "score";
  return limit !== null && score < limit && !spans.length ? "span" : null;
}

/**
 * @param {Scale} scale
 * @param {number} score
 * @returns {string} the words of the scale for this very score
 */
export const describe = ({ anchors }, score) => anchors.find(({ value }) => value === score)?.text ?? "";
