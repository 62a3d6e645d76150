// A text on the page with its marks, and which of its characters is at a point of the screen.
import { cutPieces } from "./assess-pieces.js";

const LINE = 10_000; // a pixel to another line is farther than any on the same

/** @typedef {import("./assess-marks.js").Side} Side */
/** @typedef {import("./assess-text.js").Range} Range */
/**
 * @typedef {object} Look of a mark
 * @property {"mark" | "span"} tag
 * @property {string} css
 * @property {string} [name] said before the words, for those who do not see the mark
 */

export class TextView {
  /**
   * @param {HTMLElement} element
   * @param {import("./assess-text.js").IndexedText} text
   * @param {Side} side
   */
  constructor(element, text, side) {
    this.element = element;
    this.text = text;
    this.side = side;
    /** @type {{ node: Text, first: number }[]} with the first code unit of each in the text */
    this.nodes = [];
    /** @type {Map<unknown, HTMLElement[]>} mark → its elements, more than one where marks cross */
    this.drawn = new Map();
  }

  /**
   * @param {readonly import("./assess-pieces.js").Mark<Look>[]} marks
   * @param {readonly Node[]} [after] follow the text
   */
  draw(marks, after = []) {
    const root = document.createDocumentFragment();
    /** @type {{ mark: unknown, element: HTMLElement }[]} */
    const open = [];
    this.nodes = [];
    this.drawn = new Map();
    for (const { start, end, covers } of cutPieces(this.text.length, marks)) {
      let shared = 0;
      while (shared < open.length && open[shared].mark === covers[shared]) shared++;
      open.length = shared;
      for (const mark of covers.slice(shared)) {
        const element = this.#create(mark, this.drawn.has(mark));
        (open.at(-1)?.element ?? root).append(element);
        open.push({ mark, element });
        this.drawn.set(mark, [...this.drawn.get(mark) ?? [], element]);
      }
      const node = document.createTextNode(this.text.slice(start, end));
      this.nodes.push({ node, first: this.text.units[start] });
      (open.at(-1)?.element ?? root).append(node);
    }
    this.element.replaceChildren(root, ...after);
  }

  /**
   * @param {import("./assess-pieces.js").Mark<Look>} mark
   * @param {boolean} isContinued
   */
  #create({ what: { tag, css, name } }, isContinued) {
    const element = document.createElement(tag);
    element.className = css;
    if (!name || isContinued) return element;
    const label = element.appendChild(document.createElement("span"));
    label.className = "vh";
    label.lang = document.documentElement.lang;
    label.textContent = `${name}: `;
    return element;
  }

  /**
   * The browsers' own carets stay away from text that cannot be selected, so words are looked for by their boxes.
   * @param {number} x
   * @param {number} y
   * @returns {number | null} the code point at or nearest to a point of the screen; none in an empty text
   */
  pointAt(x, y) {
    const { words } = this.text, [start, end] = words[this.#findNearest(words, x, y)] ?? [0, 0];
    const characters = Array.from({ length: end - start }, (_, k) => /** @type {Range} */ ([start + k, start + k + 1]));
    return characters.length ? start + this.#findNearest(characters, x, y) : null;
  }

  /**
   * @param {readonly Range[]} ranges
   * @param {number} x
   * @param {number} y
   * @returns {number} the index of the nearest: first the line counts, then the place on it
   */
  #findNearest(ranges, x, y) {
    let nearest = -1, least = Infinity;
    ranges.forEach((range, k) => {
      for (const box of this.#boxesOf(range)) {
        const across = Math.max(0, box.left - x, x - box.right), down = Math.max(0, box.top - y, y - box.bottom);
        if (LINE * down + across < least) [nearest, least] = [k, LINE * down + across];
      }
    });
    return nearest;
  }

  /** @param {Range} range */
  #boxesOf([start, end]) {
    const range = document.createRange(), from = this.text.units[start], to = this.text.units[end];
    for (const { node, first } of this.nodes) {
      if (first <= from) range.setStart(node, Math.min(from - first, node.length));
      if (first < to) range.setEnd(node, Math.min(to - first, node.length));
    }
    return range.getClientRects();
  }
}
