// A text cut where marks begin and end, so that marks may overlap: each piece knows what covers it.

/**
 * @template T
 * @typedef {{ start: number, end: number, what: T }} Mark a range and what it means
 */
/**
 * @template T
 * @typedef {{ start: number, end: number, covers: Mark<T>[] }} Piece
 */

/**
 * @template T
 * @param {number} length of the text
 * @param {readonly Mark<T>[]} marks
 * @returns {Piece<T>[]} all of the text, in order. What covers a piece is in the order in which it begins, the longer
 *   first: marks inside each other stay whole where one element is nested in the other.
 */
export function cutPieces(length, marks) {
  const inside = marks.filter(({ start, end }) => start < end && start < length)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  const borders = new Set([0, length]);
  for (const { start, end } of inside) borders.add(start).add(Math.min(end, length));
  const sorted = [...borders].sort((a, b) => a - b);
  return sorted.slice(1).map((end, k) => ({
    start: sorted[k], end, covers: inside.filter((mark) => mark.start <= sorted[k] && mark.end >= end),
  }));
}
