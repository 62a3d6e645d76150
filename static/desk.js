// What every page of questions needs: time spent, ids for answers, the dialogs, and the way of working.

export const $ = (q, root = document) => root.querySelector(q);
export const $$ = (q, root = document) => [...root.querySelectorAll(q)];

// --- time: a monotonic clock, with pauses and hidden tabs kept apart --------------------------------

const IDLE_AFTER = 120_000, STOPPED = 10_000, DAY = 24 * 60 * 60 * 1000;
const clock = { since: performance.now(), last: performance.now(), active: 0 };

function tick() {
  const now = performance.now();
  if (now - clock.last < IDLE_AFTER && !document.hidden) clock.active += now - clock.last;
  clock.last = now;
}

// The time since the last lap, as an answer carries it.
function lap() {
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
function newId() {
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
const helpIsOpen = () => Boolean(help?.open);
export const toggleGuide = () => (guide.open ? guide.close() : guide.show());
export const closeGuide = () => { const was = guide?.open; guide?.close(); return was; };
const showHelp = () => help.showModal();

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-guide],[data-close]");
  if (button?.matches("[data-guide]")) toggleGuide();
  if (button?.matches("[data-close]")) button.closest("dialog").close();
});

// --- a page of questions: answering, moving, leaving ------------------------------------------------------

// What pages differ in: `rows` are what a digit answers, one or more for each numbered card; `read` and
// `write` the answer of a card as text; `answer(card)` what is sent for it, or nothing; `stored(receipt, card)`
// the answer that the server has; `option(row, key)` the button that a digit stands for; `light(card)` shows its phrases.
export function work({ Outbox, rows, read, write, answer, stored, option, light }) {
  const form = $("#answers"), cards = $$(".card[data-card]"), save = $(".save"), need = $(".need");
  const words = $("#words").dataset, undoable = [];
  const cardOf = (row) => row.closest(".card");
  const isOpen = (row) => !$("input:checked", row);
  const isTouched = (row) => $$("input", row).some((input) => input.checked !== input.defaultChecked);
  const open = () => cards.filter((card) => rows.some((row) => cardOf(row) === card && isOpen(row)));
  const ours = (entry) => [form.dataset.answerUrl, form.dataset.sentenceUrl].includes(entry.url);
  const cardOfEntry = (entry) => (ours(entry) && cards.find((card) => card.dataset.phrase === String(entry.phrase)));
  const waiting = new Map(); // question → the id of the newest answer that is shown here and not stored yet
  const firstOpen = () => rows.findIndex((row) => cards.includes(cardOf(row)) && isOpen(row));
  const comment = $("#comment"); // the only field of its kind
  let commented = comment?.value, on = 0, leaving = false, wantsOn = false, signedOut = false;

  // What is missing, what is saved.

  function say(text, refused) {
    need.classList.toggle("is-refused", refused);
    need.textContent = text;
  }

  function tell(refused) {
    const left = open(), numbers = left.map((card) => card.dataset.card);
    const list = numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} ${words.and} ${numbers.at(-1)}`;
    for (const card of cards) card.classList.toggle("is-missing", refused && left.includes(card));
    say(left.length === 0 ? words.all
      : refused ? (left.length > 1 ? words.many : words.one).replace("{list}", list)
      : words.count.replace("{n}", cards.length - left.length).replace("{total}", cards.length), refused && left.length > 0);
  }

  function showState(state, waiting) {
    const text = {
      saved: words.saved, saving: words.saving, unsaved: words.unsaved, offline: words.offline, "signed-out": words.signedOut,
    }[state];
    save.dataset.state = ["saved", "saving"].includes(state) ? state : "offline";
    save.textContent = waiting && state !== "saving" ? `${text} (${waiting})` : text;
    signedOut = state === "signed-out";
    if (signedOut) say(words.signIn, true);
    if (wantsOn && state !== "saving") goOn();
  }

  function setVersion(name, version) {
    form.elements[`base-${name}`].value = version;
  }

  function show(card, value) {
    write(card, value);
    card.dataset.was = read(card);
  }

  // Another window's answer is the stored one.
  function showOther(entry, receipt) {
    wantsOn = leaving = false;
    const card = cardOfEntry(entry);
    if (card) show(card, stored(receipt, card));
    else setField(entry.question, receipt.value);
    tell(false);
    say(card ? words.conflict.replace("{list}", card.dataset.card) : words.conflictWhole, true);
  }

  const outbox = new Outbox({
    token: $("[name=csrfmiddlewaretoken]", form).value,
    ours,
    onState: showState,
    onReceipt(entry, receipt) {
      if (!ours(entry)) return;
      setVersion(entry.phrase, receipt.version);
      if (waiting.get(entry.phrase) === entry.uuid) waiting.delete(entry.phrase);
      // Left in this browser by a window that is offline or closed, and newer than what stands here.
      else if (!waiting.has(entry.phrase)) showOther(entry, receipt);
    },
    onConflict(entry, receipt) {
      if (!ours(entry)) return;
      if (receipt.error !== "conflict") return location.reload(); // cut anew by the organiser, or no answer at all
      setVersion(entry.phrase, receipt.version);
      if (waiting.get(entry.phrase) === entry.uuid) waiting.delete(entry.phrase);
      showOther(entry, receipt);
    },
  });

  // Answering: each change is an answer of its own, and so is each undoing of one.

  function send(card) {
    tell(false);
    const said = answer(card);
    if (!said) return;
    add({ url: form.dataset.answerUrl, phrase: Number(card.dataset.phrase), ...said, ...lap() });
  }

  function add(said) {
    const entry = { uuid: newId(), base: base(said.phrase), ...said };
    waiting.set(entry.phrase, entry.uuid);
    outbox.add(entry);
  }

  const base = (name) => Number(form.elements[`base-${name}`].value);

  function setField(name, value) {
    const field = form.elements[name];
    if (field instanceof RadioNodeList) for (const input of field) input.checked = input.value === value;
    else field.value = commented = value;
  }

  // What is asked about the whole sentence; its time is nobody's.
  function sendField(question) {
    lap();
    add({ url: form.dataset.sentenceUrl, phrase: question, question, value: form.elements[question].value });
  }

  function sendComment() {
    if (comment.value === commented) return;
    commented = comment.value;
    sendField(comment.name);
  }

  form.addEventListener("change", changed);
  comment?.addEventListener("change", sendComment);
  // Also half-written: a telephone may forget a page that nobody looks at.
  if (comment) document.addEventListener("visibilitychange", sendComment);

  function changed({ target }) {
    const row = rows.find((one) => one.contains(target)), card = row && cardOf(row);
    if (form.elements[`base-${target.name}`]) return sendField(target.name);
    if (!card) return;
    undoable.push([card, row, card.dataset.was]);
    card.dataset.was = read(card);
    send(card);
  }

  function undo() {
    const last = undoable.pop();
    if (!last) return;
    const [card, row, was] = last;
    show(card, was);
    go(rows.indexOf(row));
    send(card);
  }

  // Leaving: only when everything is answered and stored. What waits from another page goes on waiting on the next.

  async function goOn() {
    if (!await outbox.waiting(ours)) next(); // the connection is back, and so is what was asked for
  }

  async function next() {
    if (open().length) {
      tell(true);
      go(firstOpen());
      return;
    }
    if (leaving) return; // a double click is one click
    leaving = true;
    wantsOn = false;
    await outbox.retry(ours);
    if (!leaving) return; // a conflict has to be looked at first
    if (await outbox.waiting(ours)) {
      say(signedOut ? words.signIn : words.wait, true);
      leaving = false;
      wantsOn = true;
      return;
    }
    form.submit();
    setTimeout(() => { leaving = false; }, STOPPED); // whoever stops the browser on its way may go on later
  }
  form.addEventListener("submit", (event) => { event.preventDefault(); comment?.blur(); next(); });
  // The back button may show this page from memory: let it be used again.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // Moving about.

  function go(index, focus = true) {
    on = Math.min(rows.length - 1, Math.max(0, index));
    const active = cardOf(rows[on]);
    rows.forEach((row, k) => row.classList.toggle("is-on", k === on));
    for (const card of $$(".card", form)) card.classList.toggle("is-on", card === active);
    shine(active.dataset.card);
    if (focus) ($("input:checked", rows[on]) ?? $("input", rows[on])).focus();
  }

  function shine(number) {
    for (const phrase of $$(".stave .ph")) phrase.classList.toggle("is-on", phrase.dataset.pair === number);
    light?.(number);
  }

  document.addEventListener("focusin", ({ target }) => {
    const card = target.closest(".card");
    let index = rows.findIndex((row) => row.contains(target));
    if (index < 0 && card && card !== cardOf(rows[on])) index = rows.findIndex((row) => cardOf(row) === card);
    if (index > -1 && index !== on) go(index, false);
  });
  for (const phrase of $$(".stave .ph")) {
    for (const type of ["mouseenter", "focus"]) phrase.addEventListener(type, () => shine(phrase.dataset.pair));
    phrase.addEventListener("mouseleave", () => shine(cardOf(rows[on]).dataset.card));
    phrase.addEventListener("click", (event) => {
      event.preventDefault();
      go(rows.findIndex((row) => cardOf(row).dataset.card === phrase.dataset.pair));
    });
  }

  // Keys and buttons.

  document.addEventListener("click", (event) => { if (event.target.closest("[data-undo]")) undo(); });
  // All reports are one form: only the one that is sent needs a reason.
  for (const box of $$(".report-box")) {
    $("button", box).addEventListener("click", () => {
      for (const reason of $$(".report-box input")) reason.required = box.contains(reason);
    });
  }
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || helpIsOpen() || !rows.length) return;
    if (target.matches("textarea, select, input:not([type=radio])")) return;
    const inRow = !target.matches("input") || rows.some((row) => row.contains(target));
    const chosen = inRow && key.length === 1 && key >= "0" && key <= "9" ? option(rows[on], key) : null;
    if (event.repeat && !key.startsWith("Arrow")) { // a key that is held down answers one question, not all that follow
      if (chosen || key === "Enter") event.preventDefault();
      return;
    }
    if (inRow && key === "ArrowDown") go(on + 1);
    else if (inRow && key === "ArrowUp") go(on - 1);
    else if (key === "Enter" && target.matches(".report-box input")) $("button", target.closest(".report-box")).click();
    else if (key === "Enter" && !target.matches("a, button, summary")) next();
    else if (key === "Escape" && closeGuide());
    else if (!singleKeys()) return;
    else if (chosen) {
      chosen.click();
      chosen.focus();
      const later = rows.findIndex((row, i) => i > on && isOpen(row)), k = later > -1 ? later : firstOpen();
      if (k > -1) go(k);
    } else if (key === "u" || key === "U") undo();
    else if (key === "g" || key === "G") toggleGuide();
    else if (key === "?") showHelp();
    else return;
    event.preventDefault();
  });

  // Begin; answers that wait in this browser are shown before they are stored.

  async function begin() {
    for (const card of cards) card.dataset.was = read(card);
    // Clicked while the script was on its way: newer than anything that waits.
    const touched = rows.filter(isTouched), early = cards.filter((card) => touched.some((row) => cardOf(row) === card));
    const fields = touched.filter((row) => !cards.includes(cardOf(row))).map((row) => $("input", row).name);
    const first = rows.findIndex((row) => isOpen(row));
    if (rows.length) go(first < 0 ? 0 : first, Boolean($(".card.is-missing")));
    if (location.hash === "#guidelines") toggleGuide();
    for (const entry of await outbox.kept()) {
      const card = cardOfEntry(entry), said = card && stored(entry, card);
      if (ours(entry)) waiting.set(entry.phrase, entry.uuid);
      if (card && !early.includes(card)) show(card, said);
      else if (!card && ours(entry) && !fields.includes(entry.question)) setField(entry.question, entry.value);
    }
    early.forEach(send);
    fields.forEach(sendField);
    if (await outbox.waiting()) { tell(false); outbox.flush(); }
  }
  begin();
}
