// The practice round and the trial of an upload by keyboard, as on the real pages: digits choose (or put the
// active variant on a step), Enter checks and goes on. Without it: a plain form and links.
import { $, $$, closeGuide, singleKeys, toggleGuide } from "./desk.js";

const form = $("#answers"), onward = $("[data-go]"), inputs = $$(".card input[type=radio]");
const stepped = $$(".variant").length > 0, cards = $$(".card");
const rows = $$(stepped ? ".variant" : ".scale"); // a scale for each question, or a row for each variant
const isOpen = (row) => !$("input:checked", row);
let on = Math.max(0, rows.findIndex(isOpen));

function go(index) {
  on = Math.min(rows.length - 1, Math.max(0, index));
  rows.forEach((row, k) => row.classList.toggle("is-on", k === on && stepped));
  for (const card of cards) card.classList.toggle("is-on", card.contains(rows[on]));
}

go(on);
const feedback = $(".feedback");
if (feedback) for (const input of inputs) input.disabled = !input.checked; // answered: read what is said
feedback?.focus();
document.addEventListener("focusin", (event) => {
  const index = rows.indexOf(event.target.closest(stepped ? ".variant" : ".card .scale"));
  if (index > -1) go(index);
});

// On a scale digits count the choices; on a row of steps they are the steps, 0 is N/A.
function option(key) {
  if (key.length !== 1 || key < "0" || key > "9") return undefined;
  return stepped ? $(`input[value="${key}"]`, rows[on]) : $$("input", rows[on])[Number(key) - 1];
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.repeat && !key.startsWith("Arrow")) { // held down: one question is answered, and what is said to it stays
    if (key === "Enter" || option(key)) event.preventDefault();
    return;
  }
  if (key === "Enter" && !target.matches("a, button, summary")) onward ? onward.click() : form.requestSubmit();
  else if (key === "Escape" && closeGuide());
  else if (rows.length > 1 && (key === "ArrowDown" || key === "ArrowUp")) go(on + (key === "ArrowDown" ? 1 : -1));
  else if (!singleKeys()) return;
  else if (!feedback && option(key)) {
    const chosen = option(key);
    chosen.click();
    chosen.focus();
    const next = rows.findIndex(isOpen);
    if (next > -1) { go(next); $("input", rows[on]).focus(); }
  } else if (key === "g" || key === "G") toggleGuide();
  else return;
  event.preventDefault();
});
