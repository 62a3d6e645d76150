// Ranking all variants of a place: keyboard, undo, time, and the outbox. Without it the page is a plain form.
// A place is sent when every variant of it has a step, and again whenever one changes.
import { $, $$, closeGuide, helpIsOpen, lap, newId, showHelp, singleKeys, toggleGuide } from "./desk.js";
import { Outbox } from "./outbox.js";

const form = $("#answers"), cards = $$(".card[data-card]"), rows = $$(".variant");
const save = $(".save"), need = $(".need"), words = $("#words").dataset;

const cardOf = (row) => row.closest(".card");
const chosen = (row) => $("input:checked", row)?.value ?? "";
const steps = (card) => $$(".variant", card).map(chosen);
const isWhole = (card) => steps(card).every((step) => step !== "");
const open = () => cards.filter((card) => !isWhole(card)).map((card) => card.dataset.card);
const list = (a) => (a.length < 2 ? a.join("") : `${a.slice(0, -1).join(", ")} ${words.and} ${a.at(-1)}`);

// --- what is missing, what is saved ---------------------------------------------------------------

function tell(refused) {
  const left = open();
  need.classList.toggle("is-refused", refused && left.length > 0);
  need.textContent =
    left.length === 0 ? words.all
    : refused ? words.missing.replace("{list}", list(left))
    : words.count.replace("{n}", cards.length - left.length).replace("{total}", cards.length);
  for (const card of cards) card.classList.toggle("is-missing", refused && left.includes(card.dataset.card));
}

function showState(state, waiting) {
  save.dataset.state = state === "signed-out" ? "offline" : state;
  const text = { saved: words.saved, saving: words.saving, offline: words.offline,
    "signed-out": words.signedOut }[state];
  save.textContent = waiting && state !== "saving" ? `${text} (${waiting})` : text;
}

function setSteps(card, values) {
  $$(".variant", card).forEach((row, k) => {
    for (const input of $$("input", row)) input.checked = input.value === values[k];
  });
  card.dataset.was = JSON.stringify(steps(card));
}

function setVersion(card, version) {
  card.dataset.base = version;
  $(`[name="base-${card.dataset.place}"]`, card).value = version;
}

const cardOfEntry = (entry) => entry.url === form.dataset.answerUrl
  ? cards.find((card) => card.dataset.place === String(entry.phrase)) : null;

const outbox = new Outbox({
  token: $("[name=csrfmiddlewaretoken]", form).value,
  onState: showState,
  onReceipt(entry, receipt) {
    const card = cardOfEntry(entry);
    if (card) setVersion(card, receipt.version);
  },
  onConflict(entry, stored) {
    const card = cardOfEntry(entry);
    if (!card) return;
    setVersion(card, stored.version);
    setSteps(card, (stored.steps ?? []).map(String));
    card.dataset.sent = card.dataset.was;
    tell(false);
    need.classList.add("is-refused");
    need.textContent = words.conflict.replace("{list}", card.dataset.card);
  },
});

// --- answering ---------------------------------------------------------------------------------------

const undoable = [];

// A place that lost a step after it was sent is withdrawn: an empty list says so.
function send(card) {
  const whole = isWhole(card), now = JSON.stringify(whole ? steps(card) : []);
  tell(false);
  if (now === card.dataset.sent || (!whole && card.dataset.sent === undefined)) return;
  card.dataset.sent = now;
  outbox.add({
    uuid: newId(), url: form.dataset.answerUrl, phrase: Number(card.dataset.place),
    steps: JSON.parse(now).map(Number), base: Number(card.dataset.base), ...lap(),
  });
}

form.addEventListener("change", (event) => {
  const row = event.target.closest(".variant");
  if (!row) return;
  const card = cardOf(row);
  undoable.push([card, row, JSON.parse(card.dataset.was)]);
  card.dataset.was = JSON.stringify(steps(card));
  send(card);
});

function undo() {
  const last = undoable.pop();
  if (!last) return;
  const [card, row, values] = last;
  setSteps(card, values);
  go(rows.indexOf(row));
  send(card);
}

let leaving = false;
async function next() {
  if (open().length) {
    tell(true);
    go(rows.findIndex((row) => !chosen(row)));
    return;
  }
  if (leaving) return; // a double click is one click
  leaving = true;
  await outbox.flush();
  if (await outbox.waiting()) {
    need.classList.add("is-refused");
    need.textContent = words.wait;
    leaving = false;
    addEventListener("online", next, { once: true });
    return;
  }
  form.submit();
}
form.addEventListener("submit", (event) => { event.preventDefault(); next(); });
// The back button may show this page from memory: let it be used again.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// --- moving about ------------------------------------------------------------------------------------------

let on = 0;

function go(index, focus = true) {
  on = Math.min(rows.length - 1, Math.max(0, index));
  rows.forEach((row, k) => row.classList.toggle("is-on", k === on));
  const active = cardOf(rows[on]);
  for (const card of cards) card.classList.toggle("is-on", card === active);
  light(active.dataset.card);
  if (focus) ($("input:checked", rows[on]) ?? $("input", rows[on])).focus();
}

function nextOpen() {
  const k = rows.findIndex((row, i) => i > on && !chosen(row));
  if (k > -1) go(k);
}

function light(place) {
  for (const phrase of $$(".stave .ph")) phrase.classList.toggle("is-on", phrase.dataset.pair === place);
}

document.addEventListener("focusin", (event) => {
  const index = rows.indexOf(event.target.closest(".variant"));
  if (index > -1 && index !== on) go(index, false);
});
for (const phrase of $$(".stave .ph")) {
  phrase.addEventListener("mouseenter", () => light(phrase.dataset.pair));
  phrase.addEventListener("mouseleave", () => light(cardOf(rows[on]).dataset.card));
  phrase.addEventListener("click", (event) => {
    event.preventDefault();
    go(rows.findIndex((row) => cardOf(row).dataset.card === phrase.dataset.pair));
  });
}

// --- keys and buttons --------------------------------------------------------------------------------------

document.addEventListener("click", (event) => { if (event.target.closest("[data-undo]")) undo(); });

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || helpIsOpen() || !rows.length) return;
  if (target.matches("textarea, select, input:not([type=radio])")) return;
  const option = key.length === 1 && key >= "0" && key <= "9" ? $(`input[value="${key}"]`, rows[on]) : null;
  if (key === "ArrowDown") go(on + 1);
  else if (key === "ArrowUp") go(on - 1);
  else if (key === "Enter" && !target.matches("a, button, summary")) next();
  else if (key === "Escape" && closeGuide());
  else if (!singleKeys()) return;
  else if (option) { option.click(); option.focus(); nextOpen(); }
  else if (key === "u" || key === "U") undo();
  else if (key === "g" || key === "G") toggleGuide();
  else if (key === "?") showHelp();
  else return;
  event.preventDefault();
});

// --- begin -----------------------------------------------------------------------------------------------------

for (const card of cards) {
  card.dataset.was = JSON.stringify(steps(card));
  if (isWhole(card) && Number(card.dataset.base)) card.dataset.sent = card.dataset.was;
}
if (rows.length) go(Math.max(0, rows.findIndex((row) => !chosen(row))), Boolean($(".card.is-missing")));
outbox.waiting().then((n) => n && outbox.flush());
