// The sentences above the cards: they keep the phrases of the active card in sight.
import { find, findAll, get } from "./dom.js";

const EDGE = 4; // pixels that may be hidden without a fade

export class Band {
  constructor() {
    this.root = get(".band");
    this.rows = findAll(".stave-t", this.root);
    /** @type {string | undefined} */
    this.active = undefined;
  }

  /** Listens to its buttons and to changes of its size. */
  watch() {
    const isPhone = find(".band-b", this.root)?.checkVisibility();
    if ((localStorage.getItem("source") ?? (isPhone ? "off" : "on")) === "off") this.#foldSource();
    for (const row of this.rows) row.addEventListener("scroll", () => this.#fade(row), { passive: true });
    this.root.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("[data-source], [data-whole]");
      if (button?.matches("[data-source]")) this.toggleSource();
      if (button?.matches("[data-whole]")) this.#toggle(this.root, "is-unfolded", "[data-whole]");
    });
    new ResizeObserver(() => this.#centre()).observe(this.root);
  }

  /** @param {string | undefined} number of the active card; none: a question about the whole sentences */
  show(number) {
    this.active = number;
    this.root.classList.toggle("is-whole", !number);
    for (const phrase of findAll(".ph[data-pair]", this.root)) {
      const isOn = phrase.dataset.pair === number;
      phrase.classList.toggle("is-on", isOn);
      if (isOn) phrase.setAttribute("aria-current", "true");
      else phrase.removeAttribute("aria-current");
    }
    this.#centre();
  }

  /** @param {string | undefined} number of a card that the pointer is on */
  light(number) {
    for (const phrase of findAll(".ph[data-pair]", this.root)) {
      phrase.classList.toggle("is-lit", phrase.dataset.pair === number);
    }
  }

  /** Shows or hides the source, also on the next pages of this browser. */
  toggleSource() {
    const isOpen = this.#foldSource();
    if (isOpen !== undefined) localStorage.setItem("source", isOpen ? "on" : "off");
  }

  #foldSource() {
    const source = find(".stave-r", this.root);
    return source ? this.#toggle(source, "is-open", "[data-source]") : undefined;
  }

  /**
   * @param {Element} element
   * @param {string} name
   * @param {string} buttons
   * @returns {boolean} whether it is open now
   */
  #toggle(element, name, buttons) {
    const isOpen = element.classList.toggle(name);
    for (const button of findAll(buttons, this.root)) button.setAttribute("aria-expanded", String(isOpen));
    this.#centre();
    return isOpen;
  }

  #centre() {
    for (const row of this.rows) {
      const boxes = findAll(".ph.is-on", row).flatMap((phrase) => [...phrase.getClientRects()]);
      if (boxes.length) row.scrollTop += this.#distance(boxes, row.getBoundingClientRect());
      else if (!this.active) row.scrollTop = 0;
      this.#fade(row);
    }
  }

  /**
   * @param {DOMRect[]} boxes of the active phrases, in reading order
   * @param {DOMRect} frame
   * @returns {number} how far to scroll so that all are seen, or the first where they do not fit
   */
  #distance(boxes, frame) {
    const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
    if (bottom - top > frame.height) return boxes[0].top - frame.top - EDGE;
    return (top + bottom) / 2 - (frame.top + frame.bottom) / 2;
  }

  /** @param {HTMLElement} row */
  #fade(row) {
    row.classList.toggle("is-more-above", row.scrollTop > EDGE);
    row.classList.toggle("is-more-below", row.scrollTop + row.clientHeight < row.scrollHeight - EDGE);
  }
}
