// Answers on their way to the server. Each one is written to IndexedDB before it is sent and removed
// only after the server has said that it is stored, so that a lost connection, a reload, a crash or an
// expired log-in costs nothing. Answers to one phrase are sent in the order in which they were given.

const NAME = "appraise-outbox", STORE = "answers";

const request = (r) => new Promise((resolve, reject) => {
  r.onsuccess = () => resolve(r.result);
  r.onerror = () => reject(r.error);
});

const RETRY_AFTER = 4000, RETRY_AT_LAST = 64_000, TOO_LONG = 20_000, SLOW = 250; // milliseconds
const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const opened = (async () => { // asynchronous, so that a browser that refuses at once is answered like the others
  const r = indexedDB.open(NAME, 1);
  r.onupgradeneeded = () => r.result.createObjectStore(STORE, { keyPath: "uuid" });
  // Some browsers neither open it nor say that they cannot: an answer must not wait for that to be sent.
  return Promise.race([request(r), pause(RETRY_AFTER).then(() => null)]);
})();

// Some browsers offer no storage in private windows, and a disk may be full: then answers wait in memory, which
// still survives everything but a closed tab. Before that the browser asks.
const memory = new Map(), unwritten = new Set();
const gone = new Set(); // stored: a look into the database that began before is no reason to send them again
addEventListener("beforeunload", (event) => { if (unwritten.size) event.preventDefault(); });

async function transact(mode, work) {
  const db = await opened.catch(() => null);
  if (!db) return null;
  try {
    const transaction = db.transaction(STORE, mode);
    const result = await work(transaction.objectStore(STORE));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
    return result;
  } catch {
    return null; // a full disk, say: memory has it
  }
}

async function put(entry) {
  memory.set(entry.uuid, entry);
  const written = await transact("readwrite", (store) => request(store.put(entry)));
  if (!written && memory.has(entry.uuid)) unwritten.add(entry.uuid);
}

function forget(uuid) {
  gone.add(uuid);
  memory.delete(uuid);
  unwritten.delete(uuid);
}

async function remove(uuid) {
  forget(uuid);
  await transact("readwrite", (store) => request(store.delete(uuid)));
}

// The server has the answer: it goes, and those to the same question that wait behind it build on its version.
// That is written down at once: after a reload nobody would know that the version is one of our own.
async function settle(entry, version) {
  forget(entry.uuid);
  const behind = [...memory.values()].filter((other) => questionOf(other) === questionOf(entry) && other.base < version);
  for (const other of behind) other.base = version;
  await transact("readwrite", (store) => {
    for (const other of behind) store.put(other);
    return request(store.delete(entry.uuid));
  });
}

async function all() {
  const kept = await transact("readonly", (store) => request(store.getAll()));
  for (const entry of kept ?? []) if (!memory.has(entry.uuid) && !gone.has(entry.uuid)) memory.set(entry.uuid, entry);
  return [...memory.values()].sort((a, b) => a.time - b.time);
}

// Answers to one question, in the order in which they were given.
const questionOf = (entry) => `${entry.url} ${entry.phrase}`;
const AWAY = [502, 503, 504]; // the site itself does not answer; any other trouble is that of one answer

export class Outbox {
  // `onState(state, waiting)`: saved, saving, unsaved, offline or signed-out; `onReceipt(entry, receipt)` after the
  // server stored an answer; `onConflict(entry, receipt)` where it did not, because another window had
  // answered meanwhile or the question is no longer there. `ours(entry)`: whether it was given on this page.
  constructor({ token, ours, onState, onReceipt, onConflict }) {
    Object.assign(this, { token, ours, onState, onReceipt, onConflict });
    this.sent = new Set();
    this.foreign = new Set(); // of somebody else who uses this browser: they wait until that person is back
    this.failed = new Map(); // question → its first answer, what is the matter, and when it is tried again
    this.underway = new Map(); // question → its answers being sent
    this.newest = 0;
    this.slow = false;
    this.sending = null;
    this.again = false;
    addEventListener("online", () => this.retry());
    addEventListener("offline", () => this.tell("offline"));
  }

  async add(entry) {
    this.onState("saving", 1); // at once: “Saved” must never stand beside an answer that is not
    this.newest = Math.max(Date.now(), this.newest + 1); // two answers in one millisecond have an order too
    await put({ ...entry, time: this.newest });
    this.failed.delete(questionOf(entry)); // answered anew: tried anew
    return this.flush();
  }

  flush() {
    this.again = true;
    this.ring?.();
    return this.sending ??= this.#send();
  }

  // Also what is not due yet: the connection is back, or somebody waits for these.
  retry(meant = () => true) {
    for (const trouble of this.failed.values()) if (meant(trouble.entry)) trouble.until = 0;
    return this.flush();
  }

  async kept() {
    const found = (await all()).filter((entry) => !this.foreign.has(entry.uuid));
    for (const entry of found) this.newest = Math.max(this.newest, entry.time); // also if the clock was put back
    return found;
  }

  async waiting(meant = () => true) {
    return (await this.kept()).filter(meant).length;
  }

  async tell(state) {
    const waiting = await this.waiting();
    if (state !== "saved" || !(this.again || waiting)) this.onState(state, waiting); // another has just been given
  }

  async #send() {
    clearTimeout(this.later);
    this.stopped = false;
    try {
      for (;;) {
        const rung = new Promise((resolve) => { this.ring = resolve; }); // by an answer that comes meanwhile
        this.again = false;
        const ready = await this.#ready();
        if (ready.length) await this.tell("saving");
        // On a slow line side by side: that costs one journey, and not one for each answer.
        for (const [question, queue] of ready.slice(0, this.slow ? ready.length : 1)) {
          this.underway.set(question, this.#drain(question, queue));
        }
        if (this.underway.size) {
          await Promise.race([rung, ...this.underway.values(), ...(this.slow ? [] : [this.#lag()])]);
        } else {
          await this.tell(this.#state());
          if (!this.again || this.stopped) return;
        }
      }
    } finally {
      this.sending = null;
      this.#tryLater();
    }
  }

  // What can be sent now, by question. What failed before comes last, so that it holds nobody up.
  async #ready() {
    if (this.stopped || (this.underway.size && !this.slow)) return [];
    const queues = new Map(), now = performance.now();
    for (const entry of await this.kept()) {
      const question = questionOf(entry);
      if (this.underway.has(question) || this.failed.get(question)?.until > now) continue;
      queues.set(question, [...queues.get(question) ?? [], entry]);
    }
    return [...queues].sort(([a], [b]) => this.failed.has(a) - this.failed.has(b));
  }

  // One answer takes long: the others no longer wait for it.
  async #lag() {
    const [first] = this.underway.values();
    await pause(SLOW);
    if ([...this.underway.values()].includes(first)) this.slow = true;
  }

  async #drain(question, queue) {
    let state = "saved";
    for (const entry of queue) if (state === "saved") state = await this.#deliver(entry);
    this.underway.delete(question);
    if (state === "saved") return void this.failed.delete(question);
    // Without a connection or a log-in the others would fail as well.
    if (state !== "unsaved") this.stopped = true;
    const last = this.failed.get(question)?.wait ?? RETRY_AFTER / 2;
    const wait = state === "unsaved" ? Math.min(2 * last, RETRY_AT_LAST) : RETRY_AFTER;
    this.failed.set(question, { entry: queue[0], state, wait, until: state === "signed-out" ? 0 : performance.now() + wait });
  }

  #state() {
    const states = [...this.failed.values()].map((trouble) => trouble.state);
    return ["signed-out", "offline", "unsaved"].find((state) => states.includes(state)) ?? "saved";
  }

  #tryLater() {
    const times = [...this.failed.values()].filter((trouble) => trouble.state !== "signed-out").map((trouble) => trouble.until);
    if (times.length) this.later = setTimeout(() => this.flush(), Math.max(0, Math.min(...times) - performance.now()));
  }

  async #deliver(entry) {
    let response, body;
    const began = performance.now(), again = this.sent.has(entry.uuid); // counted by the server's monitor, nothing else
    this.sent.add(entry.uuid);
    try {
      response = await fetch(entry.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json", "X-CSRFToken": this.token,
          ...(again && { "X-Outbox-Retry": "1" }),
        },
        body: JSON.stringify(entry),
        credentials: "same-origin",
        redirect: "error",
        signal: AbortSignal.timeout(TOO_LONG),
      });
      this.slow = performance.now() - began > SLOW;
      if (AWAY.includes(response.status)) return "offline";
      if (response.status >= 500) return "unsaved";
      // Whatever the body: who has signed in again elsewhere is refused with a page, for this page's token is old.
      if (response.status === 401 || response.status === 403) return "signed-out";
      body = await response.json();
    } catch {
      return "offline";
    }
    if (response.status === 404) {
      if (this.ours(entry)) return "unsaved"; // the organiser has put the task away: “Saved” would be a lie
      this.foreign.add(entry.uuid);
      return "saved";
    }
    // 400 will never become right by waiting; everything else is the server's trouble, not ours.
    if (!response.ok && response.status !== 400 && response.status !== 409) return "unsaved";
    if (response.ok) {
      this.onReceipt(entry, body); // first: an answer that is given from now on builds on this one
      await settle(entry, body.version);
    } else {
      await remove(entry.uuid);
      this.onConflict(entry, body);
    }
    return "saved";
  }
}
