// The active row of a page of questions. A row is what a digit answers: a scale, or the steps of a variant;
// a card holds one or more rows.
import { find, findAll, findInputs, get } from "./dom.js";

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
   * @param {import("./band.js").Band} options.band
   * @param {() => void} options.onMove after another row became active
   * @param {(phrase: HTMLElement) => void} options.onPhrase for a phrase of the sentences
   */
  constructor({ rows, cards, band, onMove, onPhrase }) {
    this.rows = rows;
    this.cards = cards;
    this.band = band;
    this.onMove = onMove;
    this.onPhrase = onPhrase;
    this.index = 0;
    this.isPressed = false;
  }

  get activeRow() {
    return this.rows[this.index];
  }

  get activeCard() {
    return cardOf(this.activeRow);
  }

  get openCards() {
    return this.cards.filter((card) => this.rows.some((row) => cardOf(row) === card && isOpen(row)));
  }

  firstOpen() {
    return this.rows.findIndex((row) => this.cards.includes(cardOf(row)) && isOpen(row));
  }

  /**
   * @param {number} index the nearest row, where there is none of this number
   * @param {boolean} [focus] on the card or its group, never on an answer, which would look chosen
   * @param {boolean} [scroll]
   */
  go(index, focus = true, scroll = true) {
    this.index = Math.min(this.rows.length - 1, Math.max(0, index));
    const active = this.activeCard;
    for (const row of this.rows) row.classList.toggle("is-on", row === this.activeRow);
    for (const card of findAll("#answers .card")) card.classList.toggle("is-on", card === active);
    this.band.show(active.dataset.card);
    if (focus) /** @type {HTMLElement | null} */ (this.activeRow.closest("[tabindex]"))?.focus({ preventScroll: true });
    this.onMove();
    if (scroll) this.scroll();
  }

  /** Brings the active card to the top of the list. */
  scroll() {
    if (this.activeRow === this.rows[0]) get(".main").scrollTop = 0;
    this.activeCard.scrollIntoView({ block: this.activeRow === this.rows[0] ? "nearest" : "start" });
  }

  /** Goes to the next open row, or back to the first; stays where none is open. */
  goToOpen() {
    const later = this.rows.findIndex((row, i) => i > this.index && isOpen(row));
    const index = later > -1 ? later : this.firstOpen();
    this.go(index > -1 ? index : this.index);
  }

  /**
   * @param {number} steps to another card
   * @returns {boolean} whether there is one
   */
  step(steps) {
    const cards = [...new Set(this.rows.map(cardOf))], card = cards[cards.indexOf(this.activeCard) + steps];
    if (card) this.go(this.rows.findIndex((row) => cardOf(row) === card));
    return Boolean(card);
  }

  /**
   * Moves the focus along the answers of the active row, and chooses none.
   * @param {number} steps
   */
  focusChoice(steps) {
    const inputs = findInputs(this.activeRow);
    const from = inputs.findIndex((input) => input === document.activeElement);
    const start = from > -1 ? from + steps : inputs.findIndex((input) => input.checked);
    inputs.at(Math.max(0, start) % inputs.length)?.focus();
  }

  /** Makes the focused row active, lights phrases, and lets phrases of the sentences lead to their cards. */
  watch() {
    // Nothing moves between pressing and releasing: the click would miss.
    for (const type of ["pointerdown", "pointerup", "pointercancel"]) {
      addEventListener(type, () => { this.isPressed = type === "pointerdown"; }, { capture: true });
    }
    for (const type of ["focusin", "click"]) {
      document.addEventListener(type, ({ target }) => { if (target instanceof Element) this.#follow(target); });
    }
    for (const card of findAll("#answers .card[data-card]")) {
      card.addEventListener("mouseenter", () => this.band.light(card.dataset.card));
      card.addEventListener("mouseleave", () => this.band.light(undefined));
    }
    for (const phrase of findAll(".stave .ph[data-pair]")) {
      phrase.addEventListener("mouseenter", () => this.band.light(phrase.dataset.pair));
      phrase.addEventListener("mouseleave", () => this.band.light(undefined));
      phrase.addEventListener("click", (event) => {
        event.preventDefault();
        this.onPhrase(phrase);
      });
    }
  }

  /** @param {Element} target */
  #follow(target) {
    if (this.isPressed) return;
    const card = target.closest(".card");
    let index = this.rows.findIndex((row) => row.contains(target));
    if (index < 0 && card && card !== this.activeCard) {
      index = this.rows.findIndex((row) => cardOf(row) === card);
    }
    if (index > -1 && index !== this.index) this.go(index, false, false);
  }
}
