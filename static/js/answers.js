// The answers of a page with questions: sent through the outbox with the version that each builds on, shown again
// after a reload or when another window has answered, and stored before the page is left.
import { findInput, get } from "./dom.js";
import { BrowserStorage, Outbox } from "./outbox.js";
import { SentenceFields } from "./sentence-fields.js";
import { Status } from "./status.js";
import { Submission } from "./submission.js";
import { Sync } from "./sync.js";
import { Timer } from "./timer.js";
import { watchUnsure } from "./unsure.js";
import { createUuid } from "./uuid.js";

/** @typedef {import("./outbox.js").Entry} Entry */
/** @typedef {import("./sync.js").Receipt} Receipt */
/** @typedef {import("./sync.js").State} State */

export class Answers {
  /**
   * @param {object} options
   * @param {HTMLElement[]} options.cards the questions; `data-phrase` is what the server calls each
   * @param {(card: HTMLElement, stored: Receipt | Entry, isOutdated: boolean) => void} options.show an answer that
   *   was not given since the page was opened; one that is outdated already is not to be seen
   * @param {() => void} options.onShow after another window's answer was shown
   * @param {() => boolean} options.isComplete shows what is missing, where something is
   */
  constructor({ cards, show, onShow, isComplete }) {
    this.form = /** @type {HTMLFormElement} */ (get("#answers"));
    this.cards = cards;
    this.show = show;
    this.onShow = onShow;
    /** @type {Map<string | number, string>} question → id of its newest answer given here and not stored yet */
    this.waiting = new Map();
    this.isSignedOut = false;
    this.token = findInput("[name=csrfmiddlewaretoken]", this.form)?.value ?? "";
    this.timer = new Timer();
    this.status = new Status(cards);
    this.fields = new SentenceFields(this.form, {
      send: (question, value) => this.#sendField(question, value), onDraft: () => this.#showDraft(),
    });
    this.sync = new Sync({
      outbox: new Outbox(new BrowserStorage()),
      token: this.token,
      isOwn: this.isOwn,
      onState: (state, waiting) => this.#showState(state, waiting),
      onReceipt: (entry, receipt) => this.#receive(entry, receipt),
      onConflict: (entry, receipt) => this.#resolve(entry, receipt),
    });
    this.submission = new Submission({
      form: this.form, sync: this.sync, timer: this.timer, isOwn: this.isOwn,
      isComplete, onWait: () => this.#askToWait(),
    });
  }

  /** @param {Entry} entry */
  isOwn = (entry) => [this.form.dataset.answerUrl, this.form.dataset.sentenceUrl].includes(entry.url);

  /**
   * @param {HTMLElement} card
   * @param {Partial<Entry>} answer
   */
  send(card, answer) {
    const name = card.dataset.phrase ?? "", phrase = /^\d+$/.test(name) ? Number(name) : name;
    this.#send({ url: this.form.dataset.answerUrl ?? "", phrase, ...answer, ...this.timer.lap() });
  }

  /**
   * Shows answers that wait in this browser before they are stored.
   * @param {HTMLElement[]} newerCards answered again before the script ran
   * @param {string[]} newerFields
   */
  async showWaiting(newerCards, newerFields) {
    for (const entry of (await this.sync.entries()).filter(this.isOwn)) {
      const card = this.#cardOf(entry), question = entry.question ?? "";
      this.waiting.set(entry.phrase, entry.uuid);
      if (card) this.show(card, entry, newerCards.includes(card));
      else if (!newerFields.includes(question)) this.fields.set(question, entry.value ?? "");
    }
  }

  listen() {
    this.timer.watchInput();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.fields.blur();
      this.submission.submit();
    });
    addEventListener("pagehide", () => this.timer.send(`${this.form.dataset.timeUrl}`, this.token));
    watchUnsure(this.token, () => this.status.say(this.status.words.unsureFailed, true));
    // The back button may show this page from memory, with old versions.
    addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
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
    if (card) this.show(card, receipt, false);
    else this.fields.set(entry.question ?? "", receipt.value ?? "");
    this.onShow();
    this.status.showConflict(card);
  }

  /**
   * @param {Entry} entry
   * @returns {HTMLElement | undefined}
   */
  #cardOf(entry) {
    return this.isOwn(entry) ? this.cards.find((card) => card.dataset.phrase === String(entry.phrase)) : undefined;
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

  /** “Saved” must not stand beside a comment that is being written. */
  #showDraft() {
    if (this.fields.hasDraft) this.status.showDraft();
  }

  #askToWait() {
    this.status.say(this.isSignedOut ? this.status.words.signIn : this.status.words.wait, true);
  }
}
