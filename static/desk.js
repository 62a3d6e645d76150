// What every page of questions needs: time spent, ids for answers, and the dialogs.

export const $ = (q, root = document) => root.querySelector(q);
export const $$ = (q, root = document) => [...root.querySelectorAll(q)];

// --- time: a monotonic clock, with pauses and hidden tabs kept apart --------------------------------

const IDLE_AFTER = 120_000, DAY = 24 * 60 * 60 * 1000;
const clock = { since: performance.now(), last: performance.now(), active: 0 };

function tick() {
  const now = performance.now();
  if (now - clock.last < IDLE_AFTER && !document.hidden) clock.active += now - clock.last;
  clock.last = now;
}

// The time since the last lap, as an answer carries it.
export function lap() {
  tick();
  const spent = {
    active_ms: Math.min(Math.round(clock.active), DAY), elapsed_ms: Math.min(Math.round(clock.last - clock.since), DAY),
  };
  Object.assign(clock, { since: clock.last, active: 0 });
  return spent;
}
for (const type of ["keydown", "pointermove", "pointerdown", "scroll"]) addEventListener(type, tick, { passive: true });
document.addEventListener("visibilitychange", () => { clock.last = performance.now(); });

// --- ids ----------------------------------------------------------------------------------------------

// crypto.randomUUID exists only on https and localhost; a study in a local network may run on http.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const b = crypto.getRandomValues(new Uint8Array(16));
  b[6] = (b[6] & 0x0f) | 0x40; b[8] = (b[8] & 0x3f) | 0x80;
  return [...b].map((x, i) => ([4, 6, 8, 10].includes(i) ? "-" : "") + x.toString(16).padStart(2, "0")).join("");
}

// --- guidelines, help, single keys ------------------------------------------------------------------------

const guide = $("#guidelines"), help = $("#help"), single = $("[data-single-keys]");
if (single) {
  single.checked = localStorage.getItem("single-keys") !== "off";
  single.addEventListener("change", () => localStorage.setItem("single-keys", single.checked ? "on" : "off"));
}
export const singleKeys = () => !single || single.checked;
export const helpIsOpen = () => Boolean(help?.open);
export const toggleGuide = () => (guide.open ? guide.close() : guide.show());
export const closeGuide = () => { const was = guide?.open; guide?.close(); return was; };
export const showHelp = () => help.showModal();

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-guide],[data-close]");
  if (button?.matches("[data-guide]")) toggleGuide();
  if (button?.matches("[data-close]")) button.closest("dialog").close();
});
