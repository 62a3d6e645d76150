// The two sentences of the alignment editor: words become buttons, which arrow keys move between.
import { findAll, get } from "./dom.js";

/** @typedef {"a" | "b"} Side */

const inner = get(".align-in");

/** On a phone the sentences stand side by side, one word below the other. */
export const isColumn = () => getComputedStyle(inner).flexDirection === "row";

/** @param {Element} button @returns {Side} */
export const sideOf = (button) => /** @type {Side} */ (/** @type {HTMLElement} */ (button).dataset.side);

/** @param {HTMLElement} button */
export const indexOf = (button) => Number(button.dataset.index);

/** @param {HTMLElement} button */
export const textOf = (button) => button.childNodes[1].textContent ?? "";

/**
 * @param {HTMLElement} word with its number and text
 * @param {Side} side
 * @param {number} index
 */
function createButton(word, side, index) {
  const button = document.createElement("button"), state = document.createElement("span");
  button.type = "button";
  button.className = "word";
  button.dataset.side = side;
  button.dataset.index = String(index);
  state.className = "vh";
  button.append(...word.childNodes, state);
  get("i", button).setAttribute("aria-hidden", "true");
  button.tabIndex = index ? -1 : 0;
  button.setAttribute("aria-pressed", "false");
  word.replaceWith(button);
  return button;
}

/** @returns {Record<Side, HTMLButtonElement[]>} */
export function createButtons() {
  /** @type {Record<Side, HTMLButtonElement[]>} */
  const rows = { a: [], b: [] };
  for (const row of findAll(".align-row")) {
    const side = sideOf(row);
    rows[side] = findAll("[data-word]", row).map((word, index) => createButton(word, side, index));
  }
  return rows;
}

export class WordNavigation {
  /** @param {Record<Side, HTMLButtonElement[]>} rows */
  constructor(rows) {
    this.rows = rows;
  }

  /** @param {HTMLButtonElement} button the only one of its sentence that Tab reaches */
  focus(button) {
    for (const other of this.rows[sideOf(button)]) other.tabIndex = other === button ? 0 : -1;
    button.focus();
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} key
   * @returns {HTMLButtonElement | null} where the key leads; null where it is no arrow
   */
  target(button, key) {
    const row = this.rows[sideOf(button)];
    const offset = this.#offset(button, key);
    if (offset) return row[indexOf(button) + offset] ?? button;
    if (key === "Home") return row[0];
    if (key === "End") return row[row.length - 1];
    return key.startsWith("Arrow") ? this.#nearestAcross(button) : null;
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {string} key
   */
  #offset(button, key) {
    if (isColumn()) return { ArrowUp: -1, ArrowDown: 1 }[key];
    const isRightToLeft = getComputedStyle(/** @type {Element} */ (button.parentElement)).direction === "rtl";
    const forward = isRightToLeft ? -1 : 1;
    return { ArrowLeft: -forward, ArrowRight: forward }[key];
  }

  /** @param {HTMLButtonElement} button */
  #nearestAcross(button) {
    const column = isColumn();
    /** @param {Element} word */
    const centre = (word) => {
      const box = word.getBoundingClientRect();
      return column ? box.top + box.height / 2 : box.left + box.width / 2;
    };
    const here = centre(button);
    /** @type {HTMLButtonElement | null} */
    let nearest = null;
    for (const word of this.rows[sideOf(button) === "a" ? "b" : "a"]) {
      if (!nearest || Math.abs(centre(word) - here) < Math.abs(centre(nearest) - here)) nearest = word;
    }
    return nearest;
  }
}
