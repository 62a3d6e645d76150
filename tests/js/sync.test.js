import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Outbox } from "../../static/js/outbox.js";
import { Sync } from "../../static/js/sync.js";

const MEMORY_ONLY = { load: async () => null, write: async () => false };
const URL = "/a/token/answer";
let requests, replies, events;

globalThis.addEventListener = () => {};
globalThis.fetch = async (url, { body, headers }) => {
  requests.push({ url, headers, ...JSON.parse(body) });
  const { status, body: receipt } = replies.shift() ?? { status: 200, body: { version: requests.length } };
  if (!status) throw new TypeError("no connection");
  return new Response(JSON.stringify(receipt ?? {}), { status });
};

beforeEach(() => {
  requests = [];
  replies = [];
  events = [];
});

function start() {
  const sync = new Sync({
    outbox: new Outbox(MEMORY_ONLY),
    token: "token",
    isOwn: (entry) => entry.url === URL,
    onState: (state, waiting) => events.push(`${state} ${waiting}`),
    onReceipt: (entry, receipt) => events.push(`stored ${entry.uuid} as ${receipt.version}`),
    onConflict: (entry, receipt) => events.push(`refused ${entry.uuid}: ${receipt.error}`),
  });
  return sync;
}

async function send(sync, uuid, phrase = 0, url = URL) {
  await sync.add({ uuid, url, phrase, base: 0, choice: "A>B" });
  clearTimeout(sync.nextRetry); // tests retry at once
}

test("an answer is saved when the server has confirmed it", async () => {
  const sync = start();
  await send(sync, "one");
  assert.equal(requests[0].headers["X-CSRFToken"], "token");
  assert.deepEqual(events, ["saving 1", "saving 1", "stored one as 1", "saved 0"]);
  assert.equal(await sync.countWaiting(), 0);
});

test("without a connection answers wait and are retried in order", async () => {
  const sync = start();
  replies = [{ status: 0 }, { status: 503 }];
  await send(sync, "one");
  await send(sync, "two");
  assert.equal(events.at(-1), "offline 2");
  await sync.retry();
  assert.deepEqual(requests.slice(-2).map(({ uuid }) => uuid), ["one", "two"]);
  assert.equal(requests.at(-1).base, 3); // the correction replaces the version that was stored just before
  assert.equal(requests.at(-2).headers["X-Outbox-Retry"], "1");
  assert.equal(events.at(-1), "saved 0");
});

test("an expired session keeps the answers", async () => {
  const sync = start();
  replies = [{ status: 403 }];
  await send(sync, "one");
  assert.equal(events.at(-1), "signed-out 1");
});

test("a conflict is reported once and not retried", async () => {
  const sync = start();
  replies = [{ status: 409, body: { error: "conflict", version: 7 } }];
  await send(sync, "one");
  assert.deepEqual(events.slice(-2), ["refused one: conflict", "saved 0"]);
  assert.equal(await sync.countWaiting(), 0);
});

test("an answer that raced a correction of the alignment leaves the outbox, and the page hears of it", async () => {
  const sync = start();
  replies = [{ status: 409, body: { error: "corrected", version: 0, choice: null } }];
  await send(sync, "one");
  await send(sync, "two", 1);
  assert.deepEqual(events.filter((event) => event.startsWith("refused")), ["refused one: corrected"]);
  assert.deepEqual(requests.map(({ uuid }) => uuid), ["one", "two"]);
  assert.equal(events.at(-1), "saved 0");
});

test("a failure of one answer does not hold up the others", async () => {
  const sync = start();
  replies = [{ status: 500 }];
  await send(sync, "one", 0);
  await send(sync, "two", 1);
  assert.deepEqual(events.slice(-2), ["stored two as 2", "unsaved 1"]);
});

test("an answer of another person waits for that person", async () => {
  const sync = start();
  replies = [{ status: 404 }];
  await send(sync, "one", 0, "/a/other/answer");
  assert.equal(events.at(-1), "saved 0");
  assert.equal((await sync.outbox.entries()).length, 1);
});

test("a withdrawn task leaves its own answers unsaved", async () => {
  const sync = start();
  replies = [{ status: 404 }];
  await send(sync, "one");
  assert.equal(events.at(-1), "unsaved 1");
});
