// Answers on their way to the server. Each one is written to IndexedDB before it is sent and removed
// only after the server has said that it is stored, so that a lost connection, a reload, a crash or an
// expired log-in costs nothing. Answers to one phrase are sent in the order in which they were given.

const NAME = "appraise-outbox", STORE = "answers";

const request = (r) => new Promise((resolve, reject) => {
  r.onsuccess = () => resolve(r.result);
  r.onerror = () => reject(r.error);
});

const opened = (() => {
  const r = indexedDB.open(NAME, 1);
  r.onupgradeneeded = () => r.result.createObjectStore(STORE, { keyPath: "uuid" });
  return request(r);
})();

// Some browsers offer no storage in private windows: then answers wait in memory, which still survives
// everything but a closed tab.
const memory = new Map();

async function transact(mode, work) {
  const db = await opened.catch(() => null);
  if (!db) return null;
  const transaction = db.transaction(STORE, mode);
  const result = await work(transaction.objectStore(STORE));
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
  return result;
}

async function put(entry) {
  memory.set(entry.uuid, entry);
  await transact("readwrite", (store) => request(store.put(entry)));
}

async function remove(uuid) {
  memory.delete(uuid);
  await transact("readwrite", (store) => request(store.delete(uuid)));
}

async function all() {
  const kept = await transact("readonly", (store) => request(store.getAll()));
  for (const entry of kept ?? []) if (!memory.has(entry.uuid)) memory.set(entry.uuid, entry);
  return [...memory.values()].sort((a, b) => a.time - b.time);
}

export class Outbox {
  // `onState(state, waiting)`: saved, saving, offline or signed-out; `onReceipt(entry, receipt)` after the
  // server stored an answer; `onConflict(entry, receipt)` where another window had answered meanwhile.
  constructor({ token, onState, onReceipt, onConflict }) {
    Object.assign(this, { token, onState, onReceipt, onConflict });
    this.versions = new Map();
    this.sent = new Set();
    this.sending = null;
    this.again = false;
    addEventListener("online", () => this.flush());
    addEventListener("offline", () => this.tell("offline"));
  }

  async add(entry) {
    this.onState("saving", 1); // at once: “Saved” must never stand beside an answer that is not
    await put({ ...entry, time: Date.now() + performance.now() % 1 });
    return this.flush();
  }

  flush() {
    this.again = true;
    this.sending ??= this.#send().finally(() => { this.sending = null; });
    return this.sending;
  }

  async waiting() {
    return (await all()).length;
  }

  async tell(state) {
    this.onState(state, await this.waiting());
  }

  async #send() {
    while (this.again) {
      this.again = false;
      for (const entry of await all()) {
        await this.tell("saving");
        const state = await this.#deliver(entry);
        if (state !== "saved") {
          await this.tell(state);
          if (state === "offline") setTimeout(() => this.flush(), 4000);
          return;
        }
      }
    }
    await this.tell("saved");
  }

  async #deliver(entry) {
    const key = `${entry.url} ${entry.phrase}`;
    const base = Math.max(entry.base, this.versions.get(key) ?? 0);
    let response, body;
    const again = this.sent.has(entry.uuid); // counted by the server's monitor, nothing else
    this.sent.add(entry.uuid);
    try {
      response = await fetch(entry.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json", "X-CSRFToken": this.token,
          ...(again && { "X-Outbox-Retry": "1" }),
        },
        body: JSON.stringify({ ...entry, base }),
        credentials: "same-origin",
        redirect: "error",
      });
      body = await response.json();
    } catch {
      return "offline";
    }
    if (response.status === 401 || response.status === 403) return "signed-out";
    if (response.status === 409) {
      this.versions.set(key, body.version);
      await remove(entry.uuid);
      this.onConflict(entry, body);
      return "saved";
    }
    // 400 and 404 will never become right by waiting; everything else is the server's trouble, not ours.
    if (!response.ok && response.status !== 400 && response.status !== 404) return "offline";
    if (response.ok) {
      this.versions.set(key, body.version);
      this.onReceipt(entry, body);
    }
    if (response.status !== 404) await remove(entry.uuid);
    return "saved";
  }
}
