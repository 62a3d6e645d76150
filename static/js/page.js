// The annotation page: answers, undo, conflicts, keys. Everything here is convenience: without scripts the page is a
// plain form that does the same.
import { Band } from "./band.js";
import { closeGuidelines, isCovered, openSheet, showHelp, toggleGuidelines } from "./dialogs.js";
import { find, findAll, findInput, findInputs, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { cardOf, isOpen, isTouched, Navigation } from "./navigation.js";
import { BrowserStorage, Outbox } from "./outbox.js";
import { SentenceFields } from "./sentence-fields.js";
import { isSet } from "./settings.js";
import { Status } from "./status.js";
import { Stepper } from "./stepper.js";
import { showStrip } from "./strip.js";
import { Submission } from "./submission.js";
import { Sync } from "./sync.js";
import { Timer } from "./timer.js";
import { watchUnsure } from "./unsure.js";
import { createUuid } from "./uuid.js";

/** @typedef {import("./outbox.js").Entry} Entry */
/** @typedef {import("./sync.js").Receipt} Receipt */
/** @typedef {import("./sync.js").State} State */
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
    this.form = /** @type {HTMLFormElement} */ (get("#answers"));
    this.cards = findAll(".card[data-card]");
    /** @type {{ card: HTMLElement, row: HTMLElement, previous: string }[]} */
    this.history = [];
    /** @type {Map<HTMLElement, string>} card → the answer that is shown */
    this.shown = new Map(this.cards.map((card) => [card, questions.read(card)]));
    /** @type {Map<string | number, string>} question → id of its newest answer given here and not stored yet */
    this.waiting = new Map();
    this.isSignedOut = false;
    this.timer = new Timer();
    this.status = new Status(this.cards);
    this.fields = new SentenceFields(this.form, {
      send: (question, value) => this.#sendField(question, value), onDraft: () => this.#showDraft(),
    });
    this.band = new Band();
    this.navigation = new Navigation({
      rows: questions.rows, cards: this.cards, band: this.band,
      onMove: () => this.#showPlace(), onPhrase: (phrase) => this.#tap(phrase),
    });
    this.isByKey = false;
    this.sync = new Sync({
      outbox: new Outbox(new BrowserStorage()),
      token: findInput("[name=csrfmiddlewaretoken]", this.form)?.value ?? "",
      isOwn: this.isOwn,
      onState: (state, waiting) => this.#showState(state, waiting),
      onReceipt: (entry, receipt) => this.#receive(entry, receipt),
      onConflict: (entry, receipt) => this.#resolve(entry, receipt),
    });
    this.submission = new Submission({
      form: this.form, sync: this.sync, timer: this.timer, isOwn: this.isOwn,
      isComplete: () => this.#isComplete(), onWait: () => this.#askToWait(),
    });
  }

  /** Shows answers that wait in this browser before they are stored, and starts to listen. */
  async start() {
    this.timer.watchInput();
    showStrip();
    this.#listen();
    // Clicked before the script ran: newer than anything that waits.
    const { rows } = this.questions, touched = rows.filter(isTouched);
    const cards = this.cards.filter((card) => touched.some((row) => cardOf(row) === card));
    const fields = touched.filter((row) => !this.cards.includes(cardOf(row)))
      .map((row) => findInputs(row)[0].name);
    // Before keys are heard: they answer the first open question, and a waiting answer closes one.
    await this.#showWaiting(cards, fields);
    this.band.watch();
    this.navigation.watch();
    this.stepper = new Stepper({
      cards: this.cards, onStep: (steps) => this.#step(steps), onSwitch: () => this.navigation.scroll(),
    });
    this.status.showCards();
    if (rows.length) this.navigation.go(Math.max(0, this.navigation.firstOpen()), Boolean(find(".card.is-missing")));
    this.#bindKeys();
    if (location.hash === "#guidelines") toggleGuidelines();
    for (const card of cards) this.#sendCard(card);
    for (const field of fields) this.fields.submit(field);
    if (await this.sync.countWaiting()) {
      this.#showProgress();
      this.sync.flush();
    }
  }

  /** @param {Entry} entry */
  isOwn = (entry) => [this.form.dataset.answerUrl, this.form.dataset.sentenceUrl].includes(entry.url);

  // --- answers ---------------------------------------------------------------------------------------------

  /** @param {HTMLElement} card */
  #sendCard(card) {
    this.#showProgress();
    const answer = this.questions.answer(card);
    if (!answer) return;
    const phrase = Number(card.dataset.phrase), url = this.form.dataset.answerUrl ?? "";
    this.#send({ url, phrase, ...answer, ...this.timer.lap() });
  }

  /**
   * @param {string} question
   * @param {string} value
   */
  #sendField(question, value) {
    const { active_ms } = this.timer.lap();
    this.#send({ url: this.form.dataset.sentenceUrl ?? "", phrase: question, question, value, active_ms });
  }

  /** @param {Omit<Entry, "uuid" | "base" | "time">} answer */
  #send(answer) {
    const entry = { uuid: createUuid(), base: Number(this.#version(answer.phrase).value), ...answer };
    this.waiting.set(entry.phrase, entry.uuid);
    this.sync.add(entry);
  }

  /**
   * @param {string | number} question
   * @returns {HTMLInputElement} the field with the version of the answer that the page builds on
   */
  #version(question) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(`base-${question}`));
  }

  /** @param {Event} event */
  #change({ target }) {
    const input = /** @type {HTMLInputElement} */ (target), card = cardOf(input);
    if (this.fields.has(input.name)) this.fields.submit(input.name);
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
    if (!last) return this.status.say(this.status.words.noUndo, false);
    this.#show(last.card, last.previous);
    this.navigation.go(this.questions.rows.indexOf(last.row));
    this.#sendCard(last.card);
  }

  // --- what the server says ----------------------------------------------------------------------------------

  /**
   * @param {Entry} entry
   * @param {Receipt} receipt
   */
  #receive(entry, receipt) {
    if (!this.isOwn(entry)) return;
    this.#version(entry.phrase).value = String(receipt.version);
    if (this.waiting.get(entry.phrase) === entry.uuid) this.waiting.delete(entry.phrase);
    // Left in this browser by a window that is offline or closed, and newer than what is shown here.
    else if (!this.waiting.has(entry.phrase)) this.#showOther(entry, receipt);
  }

  /**
   * @param {Entry} entry
   * @param {Receipt} receipt
   */
  #resolve(entry, receipt) {
    if (!this.isOwn(entry)) return;
    if (receipt.error !== "conflict") return location.reload(); // realigned by a manager, or not an answer
    this.#version(entry.phrase).value = String(receipt.version);
    if (this.waiting.get(entry.phrase) === entry.uuid) this.waiting.delete(entry.phrase);
    this.#showOther(entry, receipt);
  }

  /**
   * Shows another window's answer, which is the stored one.
   * @param {Entry} entry
   * @param {Receipt} receipt
   */
  #showOther(entry, receipt) {
    this.submission.cancel();
    const card = this.#cardOf(entry);
    if (card) this.#show(card, this.questions.stored(receipt, card));
    else this.fields.set(entry.question ?? "", receipt.value ?? "");
    this.#showProgress();
    this.status.showConflict(card);
  }

  /**
   * @param {State} state
   * @param {number} waiting
   */
  #showState(state, waiting) {
    this.status.showState(state, waiting);
    if (state === "saved" || (state === "offline" && !waiting)) this.#showDraft(); // a draft is kept nowhere
    this.isSignedOut = state === "signed-out";
    if (this.isSignedOut) this.status.say(this.status.words.signIn, true);
    if (state !== "saving") this.submission.resume();
  }

  // --- what the page shows -----------------------------------------------------------------------------------

  /**
   * @param {HTMLElement[]} newerCards
   * @param {string[]} newerFields
   */
  async #showWaiting(newerCards, newerFields) {
    for (const entry of (await this.sync.entries()).filter(this.isOwn)) {
      const card = this.#cardOf(entry), question = entry.question ?? "";
      this.waiting.set(entry.phrase, entry.uuid);
      if (card) {
        const stored = this.questions.stored(entry, card);
        if (!newerCards.includes(card)) this.#show(card, stored);
      } else if (!newerFields.includes(question)) this.fields.set(question, entry.value ?? "");
    }
  }

  /**
   * @param {Entry} entry
   * @returns {HTMLElement | undefined}
   */
  #cardOf(entry) {
    return this.isOwn(entry) ? this.cards.find((card) => card.dataset.phrase === String(entry.phrase)) : undefined;
  }

  /**
   * @param {HTMLElement} card
   * @param {string} value
   */
  #show(card, value) {
    this.questions.write(card, value);
    this.shown.set(card, this.questions.read(card));
  }

  #showProgress() {
    this.status.showProgress(this.navigation.openCards);
    this.#showPlace();
  }

  #showPlace() {
    this.stepper?.show(this.navigation.activeCard, this.navigation.openCards);
  }

  /** Neither “Saved” nor “kept in this browser” must stand beside a comment that is being written. */
  #showDraft() {
    if (this.fields.hasDraft) this.status.showDraft();
  }

  #isComplete() {
    const open = this.navigation.openCards;
    if (!open.length) return true;
    this.status.showMissing(open);
    this.navigation.go(this.navigation.firstOpen());
    return false;
  }

  #askToWait() {
    this.status.say(this.isSignedOut ? this.status.words.signIn : this.status.words.wait, true);
  }

  // --- events --------------------------------------------------------------------------------------------------

  #listen() {
    this.form.addEventListener("change", (event) => this.#change(event));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.fields.blur();
      this.submission.submit();
    });
    document.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      if (target.closest("[data-undo]")) this.#undo();
      if (target.closest("[data-report]")) this.#prepareReport(cardOf(target));
    });
    // Why a difference is not ranked here; clicking or tapping it focuses it, too.
    document.addEventListener("focusin", ({ target }) => {
      if (target instanceof HTMLElement && target.matches(".ph-quiet")) this.status.say(target.title, false);
    });
    addEventListener("pagehide", () => this.timer.send(
      `${this.form.dataset.timeUrl}`, findInput("[name=csrfmiddlewaretoken]", this.form)?.value ?? "",
    ));
    // The next card comes under the pointer: the second click of a double click is not for it.
    this.form.addEventListener("click", (event) => {
      if (event.detail < 2 || !(event.target instanceof HTMLInputElement)) return;
      event.preventDefault();
      event.stopPropagation();
    }, { capture: true });
    watchUnsure(findInput("[name=csrfmiddlewaretoken]", this.form)?.value ?? "", () => {
      this.status.say(this.status.words.unsureFailed, true);
    });
    // The back button may show this page from memory, with old versions.
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
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
      "next-sentence": () => { this.submission.submit(); },
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
    if (!this.navigation.step(steps) && steps > 0) this.submission.submit();
  }

  /** The next open question, and after the last one the next sentence. */
  #continue() {
    if (isOpen(this.navigation.activeRow) || !this.navigation.openCards.length) this.submission.submit();
    else this.navigation.goToOpen();
  }
}
