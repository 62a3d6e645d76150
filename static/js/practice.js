// The practice round and the trial of an upload, with the keys of the annotation pages. Without scripts: a plain form
// and links.
import { Band } from "./band.js";
import { closeGuidelines, toggleGuidelines } from "./dialogs.js";
import { find, findAll, findInput, findInputs, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { isOpen, Navigation } from "./navigation.js";
import { isSet } from "./settings.js";

const form = /** @type {HTMLFormElement} */ (get("#answers")), onward = find("[data-go]");
const feedback = find(".feedback"), band = new Band();
const byPlace = findAll(".variant").length > 0;
const rows = findAll(byPlace ? ".variant" : ".scale");
const navigation = new Navigation({
  rows, cards: findAll(".card"), band, onMove: () => {},
  onPhrase: ({ dataset }) => navigation.go(rows.findIndex((row) => row.closest(`#pair-${dataset.pair}`))),
});

/**
 * On a scale digits count the choices; on a variant they are its steps, and 0 is N/A.
 * @param {string} digit
 */
function findOption(digit) {
  const row = navigation.activeRow;
  return byPlace ? findInput(`input[value="${digit}"]`, row) : findInputs(row)[Number(digit) - 1];
}

band.watch();
navigation.watch();
navigation.go(Math.max(0, rows.findIndex(isOpen)), false);
if (feedback) {
  // Checked already: the answers stay as they are beside the feedback.
  for (const input of findInputs(document, ".card input[type=radio]")) input.disabled = !input.checked;
  feedback.focus();
}
form.addEventListener("change", () => navigation.goToOpen());
bindKeys((target) => ({
  hasOption: (digit) => !feedback && Boolean(findOption(digit)),
  canMove: !target.matches(".stave-t"),
  onChoice: target.matches("input[type=radio]:not(:checked)"),
  onControl: target.matches("a, button, summary"),
  usesSingleKeys: isSet("single-keys"),
}), {
  answer: (digit) => findOption(digit)?.click(),
  choose: (_, target) => /** @type {HTMLElement} */ (target).click(),
  "next-row": () => navigation.go(navigation.index + 1),
  "previous-row": () => navigation.go(navigation.index - 1),
  "next-choice": () => navigation.focusChoice(1),
  "previous-choice": () => navigation.focusChoice(-1),
  continue: () => (onward ? onward.click() : form.requestSubmit()),
  close: closeGuidelines,
  guidelines: toggleGuidelines,
  source: () => band.toggleSource(),
});
