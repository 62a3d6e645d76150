// Questions about the whole sentence: the better translation, ratings, and the comment.

/** @typedef {(question: string, value: string) => void} Send */

export class SentenceFields {
  /**
   * @param {HTMLFormElement} form
   * @param {Send} send
   */
  constructor(form, send) {
    this.form = form;
    this.send = send;
    this.comment = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#comment"));
    this.sentComment = this.comment?.value;
    this.comment?.addEventListener("change", () => this.#sendComment());
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

  /** Ends writing, so that an unfinished comment is sent. */
  blur() {
    this.comment?.blur();
  }

  #sendComment() {
    if (!this.comment || this.comment.value === this.sentComment) return;
    this.sentComment = this.comment.value;
    this.submit(this.comment.name);
  }
}
