// What the annotation page tells: whether everything is saved, and what still needs an answer.
import { find, get } from "./dom.js";

/** @typedef {import("./sync.js").State} State */

export class Status {
  /** @param {HTMLElement[]} cards */
  constructor(cards) {
    this.cards = cards;
    this.save = get(".save");
    this.need = get(".need");
    /** @type {import("./dom.js").Words} */
    this.words = /** @type {import("./dom.js").Words} */ ({
      ...get("#words").dataset, ...find("#page-words")?.dataset, // those of one kind of page come first
    });
  }

  /**
   * @param {string} text
   * @param {boolean} isRefusal
   */
  say(text, isRefusal) {
    this.need.classList.toggle("is-refused", isRefusal);
    this.need.textContent = text;
  }

  /**
   * How many cards are answered.
   * @param {HTMLElement[]} open
   */
  showProgress(open) {
    this.#markMissing([]);
    const { count, all } = this.words, total = this.cards.length;
    const text = count.replace("{n}", String(total - open.length)).replace("{total}", String(total));
    this.say(open.length ? text : all, false);
    this.showCards();
  }

  /** The answer of each card in words, at its top. */
  showCards() {
    for (const card of this.cards) {
      const state = find(".card-state", card), chosen = find(".scale input:checked + span em", card);
      if (state) state.textContent = chosen ? `● ${chosen.textContent}` : `○ ${this.words.unanswered}`;
    }
  }

  showDraft() {
    this.save.dataset.state = "saving";
    this.save.textContent = this.words.draft;
  }

  /**
   * Which cards must be answered before the next page.
   * @param {HTMLElement[]} open
   */
  showMissing(open) {
    this.#markMissing(open);
    const { one, many, and } = this.words, numbers = open.map((card) => card.dataset.card);
    const last = numbers.pop() ?? "";
    const list = numbers.length ? `${numbers.join(", ")} ${and} ${last}` : last;
    this.say((numbers.length ? many : one).replace("{list}", list), true);
  }

  /** @param {HTMLElement | undefined} card none: a question about the whole sentence */
  showConflict(card) {
    const { conflict, conflictWhole } = this.words;
    this.say(card ? conflict.replace("{list}", card.dataset.card ?? "") : conflictWhole, true);
  }

  /**
   * @param {State} state
   * @param {number} waiting
   */
  showState(state, waiting) {
    const text = this.words[state === "signed-out" ? "signedOut" : state];
    this.save.dataset.state = ["saved", "saving"].includes(state) ? state : "offline";
    this.save.textContent = waiting && state !== "saving" ? `${text} (${waiting})` : text;
  }

  /** @param {HTMLElement[]} missing */
  #markMissing(missing) {
    for (const card of this.cards) card.classList.toggle("is-missing", missing.includes(card));
  }
}
