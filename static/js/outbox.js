// Answers that the server has not stored yet. Each is written to IndexedDB before it is sent and removed only after
// the server has confirmed it, so that a lost connection, a reload, a crash or an expired session loses nothing.

const DATABASE = "appraise-outbox", STORE = "answers";
const OPEN_WITHIN = 4000; // milliseconds

/**
 * @typedef {object} Entry an answer as it is sent
 * @property {string} uuid
 * @property {string} url
 * @property {number | string} phrase the question: the index of a phrase pair or place, or a name like "comment"
 * @property {number} base the version that this answer replaces
 * @property {number} time orders the entries
 * @property {string} [choice] of a phrase pair
 * @property {number[]} [steps] of a place
 * @property {string} [output] a translation that is assessed
 * @property {number | null} [score] of a translation
 * @property {readonly import("./assess-marks.js").Span[]} [spans] errors of a translation
 * @property {string} [question] about the whole sentence; `value` is its answer
 * @property {string} [value]
 * @property {number} [active_ms]
 *
 * @typedef {object} Storage where entries survive the page; a failure is null or false, never an exception
 * @property {() => Promise<Entry[] | null>} load
 * @property {(change: { put?: Entry[], remove?: string[] }) => Promise<boolean>} write in one transaction
 */

/** @param {Entry} entry @returns {string} equal for answers to the same question, which are sent in order */
export const questionOf = (entry) => `${entry.url} ${entry.phrase}`;

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const resultOf = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** @implements {Storage} */
export class BrowserStorage {
  constructor() {
    this.opened = this.#open().catch(() => null);
  }

  /** @returns {Promise<IDBDatabase | null>} */
  async #open() {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "uuid" });
    // Some browsers neither open it nor report a failure; answers must not wait for that to be sent.
    return Promise.race([resultOf(request), new Promise((resolve) => { setTimeout(resolve, OPEN_WITHIN, null); })]);
  }

  load() {
    return this.#transact("readonly", (store) => resultOf(store.getAll()));
  }

  /** @param {{ put?: Entry[], remove?: string[] }} change */
  async write({ put = [], remove = [] }) {
    return await this.#transact("readwrite", async (store) => {
      await Promise.all([
        ...put.map((entry) => resultOf(store.put(entry))), ...remove.map((uuid) => resultOf(store.delete(uuid))),
      ]);
      return true;
    }) ?? false;
  }

  /**
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => Promise<T>} work
   * @returns {Promise<T | null>}
   */
  async #transact(mode, work) {
    const database = await this.opened;
    if (!database) return null;
    try {
      const transaction = database.transaction(STORE, mode);
      const completed = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = transaction.onerror = () => reject(transaction.error);
      });
      const [result] = await Promise.all([work(transaction.objectStore(STORE)), completed]);
      return result;
    } catch {
      return null; // the disk is full, for example: the entries stay in memory
    }
  }
}

export class Outbox {
  /** @param {Storage} storage */
  constructor(storage) {
    this.storage = storage;
    /** @type {Map<string, Entry>} */
    this.memory = new Map();
    /** @type {Set<string>} */
    this.unwritten = new Set();
    /** @type {Set<string>} removed; a load that began before must not bring them back */
    this.removed = new Set();
    this.latest = 0;
  }

  /** Whether closing the tab would lose an answer: in private windows and on full disks only memory has it. */
  get hasUnwritten() {
    return this.unwritten.size > 0;
  }

  /** @param {Omit<Entry, "time">} answer */
  async add(answer) {
    this.latest = Math.max(Date.now(), this.latest + 1); // two answers of one millisecond have an order, too
    const entry = { ...answer, time: this.latest };
    this.memory.set(entry.uuid, entry);
    const isWritten = await this.storage.write({ put: [entry] });
    if (!isWritten && this.memory.has(entry.uuid)) this.unwritten.add(entry.uuid);
  }

  /** @param {string} uuid */
  async remove(uuid) {
    this.#forget(uuid);
    await this.storage.write({ remove: [uuid] });
  }

  /**
   * Removes an answer that the server has stored. Later answers to the same question now replace that version. This is
   * written at once: after a reload nothing else would tell that the version is one of our own.
   * @param {Entry} entry
   * @param {number} version
   */
  async confirm(entry, version) {
    this.#forget(entry.uuid);
    const later = [...this.memory.values()]
      .filter((other) => questionOf(other) === questionOf(entry) && other.base < version);
    for (const other of later) other.base = version;
    await this.storage.write({ put: later, remove: [entry.uuid] });
  }

  /** @returns {Promise<Entry[]>} in the order in which they were added, also by other windows of this browser */
  async entries() {
    for (const entry of await this.storage.load() ?? []) {
      if (!this.memory.has(entry.uuid) && !this.removed.has(entry.uuid)) this.memory.set(entry.uuid, entry);
    }
    const entries = [...this.memory.values()].sort((a, b) => a.time - b.time);
    // Later answers come last even if the clock is set back.
    for (const entry of entries) this.latest = Math.max(this.latest, entry.time);
    return entries;
  }

  /** @param {string} uuid */
  #forget(uuid) {
    this.removed.add(uuid);
    this.memory.delete(uuid);
    this.unwritten.delete(uuid);
  }
}
