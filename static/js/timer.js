// Time spent on an answer, on a monotonic clock; breaks and hidden tabs do not count as active time.

const IDLE_AFTER = 120_000; // milliseconds without input that make a break
const DAY = 24 * 60 * 60 * 1000; // the most that the server accepts

/** @typedef {{ active_ms: number, elapsed_ms: number }} Lap */

export class Timer {
  /**
   * @param {{ now: () => number }} [clock] in milliseconds, never set back
   * @param {{ hidden: boolean }} [tab]
   */
  constructor(clock = performance, tab = document) {
    this.clock = clock;
    this.tab = tab;
    this.started = this.latest = clock.now();
    this.active = 0;
  }

  /** Counts the time since the latest input as active, unless it was a break. */
  tick() {
    const now = this.clock.now();
    if (now - this.latest < IDLE_AFTER && !this.tab.hidden) this.active += now - this.latest;
    this.latest = now;
  }

  /** Leaves out the time since the latest input: the tab was hidden or is shown again. */
  skip() {
    this.latest = this.clock.now();
  }

  /**
   * Ends a lap and starts the next.
   * @returns {Lap} as an answer carries it
   */
  lap() {
    this.tick();
    const lap = {
      active_ms: Math.min(Math.round(this.active), DAY),
      elapsed_ms: Math.min(Math.round(this.latest - this.started), DAY),
    };
    this.started = this.latest;
    this.active = 0;
    return lap;
  }

  watchInput() {
    for (const type of ["keydown", "pointermove", "pointerdown", "scroll"]) {
      addEventListener(type, () => this.tick(), { passive: true });
    }
    document.addEventListener("visibilitychange", () => this.skip());
  }
}
