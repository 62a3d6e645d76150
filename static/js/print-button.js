// A button that prints the page; without a script the browser's own menu does.
import { findAll } from "./dom.js";

for (const button of findAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
