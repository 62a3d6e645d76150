// Sends the answers of the outbox to the server. Answers to one question are sent in the order in which they were
// given; on a slow connection questions are sent side by side. What fails is retried.
import { questionOf } from "./outbox.js";

/** @typedef {import("./outbox.js").Entry} Entry */
/** @typedef {"saved" | "saving" | "unsaved" | "offline" | "signed-out"} State */
/** @typedef {(entry: Entry) => boolean} Filter */
/**
 * @typedef {object} Receipt the server's reply to an answer
 * @property {number} version
 * @property {string} [error]
 * @property {string} [choice]
 * @property {number[]} [steps]
 * @property {number | null} [score]
 * @property {import("./assess-marks.js").Span[]} [spans]
 * @property {string} [value]
 *
 * @typedef {object} Failure
 * @property {Entry} entry the first unsent answer to the question
 * @property {State} state
 * @property {number} wait milliseconds between the latest two attempts
 * @property {number} until when it is tried again, on the monotonic clock
 */

const RETRY_AFTER = 4000, LONGEST_RETRY = 64_000, TIMEOUT = 20_000, SLOW = 250; // milliseconds
const UNREACHABLE = [502, 503, 504]; // the site itself does not answer; any other failure is that of one answer

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const always = () => true;

export class Sync {
  /**
   * @param {object} options
   * @param {import("./outbox.js").Outbox} options.outbox
   * @param {string} options.token of the page's forms
   * @param {Filter} options.isOwn whether an answer was given on this page
   * @param {(state: State, waiting: number) => void} options.onState
   * @param {(entry: Entry, receipt: Receipt) => void} options.onReceipt after the server has stored an answer
   * @param {(entry: Entry, receipt: Receipt) => void} options.onConflict where it has not, because another window
   *   answered in between or the question no longer exists
   */
  constructor({ outbox, token, isOwn, onState, onReceipt, onConflict }) {
    this.outbox = outbox;
    this.token = token;
    this.isOwn = isOwn;
    this.onState = onState;
    this.onReceipt = onReceipt;
    this.onConflict = onConflict;
    /** @type {Set<string>} */
    this.attempted = new Set();
    /** @type {Set<string>} of another person who uses this browser: these wait until that person is back */
    this.foreign = new Set();
    /** @type {Map<string, Failure>} by question */
    this.failures = new Map();
    /** @type {Map<string, Promise<void>>} by question: answers being sent */
    this.underway = new Map();
    this.isSlow = false;
    this.hasNew = false;
    this.isStopped = false;
    /** @type {Promise<void> | null} */
    this.sending = null;
    /** @type {(() => void) | undefined} */
    this.wake = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.nextRetry = undefined;
    addEventListener("online", () => this.retry());
    addEventListener("offline", () => this.#announce("offline"));
    addEventListener("beforeunload", (event) => { if (outbox.hasUnwritten) event.preventDefault(); });
  }

  /** @param {Omit<Entry, "time">} answer */
  async add(answer) {
    this.onState("saving", 1); // at once: “Saved” must never be shown beside an answer that is not
    await this.outbox.add(answer);
    this.failures.delete(questionOf(/** @type {Entry} */ (answer))); // a new answer is not delayed by an old failure
    return this.flush();
  }

  /** Sends what is due. */
  flush() {
    this.hasNew = true;
    this.wake?.();
    return this.sending ??= this.#send();
  }

  /**
   * Sends also what is not due yet: the connection is back, or somebody waits for these answers.
   * @param {Filter} [filter]
   */
  retry(filter = always) {
    for (const failure of this.failures.values()) if (filter(failure.entry)) failure.until = 0;
    return this.flush();
  }

  async entries() {
    return (await this.outbox.entries()).filter((entry) => !this.foreign.has(entry.uuid));
  }

  /** @param {Filter} [filter] */
  async countWaiting(filter = always) {
    return (await this.entries()).filter(filter).length;
  }

  /** @param {State} state */
  async #announce(state) {
    const waiting = await this.countWaiting();
    // Not “saved” while another answer has just been given.
    if (state !== "saved" || !(this.hasNew || waiting)) this.onState(state, waiting);
  }

  async #send() {
    clearTimeout(this.nextRetry);
    this.isStopped = false;
    try {
      for (;;) {
        const woken = new Promise((resolve) => { this.wake = () => resolve(undefined); }); // by a new answer
        this.hasNew = false;
        const ready = await this.#collectReady();
        if (ready.length) await this.#announce("saving");
        for (const [question, queue] of ready.slice(0, this.isSlow ? ready.length : 1)) {
          this.underway.set(question, this.#sendQueue(question, queue));
        }
        if (this.underway.size) {
          await Promise.race([woken, ...this.underway.values(), ...(this.isSlow ? [] : [this.#detectSlow()])]);
        } else {
          await this.#announce(this.#worstState());
          if (!this.hasNew || this.isStopped) return;
        }
      }
    } finally {
      this.sending = null;
      this.#scheduleRetry();
    }
  }

  /**
   * What can be sent now, by question. Failed questions come last, so that they do not delay the others.
   * @returns {Promise<[string, Entry[]][]>}
   */
  async #collectReady() {
    if (this.isStopped || (this.underway.size && !this.isSlow)) return [];
    /** @type {Map<string, Entry[]>} */
    const queues = new Map(), now = performance.now();
    for (const entry of await this.entries()) {
      const question = questionOf(entry);
      if (this.underway.has(question) || (this.failures.get(question)?.until ?? 0) > now) continue;
      queues.set(question, [...queues.get(question) ?? [], entry]);
    }
    return [...queues].sort(([a], [b]) => Number(this.failures.has(a)) - Number(this.failures.has(b)));
  }

  /** An answer that takes long makes the connection slow: others no longer wait for it. */
  async #detectSlow() {
    const [first] = this.underway.values();
    await pause(SLOW);
    if ([...this.underway.values()].includes(first)) this.isSlow = true;
  }

  /**
   * @param {string} question
   * @param {Entry[]} queue
   */
  async #sendQueue(question, queue) {
    /** @type {State} */
    let state = "saved";
    for (const entry of queue) if (state === "saved") state = await this.#deliver(entry);
    this.underway.delete(question);
    if (state === "saved") {
      this.failures.delete(question);
      return;
    }
    // Without a connection or a session the others would fail as well.
    if (state !== "unsaved") this.isStopped = true;
    const previous = this.failures.get(question)?.wait ?? RETRY_AFTER / 2;
    const wait = state === "unsaved" ? Math.min(2 * previous, LONGEST_RETRY) : RETRY_AFTER;
    const until = state === "signed-out" ? 0 : performance.now() + wait;
    this.failures.set(question, { entry: queue[0], state, wait, until });
  }

  /** @returns {State} */
  #worstState() {
    const states = [...this.failures.values()].map((failure) => failure.state);
    const order = /** @type {State[]} */ (["signed-out", "offline", "unsaved"]);
    return order.find((state) => states.includes(state)) ?? "saved";
  }

  #scheduleRetry() {
    const times = [...this.failures.values()]
      .filter((failure) => failure.state !== "signed-out").map((failure) => failure.until);
    if (!times.length) return;
    this.nextRetry = setTimeout(() => this.flush(), Math.max(0, Math.min(...times) - performance.now()));
  }

  /**
   * @param {Entry} entry
   * @returns {Promise<State>}
   */
  async #deliver(entry) {
    let response, receipt;
    try {
      response = await this.#post(entry);
      if (UNREACHABLE.includes(response.status)) return "offline";
      if (response.status >= 500) return "unsaved";
      // Whatever the body: after signing in again elsewhere this page's token is old, and the reply is a page.
      if (response.status === 401 || response.status === 403) return "signed-out";
      receipt = await response.json();
    } catch {
      return "offline";
    }
    if (response.status === 404) {
      if (this.isOwn(entry)) return "unsaved"; // the manager has withdrawn the task: “Saved” would be wrong
      this.foreign.add(entry.uuid);
      return "saved";
    }
    // 400 and 409 never succeed by waiting; everything else may.
    if (!response.ok && response.status !== 400 && response.status !== 409) return "unsaved";
    if (response.ok) {
      this.onReceipt(entry, receipt); // first: an answer that is given from now on replaces this one
      await this.outbox.confirm(entry, receipt.version);
    } else {
      await this.outbox.remove(entry.uuid);
      this.onConflict(entry, receipt);
    }
    return "saved";
  }

  /** @param {Entry} entry */
  async #post(entry) {
    const began = performance.now(), isRetry = this.attempted.has(entry.uuid);
    this.attempted.add(entry.uuid);
    const response = await fetch(entry.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-CSRFToken": this.token,
        ...(isRetry && { "X-Outbox-Retry": "1" }), // counted by the server's monitor, nothing else
      },
      body: JSON.stringify(entry),
      credentials: "same-origin",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    this.isSlow = performance.now() - began > SLOW;
    return response;
  }
}
