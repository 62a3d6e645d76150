// The alignment editor: choose a word of A and a word of B to link or unlink them. The links live in the text
// field, which is all that the server ever sees; without this script it is typed in by hand.
const $ = (q, root = document) => root.querySelector(q);
const $$ = (q, root = document) => [...root.querySelectorAll(q)];

const form = $("[data-align]"), words = form.dataset, field = $("[name=links]", form), join = $("[name=join]", form);
const inner = $(".align-in", form), lines = $(".align-lines", form), shown = $("[data-preview]", form);
const said = $("[data-said]", form);

// --- words become buttons --------------------------------------------------------------------------------

const rows = { a: [], b: [] };
for (const row of $$(".align-row", form)) {
  const side = row.dataset.side;
  rows[side] = $$("[data-word]", row).map((span, index) => {
    const button = document.createElement("button"), state = document.createElement("span");
    button.type = "button";
    button.className = "word";
    Object.assign(button.dataset, { side, index });
    button.append(...span.childNodes, state);
    state.className = "vh";
    $("i", button).setAttribute("aria-hidden", "true");
    button.tabIndex = index ? -1 : 0;
    button.setAttribute("aria-pressed", "false");
    span.replaceWith(button);
    return button;
  });
}
for (const element of $$("[data-needs-script]")) element.hidden = false;
for (const element of $$("[data-without-script]")) element.hidden = true;

const text = (button) => button.childNodes[1].data;
const indexOf = (button) => Number(button.dataset.index);

// --- links -------------------------------------------------------------------------------------------------

const byNumbers = ([i, j], [k, l]) => i - k || j - l;
const written = (links) => links.map((link) => link.join("-")).join(" ");

// The links of the field; null where it says something else, which the server will explain.
function read() {
  const links = new Map();
  for (const token of field.value.split(/\s+/).filter(Boolean)) {
    const found = /^(\d{1,6})-(\d{1,6})$/.exec(token);
    if (!found || found[1] >= rows.a.length || found[2] >= rows.b.length) return null;
    const link = [Number(found[1]), Number(found[2])];
    links.set(link.join("-"), link);
  }
  return [...links.values()].sort(byNumbers);
}

const saidNow = () => ({ links: field.value, join: join.checked });
const start = saidNow(), past = [];
let links = read() ?? [], picked = null, now = start;

// What the form says has changed; the state before can be had back.
function changed() {
  past.push(now);
  now = saidNow();
  links = read() ?? links;
  draw();
  ask();
}

function show(state) {
  field.value = state.links;
  join.checked = state.join;
}

function toggle(i, j) {
  const rest = links.filter(([k, l]) => k !== i || l !== j), linked = rest.length === links.length;
  if (linked) rest.push([i, j]);
  say(linked ? words.now : words.gone, text(rows.a[i]), text(rows.b[j]));
  field.value = written(rest.sort(byNumbers));
  changed();
}

// A word may itself be $& or {b}: it is put in as it is.
function say(sentence, a, b) {
  said.textContent = sentence.replace(/\{[ab]\}/g, (place) => (place === "{a}" ? a : b));
}

function undo() {
  const state = past.pop();
  if (!state) return;
  show(state);
  changed();
  past.pop(); // undoing is no step of its own
}

function reset() {
  pick(null);
  if (now.links === start.links && now.join === start.join) return;
  show(start);
  changed();
}

// --- choosing ----------------------------------------------------------------------------------------------

function pick(button) {
  picked?.setAttribute("aria-pressed", "false");
  picked = button;
  picked?.setAttribute("aria-pressed", "true");
  draw();
}

function choose(button) {
  if (button === picked) pick(null);
  else if (!picked || picked.dataset.side === button.dataset.side) pick(button);
  else {
    const [a, b] = button.dataset.side === "b" ? [picked, button] : [button, picked];
    pick(null);
    toggle(indexOf(a), indexOf(b));
  }
}

// --- drawing -----------------------------------------------------------------------------------------------

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const isColumn = () => getComputedStyle(inner).flexDirection === "row";

function path(from, to, box) {
  const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
  if (isColumn()) {
    const [left, right] = a.left < b.left ? [a.right, b.left] : [a.left, b.right];
    const x1 = left - box.left, y1 = a.top + a.height / 2 - box.top, x2 = right - box.left;
    const y2 = b.top + b.height / 2 - box.top, m = (x1 + x2) / 2;
    return `M${x1} ${y1}C${m} ${y1} ${m} ${y2} ${x2} ${y2}`;
  }
  const x1 = a.left + a.width / 2 - box.left, y1 = a.bottom - box.top;
  const x2 = b.left + b.width / 2 - box.left, y2 = b.top - box.top, m = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${m} ${x2} ${m} ${x2} ${y2}`;
}

function draw() {
  const box = inner.getBoundingClientRect(), partners = new Map();
  const dropped = new Set(($("[data-dropped]", shown)?.dataset.dropped ?? "").split(" "));
  lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  lines.replaceChildren(...links.map(([i, j]) => {
    const a = rows.a[i], b = rows.b[j];
    partners.set(a, [...(partners.get(a) ?? []), text(b)]);
    partners.set(b, [...(partners.get(b) ?? []), text(a)]);
    const same = text(a).toLowerCase() === text(b).toLowerCase();
    const kind = dropped.has(`${i}-${j}`) ? "dropped" : same ? "same" : "differs";
    return element("path", { d: path(a, b, box), "data-kind": kind, "data-link": `${i}-${j}`,
      class: a === picked || b === picked ? "is-on" : "" });
  }));
  for (const button of [...rows.a, ...rows.b]) {
    const found = partners.get(button);
    button.classList.toggle("is-linked", Boolean(found));
    const state = found ? words.linked.replace("{words}", () => found.join(", ")) : words.unlinked;
    button.lastChild.textContent = ` (${state})`;
  }
}

// --- what annotators will see --------------------------------------------------------------------------------

let request = null, timer = 0;

function ask() {
  shown.setAttribute("aria-busy", "true");
  clearTimeout(timer);
  timer = setTimeout(load, 120);
}

function stop() {
  clearTimeout(timer);
  request?.abort();
}

async function load() {
  request?.abort();
  request = new AbortController();
  try {
    const response = await fetch(words.previewUrl, {
      method: "POST", body: new FormData(form), credentials: "same-origin", redirect: "error",
      signal: request.signal,
    });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    shown.replaceChildren(...page.body.childNodes);
    shown.removeAttribute("aria-busy");
    draw();
  } catch (error) {
    if (error.name === "AbortError") return;
    shown.removeAttribute("aria-busy");
    said.textContent = words.failed;
  }
}

// --- keys and events -----------------------------------------------------------------------------------------

function focus(button) {
  if (!button) return;
  for (const other of rows[button.dataset.side]) other.tabIndex = other === button ? 0 : -1;
  button.focus();
}

function across(button) {
  const other = rows[button.dataset.side === "a" ? "b" : "a"], column = isColumn();
  const centre = (one) => {
    const r = one.getBoundingClientRect();
    return column ? r.top + r.height / 2 : r.left + r.width / 2;
  };
  const here = centre(button);
  return other.reduce((best, one) => (best && Math.abs(centre(best) - here) <= Math.abs(centre(one) - here) ? best : one), null);
}

function target(button, key) {
  const row = rows[button.dataset.side], at = indexOf(button);
  const turned = !isColumn() && getComputedStyle(button.parentElement).direction === "rtl";
  const along = isColumn() ? { ArrowUp: -1, ArrowDown: 1 } : { ArrowLeft: turned ? 1 : -1, ArrowRight: turned ? -1 : 1 };
  if (key in along) return row[at + along[key]] ?? button;
  if (key === "Home") return row[0];
  if (key === "End") return row.at(-1);
  return key.startsWith("Arrow") ? across(button) : null;
}

form.addEventListener("click", (event) => {
  const button = event.target.closest(".word, [data-undo], [data-reset]");
  if (button?.matches(".word")) { focus(button); choose(button); }
  else if (button?.matches("[data-undo]")) undo();
  else if (button) reset();
});

form.addEventListener("keydown", (event) => {
  const button = event.target.closest("button.word");
  if (!button || event.ctrlKey || event.metaKey || event.altKey) return;
  const next = target(button, event.key);
  if (next) focus(next);
  else if (event.key === "Escape") pick(null);
  else if (event.key === "u" || event.key === "U") undo();
  else return;
  event.preventDefault();
});

field.addEventListener("input", changed);
// Enter in the field asks for nothing more than the preview, which is there already.
field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
join.addEventListener("change", changed);

form.addEventListener("submit", stop);

new ResizeObserver(draw).observe(inner);
draw();
