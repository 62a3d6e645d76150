// A text on the page with its marks, and which of its characters is at a point of the screen.
import { cutPieces } from "./assess-pieces.js";

/** @typedef {import("./assess-marks.js").Side} Side */
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
    /** @type {WeakMap<Node, number>} text node → its first code unit in the text */
    this.places = new WeakMap();
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
    this.places = new WeakMap();
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
      this.places.set(node, this.text.units[start]);
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
   * @param {number} x
   * @param {number} y
   * @returns {number | null} the code point at or next to a point of the screen
   */
  pointAt(x, y) {
    const caret = findCaret(x, y), first = caret ? this.places.get(caret.node) : undefined;
    if (caret && first !== undefined) {
      const isInside = caret.offset > 0 && isOver(caret.node, caret.offset - 1, x, y);
      return Math.min(this.text.length - 1, this.text.toPoint(first + caret.offset - (isInside ? 1 : 0)));
    }
    const { top, bottom } = this.element.getBoundingClientRect();
    if (y < top) return 0;
    return y > bottom ? this.text.length - 1 : null;
  }
}

/**
 * @param {number} x
 * @param {number} y
 * @returns {{ node: Node, offset: number } | null}
 */
function findCaret(x, y) {
  if ("caretPositionFromPoint" in document) {
    const position = document.caretPositionFromPoint(x, y);
    return position && { node: position.offsetNode, offset: position.offset };
  }
  const range = /** @type {Document} */ (document).caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

/**
 * Whether a point is on a character; the caret is between characters.
 * @param {Node} node
 * @param {number} offset
 * @param {number} x
 * @param {number} y
 */
function isOver(node, offset, x, y) {
  const range = document.createRange();
  range.setStart(node, offset);
  range.setEnd(node, offset + 1);
  return [...range.getClientRects()].some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
}
