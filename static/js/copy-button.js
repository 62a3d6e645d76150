// A button beside a link that copies it; where that is impossible, the field can be selected by hand.
import { findAll } from "./dom.js";

for (const button of findAll("[data-copy]")) {
  const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy ?? ""));
  button.hidden = !navigator.clipboard;
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = button.dataset.copied ?? "";
    } catch { // refused by the browser or its settings
      field.focus();
    }
  });
}
