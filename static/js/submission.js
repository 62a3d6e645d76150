// Leaving the page: only when every card is answered and the server has stored everything given here.

const STOPPED_AFTER = 10_000; // milliseconds, after which the browser may have been stopped on its way

export class Submission {
  /**
   * @param {object} options
   * @param {HTMLFormElement} options.form
   * @param {import("./sync.js").Sync} options.sync
   * @param {import("./timer.js").Timer} options.timer
   * @param {import("./sync.js").Filter} options.isOwn answers of other pages go on waiting on the next page
   * @param {() => boolean} options.isComplete shows what is missing, where something is
   * @param {() => void} options.onWait
   */
  constructor({ form, sync, timer, isOwn, isComplete, onWait }) {
    this.form = form;
    this.sync = sync;
    this.timer = timer;
    this.isOwn = isOwn;
    this.isComplete = isComplete;
    this.onWait = onWait;
    this.isLeaving = false;
    this.isWanted = false; // the annotator asked to go on while answers were unsent
  }

  async submit() {
    if (!this.isComplete() || this.isLeaving) return; // a double click is one click
    this.isLeaving = true;
    this.isWanted = false;
    await this.sync.retry(this.isOwn);
    if (!this.isLeaving) return; // the annotator has to see a conflict first
    if (await this.sync.countWaiting(this.isOwn)) {
      this.onWait();
      this.isLeaving = false;
      this.isWanted = true;
      return;
    }
    this.timer.addTo(this.form); // submit() fires no event
    this.form.submit();
    setTimeout(() => { this.isLeaving = false; }, STOPPED_AFTER);
  }

  cancel() {
    this.isWanted = this.isLeaving = false;
  }

  /** The connection is back: goes on if the annotator asked for it. */
  async resume() {
    if (this.isWanted && !await this.sync.countWaiting(this.isOwn)) this.submit();
  }
}
