// Phrase pairs: a scale for each, and where the task asks for it a reason.
import { find, findAll, findInput, findInputs, get } from "./dom.js";
import { cardOf } from "./navigation.js";
import { AnnotationPage } from "./page.js";

/** @param {HTMLElement} card */
const readChoice = (card) => findInput(".scale input:checked", card)?.value ?? "";

/** @param {HTMLElement} card */
const readReason = (card) => findInput(".why input:checked", card)?.value ?? "";

/** @param {{ choice?: string, reason?: string }} answer */
const join = ({ choice, reason }) => (reason ? `${choice} ${reason}` : choice ?? "");

/**
 * The weakest choice for the side of a phrase; tapped again, the strongest.
 * @param {HTMLElement} phrase
 */
function tap(phrase) {
  const side = findAll(".stave-c").findIndex((row) => row.contains(phrase)) ? "A<" : "A>";
  const inputs = findInputs(get(`#pair-${phrase.dataset.pair}`), `.scale input[value^="${side}"]`)
    .sort((a, b) => a.value.length - b.value.length);
  return inputs[0]?.checked ? inputs.at(-1) : inputs[0];
}

new AnnotationPage({
  rows: findAll(".card .scale, .rates"),
  read: (card) => join({ choice: readChoice(card), reason: readReason(card) }),
  write(card, value) {
    const [choice, reason] = value.split(" ");
    for (const input of findInputs(card, ".scale input")) input.checked = input.value === choice;
    for (const input of findInputs(card, ".why input")) input.checked = input.value === reason;
  },
  answer: (card) => ({ choice: readChoice(card), ...(find(".why", card) && { reason: readReason(card) }) }),
  stored: join,
  option: (row, digit) => findInputs(row)[Number(digit) - 1],
  reason(row, key) {
    const card = cardOf(row);
    return card && readChoice(card) ? findInput(`[data-key="${key.toUpperCase()}"]`, card) : null;
  },
  tap: "tap" in get("#answers").dataset ? tap : undefined,
}).start();
