// The active row of a page of questions. A row is what a digit answers: a scale, or the steps of a variant;
// a card holds one or more rows.
import { find, findAll, findInput, findInputs } from "./dom.js";

/** @param {Element} row */
export const cardOf = (row) => /** @type {HTMLElement} */ (row.closest(".card"));

/** @param {Element} row */
export const isOpen = (row) => !find("input:checked", row);

/**
 * Whether it was answered before the script ran.
 * @param {Element} row
 */
export const isTouched = (row) => findInputs(row).some((input) => input.checked !== input.defaultChecked);

export class Navigation {
  /**
   * @param {object} options
   * @param {HTMLElement[]} options.rows
   * @param {HTMLElement[]} options.cards numbered cards, which must be answered; other questions are optional
   * @param {(card: string | undefined) => void} [options.onHighlight] with the number of the highlighted card
   */
  constructor({ rows, cards, onHighlight }) {
    this.rows = rows;
    this.cards = cards;
    this.onHighlight = onHighlight;
    this.index = 0;
  }

  get activeRow() {
    return this.rows[this.index];
  }

  get openCards() {
    return this.cards.filter((card) => this.rows.some((row) => cardOf(row) === card && isOpen(row)));
  }

  firstOpen() {
    return this.rows.findIndex((row) => this.cards.includes(cardOf(row)) && isOpen(row));
  }

  /**
   * @param {number} index the nearest row, where there is none of this number
   * @param {boolean} [focus]
   */
  go(index, focus = true) {
    this.index = Math.min(this.rows.length - 1, Math.max(0, index));
    const active = cardOf(this.activeRow);
    for (const row of this.rows) row.classList.toggle("is-on", row === this.activeRow);
    for (const card of findAll("#answers .card")) card.classList.toggle("is-on", card === active);
    this.highlight(active.dataset.card);
    if (focus) (findInput("input:checked", this.activeRow) ?? findInput("input", this.activeRow))?.focus();
  }

  /** Goes to the next open row, or back to the first. */
  goToOpen() {
    const later = this.rows.findIndex((row, i) => i > this.index && isOpen(row));
    const index = later > -1 ? later : this.firstOpen();
    if (index > -1) this.go(index);
  }

  /** @param {string | undefined} number */
  highlight(number) {
    for (const phrase of findAll(".stave .ph")) phrase.classList.toggle("is-on", phrase.dataset.pair === number);
    this.onHighlight?.(number);
  }

  /** Makes the focused row active, and lets phrases of the sentences lead to their cards. */
  watch() {
    document.addEventListener("focusin", ({ target }) => this.#follow(/** @type {Element} */ (target)));
    for (const phrase of findAll(".stave .ph")) {
      for (const type of ["mouseenter", "focus"]) {
        phrase.addEventListener(type, () => this.highlight(phrase.dataset.pair));
      }
      phrase.addEventListener("mouseleave", () => this.highlight(cardOf(this.activeRow).dataset.card));
      phrase.addEventListener("click", (event) => {
        event.preventDefault();
        this.go(this.rows.findIndex((row) => cardOf(row).dataset.card === phrase.dataset.pair));
      });
    }
  }

  /** @param {Element} target */
  #follow(target) {
    const card = target.closest(".card");
    let index = this.rows.findIndex((row) => row.contains(target));
    if (index < 0 && card && card !== cardOf(this.activeRow)) {
      index = this.rows.findIndex((row) => cardOf(row) === card);
    }
    if (index > -1 && index !== this.index) this.go(index, false);
  }
}
