// The annotation page: answers, undo, conflicts, keys. Everything here is convenience: without scripts the page is a
// plain form that does the same.
import { closeGuidelines, isHelpOpen, showHelp, toggleGuidelines, usesSingleKeys } from "./dialogs.js";
import { find, findAll, findInput, findInputs, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { cardOf, isOpen, isTouched, Navigation } from "./navigation.js";
import { BrowserStorage, Outbox } from "./outbox.js";
import { SentenceFields } from "./sentence-fields.js";
import { Status } from "./status.js";
import { Submission } from "./submission.js";
import { Sync } from "./sync.js";
import { Timer } from "./timer.js";
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
 * @property {(card: string | undefined) => void} [onHighlight] with the number of the highlighted card
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
    this.fields = new SentenceFields(this.form, (question, value) => this.#sendField(question, value));
    this.navigation = new Navigation({
      rows: questions.rows, cards: this.cards, onHighlight: questions.onHighlight,
    });
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
    this.navigation.watch();
    this.#listen();
    this.#bindKeys();
    // Clicked before the script ran: newer than anything that waits.
    const { rows } = this.questions, touched = rows.filter(isTouched);
    const cards = this.cards.filter((card) => touched.some((row) => cardOf(row) === card));
    const fields = touched.filter((row) => !this.cards.includes(cardOf(row)))
      .map((row) => findInputs(row)[0].name);
    if (rows.length) this.navigation.go(Math.max(0, rows.findIndex(isOpen)), Boolean(find(".card.is-missing")));
    if (location.hash === "#guidelines") toggleGuidelines();
    await this.#showWaiting(cards, fields);
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
    const input = /** @type {HTMLInputElement} */ (target);
    if (this.fields.has(input.name)) return this.fields.submit(input.name);
    const row = this.questions.rows.find((candidate) => candidate.contains(input)), card = row && cardOf(row);
    if (!row || !card) return;
    this.history.push({ card, row, previous: this.shown.get(card) ?? "" });
    this.shown.set(card, this.questions.read(card));
    this.#sendCard(card);
  }

  /** An undone answer is an answer, too. */
  #undo() {
    const last = this.history.pop();
    if (!last) return;
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
      if (target instanceof Element && target.closest("[data-undo]")) this.#undo();
    });
    // The back button may show this page from memory, with old versions.
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    // All reports are one form: only the one that is sent needs a reason.
    for (const box of findAll(".report-box")) {
      find("button", box)?.addEventListener("click", () => {
        for (const reason of findInputs(document, ".report-box input")) reason.required = box.contains(reason);
      });
    }
  }

  #bindKeys() {
    const { navigation } = this, { rows, option } = this.questions;
    bindKeys((target) => {
      if (isHelpOpen() || !rows.length || target.matches("textarea, select, input:not([type=radio])")) return null;
      const inRow = !target.matches("input") || rows.some((row) => row.contains(target));
      return {
        hasOption: (digit) => inRow && Boolean(option(navigation.activeRow, digit)),
        canMove: inRow,
        inReport: target.matches(".report-box input"),
        onControl: target.matches("a, button, summary"),
        usesSingleKeys: usesSingleKeys(),
      };
    }, {
      answer: (digit) => this.#choose(digit),
      "next-row": () => navigation.go(navigation.index + 1),
      "previous-row": () => navigation.go(navigation.index - 1),
      report: (_, target) => find("button", /** @type {Element} */ (target.closest(".report-box")))?.click(),
      continue: () => { this.submission.submit(); },
      close: closeGuidelines,
      undo: () => this.#undo(),
      guidelines: toggleGuidelines,
      help: showHelp,
    });
  }

  /** @param {string} digit */
  #choose(digit) {
    const input = this.questions.option(this.navigation.activeRow, digit);
    input?.click();
    input?.focus();
    this.navigation.goToOpen();
  }
}
