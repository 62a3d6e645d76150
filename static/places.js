// Ranking all variants of a place: a row of steps for each. Without it the page is a plain form.
// A place is sent when every variant of it has a step, and again whenever one changes.
import { $, $$, work } from "./desk.js";
import { Outbox } from "./outbox.js";

const steps = (card) => $$(".variant", card).map((row) => $("input:checked", row)?.value ?? "");
const read = (card) => JSON.stringify(steps(card));
const sent = new Map(); // card → what the server has of it, or will have; an empty list is a withdrawn answer
for (const card of $$(".card[data-card]")) {
  const stored = $$(".variant", card).map((row) => $("input[checked]", row)?.value ?? "");
  if (Number($(`[name="base-${card.dataset.phrase}"]`, card).value)) sent.set(card, JSON.stringify(stored));
}

work({
  Outbox,
  rows: $$(".variant"),
  read,
  write(card, value) {
    const values = JSON.parse(value);
    $$(".variant", card).forEach((row, k) => {
      for (const input of $$("input", row)) input.checked = input.value === values[k];
    });
  },
  // A place that lost a step after it was sent is withdrawn.
  answer(card) {
    const isWhole = !steps(card).includes(""), now = isWhole ? read(card) : "[]";
    if (now === (sent.get(card) ?? "[]")) return null;
    sent.set(card, now);
    return { steps: JSON.parse(now).map(Number) };
  },
  stored(receipt, card) {
    sent.set(card, JSON.stringify((receipt.steps ?? []).map(String)));
    return sent.get(card);
  },
  option: (row, key) => $(`input[value="${key}"]`, row),
});
