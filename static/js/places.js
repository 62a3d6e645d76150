// Places: a row of steps for each variant. A place is sent when all its variants have a step, and again whenever one
// changes; a place that loses a step is withdrawn, which is sent as an empty list.
import { findAll, findInput, findInputs } from "./dom.js";
import { AnnotationPage } from "./page.js";

const WITHDRAWN = "[]";

/**
 * @param {HTMLElement} card
 * @param {string} [selector]
 */
function readSteps(card, selector = "input:checked") {
  return findAll(".variant", card).map((row) => findInput(selector, row)?.value ?? "");
}

/** @param {HTMLElement} card */
const read = (card) => JSON.stringify(readSteps(card));

/** @type {Map<HTMLElement, string>} card → what the server has of it, or will have */
const sent = new Map();
for (const card of findAll(".card[data-card]")) {
  const version = findInput(`[name="base-${card.dataset.phrase}"]`, card)?.value;
  if (Number(version)) sent.set(card, JSON.stringify(readSteps(card, "input[checked]")));
}

new AnnotationPage({
  rows: findAll(".variant"),
  read,
  write(card, value) {
    const steps = JSON.parse(value);
    findAll(".variant", card).forEach((row, k) => {
      for (const input of findInputs(row)) input.checked = input.value === steps[k];
    });
  },
  answer(card) {
    const steps = readSteps(card).includes("") ? WITHDRAWN : read(card);
    if (steps === (sent.get(card) ?? WITHDRAWN)) return null;
    sent.set(card, steps);
    return { steps: JSON.parse(steps).map(Number) };
  },
  stored({ steps }, card) {
    const stored = JSON.stringify((steps ?? []).map(String));
    sent.set(card, stored);
    return stored;
  },
  option: (row, digit) => findInput(`input[value="${digit}"]`, row),
}).start();
