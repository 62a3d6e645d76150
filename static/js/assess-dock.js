// The bar above the footer: what is chosen, and what can be done with it.
import { find, findAll, get } from "./dom.js";

/**
 * @typedef {object} Chosen
 * @property {string} text the words, empty for something missing
 * @property {string} hint
 * @property {"own" | "suggestion" | "words" | "nothing"} kind
 * @property {string} [severity]
 * @property {string} [category]
 */

export class Dock {
  /**
   * @param {object} options
   * @param {(severity: string) => void} options.onSeverity
   * @param {(category: string) => void} options.onCategory
   * @param {(act: string) => void} options.onAct accept, adjust, reject, remove, difference, missing or return
   */
  constructor({ onSeverity, onCategory, onAct }) {
    this.root = get(".dock");
    this.category = /** @type {HTMLSelectElement | null} */ (find("select", this.root));
    this.root.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      if (button?.dataset.severity) onSeverity(button.dataset.severity);
      if (button?.dataset.act) onAct(button.dataset.act);
    });
    this.category?.addEventListener("change", () => onCategory(this.category?.value ?? ""));
    this.category?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.stopPropagation();
      onAct("return");
    });
  }

  /** @param {Chosen} chosen */
  show({ text, hint, kind, severity, category }) {
    this.root.dataset.kind = kind;
    get(".dock-w", this.root).textContent = text;
    get(".dock-k", this.root).textContent = hint;
    for (const button of /** @type {HTMLButtonElement[]} */ (findAll("[data-severity]", this.root))) {
      button.setAttribute("aria-pressed", String(kind === "own" && button.dataset.severity === severity));
      button.disabled = kind === "nothing";
    }
    for (const group of findAll("[data-for]", this.root)) group.hidden = !group.dataset.for?.split(" ").includes(kind);
    if (this.category) {
      this.category.value = category ?? "";
      this.category.disabled = kind !== "own";
    }
  }
}
