// The annotation page: choices, undo, keys. Everything here is convenience: without scripts the page is a plain form
// that does the same.
import { Answers } from "./answers.js";
import { Band } from "./band.js";
import { closeGuidelines, isCovered, openSheet, showHelp, toggleGuidelines } from "./dialogs.js";
import { find, findAll, findInputs, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { cardOf, isOpen, isTouched, Navigation } from "./navigation.js";
import { isSet } from "./settings.js";
import { Stepper } from "./stepper.js";
import { showStrip } from "./strip.js";

/** @typedef {import("./outbox.js").Entry} Entry */
/** @typedef {import("./sync.js").Receipt} Receipt */
/**
 * @typedef {object} Questions in what pages differ
 * @property {HTMLElement[]} rows what a digit answers: one or more for each card
 * @property {(card: HTMLElement) => string} read the answer of a card, as text
 * @property {(card: HTMLElement, value: string) => void} write
 * @property {(card: HTMLElement) => Partial<Entry> | null} answer what is sent for a card, if anything
 * @property {(stored: Receipt | Entry, card: HTMLElement) => string} stored the answer in a receipt or an entry
 * @property {(row: HTMLElement, digit: string) => HTMLInputElement | null | undefined} option
 * @property {(row: HTMLElement, key: string) => HTMLInputElement | null | undefined} [reason] that a key stands for
 * @property {(phrase: HTMLElement) => HTMLInputElement | undefined} [tap] what tapping a phrase chooses
 */

export class AnnotationPage {
  /** @param {Questions} questions */
  constructor(questions) {
    this.questions = questions;
    this.cards = findAll(".card[data-card]");
    /** @type {{ card: HTMLElement, row: HTMLElement, previous: string }[]} */
    this.history = [];
    /** @type {Map<HTMLElement, string>} card → the answer that is shown */
    this.shown = new Map(this.cards.map((card) => [card, questions.read(card)]));
    this.answers = new Answers({
      cards: this.cards, onShow: () => this.#showProgress(), isComplete: () => this.#isComplete(),
      show: (card, stored, isOutdated) => {
        const value = questions.stored(stored, card);
        if (!isOutdated) this.#show(card, value);
      },
    });
    this.band = new Band();
    this.navigation = new Navigation({
      rows: questions.rows, cards: this.cards, band: this.band,
      onMove: () => this.#showPlace(), onPhrase: (phrase) => this.#tap(phrase),
    });
    this.isByKey = false;
  }

  /** Shows answers that wait in this browser before they are stored, and starts to listen. */
  async start() {
    const { fields, status, sync } = this.answers;
    showStrip();
    this.#listen();
    // Clicked before the script ran: newer than anything that waits.
    const { rows } = this.questions, touched = rows.filter(isTouched);
    const cards = this.cards.filter((card) => touched.some((row) => cardOf(row) === card));
    const names = touched.filter((row) => !this.cards.includes(cardOf(row)))
      .map((row) => findInputs(row)[0].name);
    // Before keys are heard: they answer the first open question, and a waiting answer closes one.
    await this.answers.showWaiting(cards, names);
    this.band.watch();
    this.navigation.watch();
    this.stepper = new Stepper({
      cards: this.cards, onStep: (steps) => this.#step(steps), onSwitch: () => this.navigation.scroll(),
    });
    status.showCards();
    if (rows.length) this.navigation.go(Math.max(0, this.navigation.firstOpen()), Boolean(find(".card.is-missing")));
    this.#bindKeys();
    if (location.hash === "#guidelines") toggleGuidelines();
    for (const card of cards) this.#sendCard(card);
    for (const name of names) fields.submit(name);
    if (await sync.countWaiting()) {
      this.#showProgress();
      sync.flush();
    }
  }

  // --- answers ---------------------------------------------------------------------------------------------

  /** @param {HTMLElement} card */
  #sendCard(card) {
    this.#showProgress();
    const answer = this.questions.answer(card);
    if (answer) this.answers.send(card, answer);
  }

  /** @param {Event} event */
  #change({ target }) {
    const input = /** @type {HTMLInputElement} */ (target), card = cardOf(input);
    if (this.answers.fields.has(input.name)) this.answers.fields.submit(input.name);
    const { rows } = this.questions, row = rows.find((one) => one.contains(input))
      ?? rows.find((one) => card && cardOf(one) === card);
    if (!row) return;
    if (this.cards.includes(card)) {
      this.history.push({ card, row, previous: this.shown.get(card) ?? "" });
      this.shown.set(card, this.questions.read(card));
      this.#sendCard(card);
    }
    this.#leave(row, input);
  }

  /**
   * Goes on after an answer. Where a reason is asked for, the answer stays in sight until it is given.
   * @param {HTMLElement} row
   * @param {HTMLInputElement} input
   */
  #leave(row, input) {
    const { navigation } = this, awaitsReason = row.contains(input) && find(".why", cardOf(row));
    navigation.index = this.questions.rows.indexOf(row);
    if (!awaitsReason && (this.isByKey || isSet("click-advances"))) navigation.goToOpen();
    else navigation.go(navigation.index);
  }

  /** An undone answer is an answer, too. */
  #undo() {
    const last = this.history.pop();
    if (!last) return this.answers.status.say(this.answers.status.words.noUndo, false);
    this.#show(last.card, last.previous);
    this.navigation.go(this.questions.rows.indexOf(last.row));
    this.#sendCard(last.card);
  }

  // --- what the page shows -----------------------------------------------------------------------------------

  /**
   * @param {HTMLElement} card
   * @param {string} value
   */
  #show(card, value) {
    this.questions.write(card, value);
    this.shown.set(card, this.questions.read(card));
  }

  #showProgress() {
    this.answers.status.showProgress(this.navigation.openCards);
    this.#showPlace();
  }

  #showPlace() {
    this.stepper?.show(this.navigation.activeCard, this.navigation.openCards);
  }

  #isComplete() {
    const open = this.navigation.openCards;
    if (!open.length) return true;
    this.answers.status.showMissing(open);
    this.navigation.go(this.navigation.firstOpen());
    return false;
  }

  // --- events --------------------------------------------------------------------------------------------------

  #listen() {
    const { form, status } = this.answers;
    this.answers.listen();
    form.addEventListener("change", (event) => this.#change(event));
    document.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      if (target.closest("[data-undo]")) this.#undo();
      if (target.closest("[data-report]")) this.#prepareReport(cardOf(target));
    });
    // Why a difference is not ranked here; clicking or tapping it focuses it, too.
    document.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLElement && target.matches(".ph-quiet")) status.say(target.title, false);
    });
    // The next card comes under the pointer: the second click of a double click is not for it.
    form.addEventListener("click", (event) => {
      if (event.detail < 2 || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      event.stopPropagation();
    }, { capture: true });
  }

  /** @param {HTMLElement} card */
  #prepareReport(card) {
    const phrase = /** @type {HTMLSelectElement} */ (get("#report [name=phrase]"));
    phrase.value = card.dataset.phrase ?? "";
  }

  #bindKeys() {
    const { navigation } = this, { rows, option, reason } = this.questions;
    bindKeys((target) => {
      if (isCovered() || !rows.length || target.matches("textarea, select, input:not([type=radio])")) return null;
      return {
        hasOption: (digit) => Boolean(option(navigation.activeRow, digit)),
        canMove: !target.matches(".stave-t"), // a long sentence scrolls
        onChoice: target.matches("input[type=radio]:not(:checked)"),
        onControl: target.matches("a, button, summary"),
        usesSingleKeys: isSet("single-keys"),
      };
    }, {
      answer: (digit) => this.#choose(option(navigation.activeRow, digit)),
      reason: (key) => this.#choose(reason?.(navigation.activeRow, key)),
      choose: (_, target) => this.#choose(/** @type {HTMLInputElement} */ (target)),
      "next-row": () => navigation.go(navigation.index + 1),
      "previous-row": () => navigation.go(navigation.index - 1),
      "next-choice": () => navigation.focusChoice(1),
      "previous-choice": () => navigation.focusChoice(-1),
      continue: () => this.#continue(),
      close: closeGuidelines,
      undo: () => this.#undo(),
      guidelines: toggleGuidelines,
      help: showHelp,
      comment: () => openSheet("#comment-box"),
      unsure: () => find("[data-unsure]")?.click(),
      skip: () => openSheet("#skip-box"),
      report: () => find("[data-report]", navigation.activeCard)?.click(),
      source: () => this.band.toggleSource(),
      "next-sentence": () => { this.answers.submission.submit(); },
      "previous-sentence": () => find("[data-previous]")?.click(),
    });
  }

  /**
   * Chooses for the annotator's key, and goes on also where this was chosen before.
   * @param {HTMLInputElement | null | undefined} input
   */
  #choose(input) {
    if (!input) return;
    if (input.checked) return this.navigation.goToOpen();
    this.isByKey = true;
    input.click();
    this.isByKey = false;
  }

  /** @param {HTMLElement} phrase */
  #tap(phrase) {
    const row = this.questions.rows.findIndex((one) => cardOf(one).dataset.card === phrase.dataset.pair);
    const input = this.questions.tap?.(phrase);
    if (input && !input.checked) {
      input.checked = true;
      const card = cardOf(input);
      this.history.push({ card, row: this.questions.rows[row], previous: this.shown.get(card) ?? "" });
      this.shown.set(card, this.questions.read(card));
      this.#sendCard(card);
    }
    this.navigation.go(row);
  }

  /** @param {number} steps */
  #step(steps) {
    if (!this.navigation.step(steps) && steps > 0) this.answers.submission.submit();
  }

  /** The next open question, and after the last one the next sentence. */
  #continue() {
    if (isOpen(this.navigation.activeRow) || !this.navigation.openCards.length) this.answers.submission.submit();
    else this.navigation.goToOpen();
  }
}
