// One question at a time: dots that tell which, buttons, and swiping.
import { findAll, get } from "./dom.js";
import { applySetting } from "./settings.js";

const SWIPE = 60; // pixels
const MOST_DOTS = 12;

export class Stepper {
  /**
   * @param {object} options
   * @param {HTMLElement[]} options.cards
   * @param {(steps: number) => void} options.onStep
   * @param {() => void} options.onSwitch after the switch between one question and all
   */
  constructor({ cards, onStep, onSwitch }) {
    this.cards = cards;
    this.dots = get(".qdots");
    applySetting("one-question", (isOn) => {
      document.body.classList.toggle("is-one", isOn);
      onSwitch();
    });
    if (cards.length <= MOST_DOTS) this.dots.append(...cards.map(() => document.createElement("i")));
    else this.bar = this.dots.appendChild(document.createElement("progress"));
    for (const button of findAll("[data-step]")) {
      button.addEventListener("click", () => onStep(Number(button.dataset.step)));
    }
    this.#watchSwipes(onStep);
  }

  get isOn() {
    return document.body.classList.contains("is-one");
  }

  /**
   * @param {HTMLElement | undefined} active
   * @param {HTMLElement[]} open
   */
  show(active, open) {
    document.body.classList.toggle("is-complete", !open.length);
    if (this.bar) Object.assign(this.bar, { max: this.cards.length, value: this.cards.length - open.length });
    [...this.dots.querySelectorAll("i")].forEach((dot, k) => {
      dot.className = `${this.cards[k] === active ? "is-on" : ""} ${open.includes(this.cards[k]) ? "" : "is-done"}`;
    });
  }

  /** @param {(steps: number) => void} onStep */
  #watchSwipes(onStep) {
    /** @type {Touch | null} */
    let start = null;
    const main = get(".main");
    main.addEventListener("touchstart", ({ target, touches }) => {
      const scrolls = target instanceof Element && target.closest(".why, .text, .sl, .hnd");
      start = this.isOn && touches.length === 1 && !scrolls ? touches[0] : null;
    }, { passive: true });
    main.addEventListener("touchend", ({ changedTouches: [end] }) => {
      if (!start) return;
      const x = end.clientX - start.clientX, y = end.clientY - start.clientY;
      if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) onStep(x < 0 ? 1 : -1);
    }, { passive: true });
  }
}
