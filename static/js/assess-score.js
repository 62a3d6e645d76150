// The slider of a score. It has no thumb before it is touched: no score is not the middle of the scale.
import { get } from "./dom.js";
import { describe, readDigit } from "./assess-scale.js";

export class ScoreSlider {
  /**
   * @param {HTMLElement} root
   * @param {import("./assess-scale.js").Scale} scale
   * @param {{ words: import("./dom.js").Words, onScore: (score: number) => void }} options
   */
  constructor(root, scale, { words, onScore }) {
    this.root = root;
    this.scale = scale;
    this.words = words;
    this.onScore = onScore;
    this.output = get("output", root);
    this.input = /** @type {HTMLInputElement} */ (get("input", root));
    const { value, defaultValue } = this.input;
    /** A score that was typed before the script ran. */
    this.typed = value && value !== defaultValue ? Number(value) : null;
    this.input.type = "range"; // a number field without scripts
    this.isHeld = false;
    this.#listen();
  }

  /** @param {number | null} score */
  show(score) {
    const { max } = this.scale, { unrated, ofMax } = this.words, middle = (this.scale.min + max) / 2;
    const text = score === null ? unrated : ofMax.replace("{n}", String(score)).replace("{max}", String(max));
    const meaning = score === null ? "" : describe(this.scale, score);
    this.root.classList.toggle("is-unset", score === null);
    this.input.value = String(score ?? middle);
    this.output.textContent = score === null ? unrated : String(score);
    this.input.setAttribute("aria-valuetext", meaning ? `${text}, ${meaning}` : text);
  }

  focus() {
    this.input.focus();
  }

  /**
   * @param {string} digit
   * @returns {boolean} whether it means a score
   */
  choose(digit) {
    const score = readDigit(this.scale, digit);
    if (score !== null) this.#set(score);
    return score !== null;
  }

  /** @param {number} score */
  #set(score) {
    this.show(score);
    this.onScore(score);
  }

  #listen() {
    const { input } = this, commit = () => this.#set(Number(input.value));
    input.addEventListener("input", () => this.show(Number(input.value)));
    // A key that is held down passes many values; the one where it is let go is meant.
    input.addEventListener("keydown", () => { this.isHeld = true; });
    for (const type of ["keyup", "blur"]) {
      input.addEventListener(type, () => {
        this.isHeld = false;
        if (!this.root.classList.contains("is-unset")) commit();
      });
    }
    input.addEventListener("change", (event) => {
      event.stopPropagation();
      if (!this.isHeld) commit();
    });
    // A press on the very middle changes no value.
    input.addEventListener("pointerup", commit);
  }
}
