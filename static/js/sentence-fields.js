// Questions about the whole sentence: the better translation, ratings, and the comment.

/** @typedef {(question: string, value: string) => void} Send */

export class SentenceFields {
  /**
   * @param {HTMLFormElement} form
   * @param {{ send: Send, onDraft: () => void }} options `onDraft` is called while a comment is written
   */
  constructor(form, { send, onDraft }) {
    this.form = form;
    this.send = send;
    this.comment = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#comment"));
    this.sentComment = this.comment?.value;
    this.comment?.addEventListener("change", () => this.#sendComment());
    this.comment?.addEventListener("input", onDraft);
    document.querySelector("#comment-box")?.addEventListener("toggle", () => this.#sendComment());
    // Also half-written: a phone may discard a page in the background.
    if (this.comment) document.addEventListener("visibilitychange", () => this.#sendComment());
  }

  /** @param {string} name */
  has(name) {
    return this.form.elements.namedItem(`base-${name}`) !== null;
  }

  /** @param {string} name */
  submit(name) {
    const field = /** @type {RadioNodeList | HTMLTextAreaElement} */ (this.form.elements.namedItem(name));
    this.send(name, field.value);
  }

  /**
   * Shows the stored answer.
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    const field = this.form.elements.namedItem(name);
    if (field instanceof RadioNodeList) {
      for (const input of field) {
        const radio = /** @type {HTMLInputElement} */ (input);
        radio.checked = radio.value === value;
      }
    } else {
      /** @type {HTMLTextAreaElement} */ (field).value = this.sentComment = value;
    }
  }

  /** Whether a comment is being written. */
  get hasDraft() {
    return this.comment !== null && this.comment.value !== this.sentComment;
  }

  /** Ends writing, so that an unfinished comment is sent. */
  blur() {
    this.#sendComment();
  }

  #sendComment() {
    if (!this.comment || !this.hasDraft) return;
    this.sentComment = this.comment.value;
    this.submit(this.comment.name);
  }
}
