// The annotation page: keyboard, undo, connectors, time, and the outbox. Everything here is convenience:
// without it the page is a plain form that does the same.
import { $, $$, closeGuide, helpIsOpen, lap, newId, showHelp, singleKeys, toggleGuide } from "./desk.js";
import { Outbox } from "./outbox.js";

const form = $("#answers"), cards = $$(".card[data-card]"), save = $(".save"), need = $(".need");
const words = $("#words").dataset, links = $(".links");

const chosen = (card) => $(".scale input:checked", card)?.value ?? "";
const open = () => cards.filter((card) => !chosen(card)).map((card) => card.dataset.card);
const list = (a) => (a.length < 2 ? a.join("") : `${a.slice(0, -1).join(", ")} ${words.and} ${a.at(-1)}`);

// --- what is missing, what is saved ---------------------------------------------------------------

function tell(refused) {
  const left = open();
  need.classList.toggle("is-refused", refused && left.length > 0);
  need.textContent =
    left.length === 0 ? words.all
    : refused ? (left.length > 1 ? words.many : words.one).replace("{list}", list(left))
    : words.count.replace("{n}", cards.length - left.length).replace("{total}", cards.length);
  for (const card of cards) card.classList.toggle("is-missing", refused && left.includes(card.dataset.card));
}

function showState(state, waiting) {
  save.dataset.state = state === "signed-out" ? "offline" : state;
  const text = { saved: words.saved, saving: words.saving, offline: words.offline,
    "signed-out": words.signedOut }[state];
  save.textContent = waiting && state !== "saving" ? `${text} (${waiting})` : text;
}

function setChoice(card, value) {
  for (const input of $$(".scale input", card)) input.checked = input.value === value;
  card.dataset.was = value;
}

const cardOf = (entry) => entry.url === form.dataset.answerUrl
  ? cards.find((card) => card.dataset.phrase === String(entry.phrase)) : null;

const outbox = new Outbox({
  token: $("[name=csrfmiddlewaretoken]", form).value,
  onState: showState,
  onReceipt(entry, receipt) {
    const card = cardOf(entry);
    if (!card) return;
    card.dataset.base = receipt.version;
    $(`[name="base-${card.dataset.phrase}"]`, card).value = receipt.version;
  },
  onConflict(entry, stored) {
    if (stored.error === "corrected") return location.reload(); // the organiser has cut the phrases anew
    const card = cardOf(entry);
    if (!card) return;
    card.dataset.base = stored.version;
    $(`[name="base-${card.dataset.phrase}"]`, card).value = stored.version;
    setChoice(card, stored.choice ?? "");
    tell(false);
    need.classList.add("is-refused");
    need.textContent = words.conflict.replace("{list}", card.dataset.card);
  },
});

// --- answering ---------------------------------------------------------------------------------------

const undoable = [];

function send(card) {
  outbox.add({
    uuid: newId(), url: form.dataset.answerUrl, phrase: Number(card.dataset.phrase), choice: chosen(card),
    base: Number(card.dataset.base), ...lap(),
  });
  tell(false);
}

form.addEventListener("change", (event) => {
  const card = event.target.closest(".card[data-card]");
  if (!card || !event.target.closest(".scale")) return;
  undoable.push([card, card.dataset.was]);
  card.dataset.was = event.target.value;
  send(card);
});

function undo() {
  const last = undoable.pop();
  if (!last) return;
  setChoice(...last);
  go(cards.indexOf(last[0]));
  send(last[0]);
}

let leaving = false;
async function next() {
  if (open().length) {
    tell(true);
    go(cards.findIndex((card) => !chosen(card)));
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

// --- moving about and the connector --------------------------------------------------------------------

let on = 0;

function go(index, focus = true) {
  on = Math.min(cards.length - 1, Math.max(0, index));
  cards.forEach((card, k) => card.classList.toggle("is-on", k === on));
  light(cards[on].dataset.card);
  if (focus) ($(".scale input:checked", cards[on]) ?? $(".scale input", cards[on])).focus();
}

function nextOpen() {
  const k = cards.findIndex((card, i) => i > on && !chosen(card));
  if (k > -1) go(k);
}

function light(pair) {
  for (const phrase of $$(".stave .ph")) phrase.classList.toggle("is-on", phrase.dataset.pair === pair);
  draw(pair);
}

function draw(pair) {
  links.replaceChildren();
  const ends = $$(`.stave .ph[data-pair="${pair}"]`);
  if (ends.length < 2) return;
  const box = links.getBoundingClientRect();
  const [a, b] = ends.map((end, i) => { const r = [...end.getClientRects()]; return i ? r[0] : r.at(-1); });
  const x1 = a.left + a.width / 2 - box.left, y1 = a.bottom - box.top + 3;
  const x2 = b.left + b.width / 2 - box.left, y2 = b.top - box.top - 3, m = (y1 + y2) / 2;
  const make = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  links.setAttribute("class", `links p${(pair - 1) % 6 + 1}`);
  links.append(
    make("path", { d: `M${x1} ${y1}C${x1} ${m + 8} ${x2} ${m - 8} ${x2} ${y2}`, "data-kind": ends[0].dataset.kind }),
    make("circle", { cx: x1, cy: y1, r: 3.5 }), make("circle", { cx: x2, cy: y2, r: 3.5 }),
  );
}

document.addEventListener("focusin", (event) => {
  const index = cards.indexOf(event.target.closest(".card[data-card]"));
  if (index > -1 && index !== on) go(index, false);
});
for (const phrase of $$(".stave .ph")) {
  phrase.addEventListener("mouseenter", () => light(phrase.dataset.pair));
  phrase.addEventListener("focus", () => light(phrase.dataset.pair));
  phrase.addEventListener("mouseleave", () => light(cards[on].dataset.card));
  phrase.addEventListener("click", (event) => {
    event.preventDefault();
    go(cards.findIndex((card) => card.dataset.card === phrase.dataset.pair));
  });
}

// --- keys and buttons --------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-undo]")) undo();
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || helpIsOpen()) return;
  if (target.matches("textarea, select, input:not([type=radio])")) return;
  const inCard = target.matches(".scale input") || !target.matches("input");
  const options = cards.length ? $$(".scale input", cards[on]) : [], n = Number(key);
  if (key === "ArrowDown" && inCard) go(on + 1);
  else if (key === "ArrowUp" && inCard) go(on - 1);
  else if (key === "Enter" && !target.matches("a, button, summary")) next();
  else if (key === "Escape" && closeGuide());
  else if (!singleKeys()) return;
  else if (key >= "1" && n <= options.length && inCard) { options[n - 1].click(); options[n - 1].focus(); nextOpen(); }
  else if (key === "u" || key === "U") undo();
  else if (key === "g" || key === "G") toggleGuide();
  else if (key === "?") showHelp();
  else return;
  event.preventDefault();
});

// --- begin -----------------------------------------------------------------------------------------------------

for (const card of cards) card.dataset.was = chosen(card);
if (cards.length) {
  const refused = $(".card.is-missing");
  go(Math.max(0, cards.findIndex((card) => !chosen(card))), Boolean(refused));
  new ResizeObserver(() => draw(cards[on].dataset.card)).observe($(".staves"));
}
if (location.hash === "#guidelines") toggleGuide();
outbox.waiting().then((n) => n && outbox.flush());
