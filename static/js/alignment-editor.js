// The alignment editor: choose a word of A and a word of B to link or unlink them. The links live in the text field,
// which is all that the server ever sees; without scripts it is typed in by hand.
import { drawLines, formatLinks, parseLinks } from "./alignment-links.js";
import { Preview } from "./alignment-preview.js";
import { createButtons, indexOf, sideOf, textOf, WordNavigation } from "./alignment-words.js";
import { find, findAll, get } from "./dom.js";

/** @typedef {{ links: string, join: boolean }} Settings what the form says */

const form = /** @type {HTMLFormElement} */ (get("[data-align]"));
const field = /** @type {HTMLInputElement} */ (get("[name=links]", form));
const join = /** @type {HTMLInputElement} */ (get("[name=join]", form));
const panel = get("[data-preview]", form), announcement = get("[data-said]", form);
const words = /** @type {import("./dom.js").Words} */ (form.dataset);
const rows = createButtons(), navigation = new WordNavigation(rows);
for (const element of findAll("[data-needs-script]")) element.hidden = false;
for (const element of findAll("[data-without-script]")) element.hidden = true;

/** @returns {Settings} */
const readSettings = () => ({ links: field.value, join: join.checked });
const readLinks = () => parseLinks(field.value, rows.a.length, rows.b.length);
const initial = readSettings();
/** @type {Settings[]} */
const history = [];
let links = readLinks() ?? [], settings = initial;
/** @type {HTMLButtonElement | null} */
let picked = null;

const preview = new Preview({
  form, panel, url: words.previewUrl, onLoad: draw, onError: () => { announcement.textContent = words.failed; },
});

// --- links ---------------------------------------------------------------------------------------------------

/** The form has changed; the previous settings can be restored. */
function change() {
  history.push(settings);
  settings = readSettings();
  links = readLinks() ?? links;
  draw();
  preview.schedule();
}

/** @param {Settings} other */
function restore(other) {
  field.value = other.links;
  join.checked = other.join;
  change();
}

/**
 * @param {HTMLButtonElement} a
 * @param {HTMLButtonElement} b
 */
function toggleLink(a, b) {
  const i = indexOf(a), j = indexOf(b), others = links.filter(([k, l]) => k !== i || l !== j);
  const isNew = others.length === links.length;
  // A word may itself be $& or {b}: it is inserted as it is.
  announcement.textContent = (isNew ? words.now : words.gone)
    .replace(/\{[ab]\}/g, (place) => textOf(place === "{a}" ? a : b));
  field.value = formatLinks(isNew ? [...others, [i, j]] : others);
  change();
}

function undo() {
  const previous = history.pop();
  if (!previous) return;
  restore(previous);
  history.pop(); // undoing is not a step of its own
}

function reset() {
  pick(null);
  if (settings.links !== initial.links || settings.join !== initial.join) restore(initial);
}

// --- choosing words --------------------------------------------------------------------------------------------

/** @param {HTMLButtonElement | null} button */
function pick(button) {
  picked?.setAttribute("aria-pressed", "false");
  picked = button;
  picked?.setAttribute("aria-pressed", "true");
  draw();
}

/** @param {HTMLButtonElement} button */
function choose(button) {
  if (button === picked) pick(null);
  else if (!picked || sideOf(picked) === sideOf(button)) pick(button);
  else {
    const [a, b] = sideOf(button) === "b" ? [picked, button] : [button, picked];
    pick(null);
    toggleLink(a, b);
  }
}

function draw() {
  const dropped = new Set((find("[data-dropped]", panel)?.dataset.dropped ?? "").split(" "));
  drawLines(links, rows, { dropped, picked });
  for (const button of [...rows.a, ...rows.b]) describe(button);
}

/** @param {HTMLButtonElement} button says which words it is linked with */
function describe(button) {
  const index = indexOf(button), isA = sideOf(button) === "a";
  const partners = links.filter((link) => link[isA ? 0 : 1] === index)
    .map((link) => textOf(isA ? rows.b[link[1]] : rows.a[link[0]]));
  button.classList.toggle("is-linked", partners.length > 0);
  const state = partners.length ? words.linked.replace("{words}", () => partners.join(", ")) : words.unlinked;
  /** @type {ChildNode} */ (button.lastChild).textContent = ` (${state})`;
}

// --- events ----------------------------------------------------------------------------------------------------

form.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest(".word, [data-undo], [data-reset]") : null;
  if (button instanceof HTMLButtonElement && button.matches(".word")) {
    navigation.focus(button);
    choose(button);
  } else if (button?.matches("[data-undo]")) undo();
  else if (button) reset();
});

form.addEventListener("keydown", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button.word") : null;
  if (!(button instanceof HTMLButtonElement) || event.ctrlKey || event.metaKey || event.altKey) return;
  const next = navigation.target(button, event.key);
  if (next) navigation.focus(next);
  else if (event.key === "Escape") pick(null);
  else if (event.key === "u" || event.key === "U") undo();
  else return;
  event.preventDefault();
});

field.addEventListener("input", change);
// Enter in the field asks for nothing more than the preview, which is there already.
field.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
join.addEventListener("change", change);
form.addEventListener("submit", () => preview.cancel());

new ResizeObserver(draw).observe(get(".align-in", form));
draw();
