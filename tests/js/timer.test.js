import assert from "node:assert/strict";
import { test } from "node:test";
import { Timer } from "../../static/js/timer.js";

const SECOND = 1000, MINUTE = 60_000, DAY = 24 * 60 * MINUTE;

function start({ hidden = false } = {}) {
  const clock = { time: 5000, now() { return this.time; } }, tab = { hidden };
  return { clock, tab, timer: new Timer(clock, tab) };
}

/**
 * What happens on a page, in order: seconds that pass, an input, the tab hidden or shown.
 * @type {[string, (number | "input" | "hide" | "show")[], number][]}
 */
const CASES = [
  ["an answer at once", [3], 3],
  ["time between inputs counts", [1, "input", 0.5], 1.5],
  ["60 s of reading, 30 s in a dictionary, 10 s", [60, "hide", 30, "show", 10], 70],
  ["125 s of silent reading count two minutes", [125], 120],
  ["a coffee of twenty minutes counts two", [10, "input", 1200, "input", 5], 135],
  ["each gap counts by itself", [100, "input", 100, "input", 100], 300],
  ["an hour with the tab in front counts two minutes before it is hidden", [3600, "hide", 3600, "show", 4], 124],
  ["an answer that is sent while the tab is hidden", [5, "hide", 60], 5],
  ["inputs while the tab is hidden", [5, "hide", 20, "input", 20, "show", 1], 6],
  ["hidden and shown many times", [2, "hide", 9, "show", 2, "hide", 9, "show", 2], 6],
];

for (const [name, events, seconds] of CASES) {
  test(name, () => {
    const { clock, tab, timer } = start();
    for (const event of events) {
      if (typeof event === "number") {
        clock.time += event * SECOND;
        continue;
      }
      if (event !== "input") tab.hidden = event === "hide";
      timer.tick();
    }
    const elapsed = events.filter((event) => typeof event === "number").reduce((sum, event) => sum + event, 0);
    assert.deepEqual(timer.lap(), { active_ms: seconds * SECOND, elapsed_ms: elapsed * SECOND });
  });
}

test("a page that opens in the background starts when it is shown", () => {
  const { clock, tab, timer } = start({ hidden: true });
  clock.time += MINUTE;
  tab.hidden = false;
  timer.tick();
  clock.time += 2 * SECOND;
  assert.equal(timer.lap().active_ms, 2 * SECOND);
});

test("each lap starts at zero, in whole milliseconds", () => {
  const { clock, timer } = start();
  clock.time += 1000;
  timer.lap();
  clock.time += 20.4;
  assert.deepEqual(timer.lap(), { active_ms: 20, elapsed_ms: 20 });
});

test("a lap is at most a day", () => {
  const { clock, timer } = start();
  clock.time += 3 * DAY;
  assert.deepEqual(timer.lap(), { active_ms: 2 * MINUTE, elapsed_ms: DAY });
});

test("a form that leaves the page carries all the time that no answer carried", () => {
  const { clock, timer } = start();
  const fields = new Map();
  const form = /** @type {any} */ ({
    elements: { namedItem: (/** @type {string} */ name) => fields.get(name) ?? null },
    append: (/** @type {any} */ field) => fields.set(field.name, field),
  });
  globalThis.document = /** @type {any} */ ({ createElement: () => ({ value: "" }) });
  clock.time += 3 * SECOND;
  timer.lap(); // went with an answer
  clock.time += 4 * SECOND;
  timer.addTo(form); // refused: an answer is missing
  clock.time += 5 * SECOND;
  timer.addTo(form);
  assert.equal(fields.get("active_ms").value, "9000");
});
