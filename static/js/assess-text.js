// A text in which errors are marked. Places are counted in code points, as the server counts them; the browser counts
// UTF-16 code units.

/** @typedef {readonly [start: number, end: number]} Range in code points, the end exclusive */

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu; // where there is no segmenter

/**
 * Words and single signs, without spaces. The segmenter also knows the words of scripts without spaces.
 * @param {string} text
 * @param {string} language
 * @returns {[number, number][]} in code units
 */
function cutWords(text, language) {
  if (!("Segmenter" in Intl)) {
    return [...text.matchAll(WORD)].map(({ 0: word, index = 0 }) => [index, index + word.length]);
  }
  let segmenter;
  try {
    segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  } catch {
    segmenter = new Intl.Segmenter(undefined, { granularity: "word" }); // not a language tag
  }
  return [...segmenter.segment(text)]
    .filter(({ segment }) => segment.trim()).map(({ segment, index }) => [index, index + segment.length]);
}

export class IndexedText {
  /**
   * @param {string} text
   * @param {string} language
   */
  constructor(text, language) {
    this.text = text;
    /** @type {number[]} code point → its first code unit */
    this.units = [];
    for (let unit = 0; unit < text.length; unit += /** @type {number} */ (text.codePointAt(unit)) > 0xffff ? 2 : 1) {
      this.units.push(unit);
    }
    this.units.push(text.length);
    /** @type {Range[]} */
    this.words = cutWords(text, language).map(([start, end]) => [this.toPoint(start), this.toPoint(end)]);
  }

  get length() {
    return this.units.length - 1;
  }

  /**
   * @param {number} unit
   * @returns {number} the code point at a code unit, or that it is a part of
   */
  toPoint(unit) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.units[middle] <= unit) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  slice(start, end) {
    return this.text.slice(this.units[start], this.units[end]);
  }

  /**
   * @param {number} point
   * @returns {number} the index of the word at a place, or of the nearest; -1 in an empty text
   */
  wordAt(point) {
    let nearest = -1, least = Infinity;
    this.words.forEach(([start, end], k) => {
      const distance = point < start ? start - point : Math.max(0, point - end + 1);
      if (distance < least) [nearest, least] = [k, distance];
    });
    return nearest;
  }

  /**
   * Widens a range to whole words, and takes spaces at its ends away.
   * @param {number} start
   * @param {number} end
   * @returns {Range | null} nothing where there is no word
   */
  snap(start, end) {
    const touched = this.words.filter((word) => word[0] < Math.max(end, start + 1) && word[1] > start);
    if (!touched.length) return null;
    return [touched[0][0], touched[touched.length - 1][1]];
  }

  /**
   * Moves one end of a range by words; at least one word stays.
   * @param {Range} range
   * @param {"start" | "end"} side
   * @param {number} steps
   * @returns {Range}
   */
  moveEnd([start, end], side, steps) {
    const first = this.wordAt(start), last = this.wordAt(end - 1);
    const clamp = (/** @type {number} */ k, /** @type {number} */ low, /** @type {number} */ high) =>
      Math.min(high, Math.max(low, k));
    if (side === "start") return [this.words[clamp(first + steps, 0, last)][0], end];
    return [start, this.words[clamp(last + steps, first, this.words.length - 1)][1]];
  }
}
