import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox, questionOf } from "../../static/js/outbox.js";

/** Storage that outlives an outbox, as IndexedDB outlives a page. */
class FakeStorage {
  entries = new Map();
  isFull = false;

  async load() {
    return structuredClone([...this.entries.values()]);
  }

  async write({ put = [], remove = [] }) {
    if (this.isFull) return false;
    for (const entry of put) this.entries.set(entry.uuid, structuredClone(entry));
    for (const uuid of remove) this.entries.delete(uuid);
    return true;
  }
}

const answer = (uuid, phrase = 0, base = 0) => ({ uuid, url: "/a/token/answer", phrase, base, choice: "A>B" });
const uuids = async (outbox) => (await outbox.entries()).map((entry) => entry.uuid);

test("entries are in the order in which they were added, also within one millisecond", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1000 });
  const outbox = new Outbox(new FakeStorage());
  for (const uuid of ["c", "a", "b"]) await outbox.add(answer(uuid));
  assert.deepEqual(await uuids(outbox), ["c", "a", "b"]);
});

test("an answer given after the clock was set back comes last", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 9000 });
  const storage = new FakeStorage();
  await new Outbox(storage).add(answer("first"));
  context.mock.timers.setTime(1000);
  const reloaded = new Outbox(storage);
  await reloaded.entries();
  await reloaded.add(answer("second"));
  assert.deepEqual(await uuids(reloaded), ["first", "second"]);
});

test("entries survive a reload until they are removed", async () => {
  const storage = new FakeStorage(), outbox = new Outbox(storage);
  await outbox.add(answer("one"));
  await outbox.add(answer("two"));
  assert.deepEqual(await uuids(new Outbox(storage)), ["one", "two"]);
  await outbox.remove("one");
  assert.deepEqual(await uuids(new Outbox(storage)), ["two"]);
});

test("a load that began before does not bring a removed entry back", async () => {
  const storage = new FakeStorage(), outbox = new Outbox(storage);
  await outbox.add(answer("one"));
  const stale = await storage.load();
  await outbox.remove("one");
  storage.load = async () => stale;
  assert.deepEqual(await uuids(outbox), []);
});

test("a confirmed answer becomes the base of later answers to the same question", async () => {
  const storage = new FakeStorage(), outbox = new Outbox(storage);
  for (const [uuid, phrase] of [["first", 0], ["correction", 0], ["other", 1]]) await outbox.add(answer(uuid, phrase));
  await outbox.confirm(answer("first"), 3);
  const bases = (await new Outbox(storage).entries()).map(({ uuid, base }) => [uuid, base]);
  assert.deepEqual(bases, [["correction", 3], ["other", 0]]);
});

test("where nothing can be written, memory has the answer and closing the tab would lose it", async () => {
  const storage = new FakeStorage(), outbox = new Outbox(storage);
  storage.isFull = true;
  await outbox.add(answer("one"));
  assert.equal(outbox.hasUnwritten, true);
  assert.deepEqual(await uuids(outbox), ["one"]);
  await outbox.confirm(answer("one"), 1);
  assert.equal(outbox.hasUnwritten, false);
  assert.deepEqual(await uuids(outbox), []);
});

test("a storage that cannot be read leaves what memory has", async () => {
  const storage = new FakeStorage(), outbox = new Outbox(storage);
  await outbox.add(answer("one"));
  storage.load = async () => null;
  assert.deepEqual(await uuids(outbox), ["one"]);
});

test("a question is a phrase of a page", () => {
  assert.equal(questionOf(answer("one", 2)), questionOf(answer("two", 2)));
  assert.notEqual(questionOf(answer("one", 2)), questionOf(answer("one", 3)));
  assert.notEqual(questionOf(answer("one", 2)), questionOf({ ...answer("one", 2), url: "/a/other/answer" }));
});
