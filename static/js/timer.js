// Time spent on an answer, on a monotonic clock. Active time is the time in which the page is visible; of a gap without
// input, at most two minutes count.

const LONGEST_GAP = 120_000; // milliseconds
const SHORTEST = 500; // milliseconds that are worth a request of their own
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
    this.wasHidden = tab.hidden;
    this.active = 0;
  }

  /** Counts the time since the latest input, or since the tab was hidden or shown. */
  tick() {
    const now = this.clock.now();
    if (!this.wasHidden) this.active += Math.min(now - this.latest, LONGEST_GAP);
    this.wasHidden = this.tab.hidden;
    this.latest = now;
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

  /**
   * Adds the time that no answer has carried to a form that leaves the page.
   * @param {HTMLFormElement} form
   */
  addTo(form) {
    let field = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("active_ms"));
    if (!field) {
      field = Object.assign(document.createElement("input"), { type: "hidden", name: "active_ms" });
      form.append(field);
    }
    field.value = String(Math.min(Number(field.value) + this.lap().active_ms, DAY));
  }

  /**
   * Sends the time of a page that is left by a link or closed; after a form nothing is left to send.
   * @param {string} url
   * @param {string} token of the page's forms
   */
  send(url, token) {
    const { active_ms } = this.lap(), body = new FormData();
    if (active_ms < SHORTEST) return;
    body.set("csrfmiddlewaretoken", token);
    body.set("active_ms", String(active_ms));
    navigator.sendBeacon(url, body);
  }

  watchInput() {
    for (const type of ["keydown", "pointermove", "pointerdown", "scroll"]) {
      addEventListener(type, () => this.tick(), { passive: true, capture: true }); // also of elements that scroll
    }
    document.addEventListener("visibilitychange", () => this.tick());
    addEventListener("submit", ({ target }) => this.addTo(/** @type {HTMLFormElement} */ (target)));
  }
}
