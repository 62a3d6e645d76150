// The practice round by keyboard: digits choose, Enter checks and goes on. Without it: a plain form and links.
import { $, $$, closeGuide, singleKeys, toggleGuide } from "./desk.js";

const form = $("#answers"), options = $$(".scale input"), onward = $("[data-go]");
$(".card").classList.add("is-on");
if (onward) for (const option of options) option.disabled = !option.checked; // answered: read what is said
$(".feedback")?.focus();

document.addEventListener("keydown", (event) => {
  const { key, target } = event, n = Number(key);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "Enter" && !target.matches("a, button, summary")) onward ? onward.click() : form.requestSubmit();
  else if (key === "Escape" && closeGuide());
  else if (!singleKeys()) return;
  else if (!onward && key >= "1" && n <= options.length) { options[n - 1].click(); options[n - 1].focus(); }
  else if (key === "g" || key === "G") toggleGuide();
  else return;
  event.preventDefault();
});
