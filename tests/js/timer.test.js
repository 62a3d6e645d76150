import assert from "node:assert/strict";
import { test } from "node:test";
import { Timer } from "../../static/js/timer.js";

const MINUTE = 60_000;

function start() {
  const clock = { time: 5000, now() { return this.time; } }, tab = { hidden: false };
  return { clock, tab, timer: new Timer(clock, tab) };
}

test("time between inputs is active time", () => {
  const { clock, timer } = start();
  clock.time += 1000;
  timer.tick();
  clock.time += 500;
  assert.deepEqual(timer.lap(), { active_ms: 1500, elapsed_ms: 1500 });
});

test("a break counts as elapsed time only", () => {
  const { clock, timer } = start();
  clock.time += 1000;
  timer.tick();
  clock.time += 2 * MINUTE;
  timer.tick();
  assert.deepEqual(timer.lap(), { active_ms: 1000, elapsed_ms: 121_000 });
});

test("a hidden tab counts as elapsed time only", () => {
  const { clock, tab, timer } = start();
  clock.time += 1000;
  timer.tick();
  tab.hidden = true;
  clock.time += 3000;
  timer.tick();
  clock.time += 3000;
  tab.hidden = false;
  timer.skip();
  clock.time += 200;
  assert.deepEqual(timer.lap(), { active_ms: 1200, elapsed_ms: 7200 });
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
  clock.time += 3 * 24 * 60 * MINUTE;
  assert.deepEqual(timer.lap(), { active_ms: 0, elapsed_ms: 24 * 60 * MINUTE });
});
