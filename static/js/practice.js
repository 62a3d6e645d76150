// The practice round and the trial of an upload, with the keys of the annotation pages. Without scripts: a plain form
// and links.
import { closeGuidelines, toggleGuidelines, usesSingleKeys } from "./dialogs.js";
import { find, findAll, findInput, findInputs, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { isOpen } from "./navigation.js";

const form = /** @type {HTMLFormElement} */ (get("#answers")), onward = find("[data-go]");
const feedback = find(".feedback"), cards = findAll(".card");
const byPlace = findAll(".variant").length > 0;
const rows = findAll(byPlace ? ".variant" : ".scale");
let active = Math.max(0, rows.findIndex(isOpen));

/** @param {number} index */
function go(index) {
  active = Math.min(rows.length - 1, Math.max(0, index));
  rows.forEach((row, k) => row.classList.toggle("is-on", k === active && byPlace));
  for (const card of cards) card.classList.toggle("is-on", card.contains(rows[active]));
}

/**
 * On a scale digits count the choices; on a variant they are its steps, and 0 is N/A.
 * @param {string} digit
 */
function findOption(digit) {
  return byPlace ? findInput(`input[value="${digit}"]`, rows[active]) : findInputs(rows[active])[Number(digit) - 1];
}

/** @param {string} digit */
function choose(digit) {
  const input = findOption(digit);
  input?.click();
  input?.focus();
  const next = rows.findIndex(isOpen);
  if (next < 0) return;
  go(next);
  findInput("input", rows[active])?.focus();
}

go(active);
if (feedback) {
  // Checked already: the answers stay as they are beside the feedback.
  for (const input of findInputs(document, ".card input[type=radio]")) input.disabled = !input.checked;
  feedback.focus();
}
document.addEventListener("focusin", ({ target }) => {
  const row = /** @type {Element} */ (target).closest(byPlace ? ".variant" : ".card .scale");
  const index = rows.indexOf(/** @type {HTMLElement} */ (row));
  if (index > -1) go(index);
});
bindKeys((target) => ({
  hasOption: (digit) => !feedback && Boolean(findOption(digit)),
  canMove: rows.length > 1,
  onControl: target.matches("a, button, summary"),
  usesSingleKeys: usesSingleKeys(),
}), {
  answer: choose,
  "next-row": () => go(active + 1),
  "previous-row": () => go(active - 1),
  continue: () => (onward ? onward.click() : form.requestSubmit()),
  close: closeGuidelines,
  guidelines: toggleGuidelines,
});
