// The mark “unsure” of a sentence, which the manager sees.
import { find, findAll, get } from "./dom.js";

/**
 * @param {string} token of the page's forms
 * @param {() => void} onFailure
 */
export function watchUnsure(token, onFailure) {
  const buttons = findAll("[data-unsure]");

  /** @param {boolean} isUnsure */
  function show(isUnsure) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(isUnsure));
    find(".dots [aria-current]")?.classList.toggle("is-unsure", isUnsure);
  }

  async function toggle() {
    const isUnsure = buttons[0].getAttribute("aria-pressed") !== "true";
    show(isUnsure);
    const response = await fetch(get("#answers").dataset.unsureUrl ?? "", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify({ is_unsure: isUnsure }),
    }).catch(() => null);
    if (response?.ok) return;
    show(!isUnsure);
    onFailure();
  }
  for (const button of buttons) button.addEventListener("click", toggle);
}
