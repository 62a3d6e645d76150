// One translation on the page: its text, its marks and its score.
import { find, get } from "./dom.js";
import { listOpenSuggestions, UNTOUCHED } from "./assess-marks.js";
import { findMissing } from "./assess-scale.js";
import { ScoreSlider } from "./assess-score.js";
import { IndexedText } from "./assess-text.js";
import { TextView } from "./assess-view.js";

// Characters: the score stays in sight while such a text is read.
const LONG = matchMedia("(max-width: 40rem)").matches ? 160 : 700;

/** @typedef {import("./assess-marks.js").Assessment} Assessment */
/** @typedef {import("./assess-marks.js").Span} Span */
/** @typedef {import("./assess-marks.js").Suggestion} Suggestion */
/** @typedef {import("./assess-text.js").Range} Range */
/**
 * @typedef {object} Protocol
 * @property {import("./assess-scale.js").Scale | null} scale
 * @property {{ key: string, label: string, key_name: string }[]} severities
 * @property {{ key: string, label: string }[]} categories
 * @property {boolean} has_spans
 * @property {boolean} has_omission
 * @property {boolean} has_source_errors
 * @property {number | null} span_required_below
 *
 * @typedef {object} CandidateData
 * @property {string} output
 * @property {string} letter
 * @property {string} [text] none: a whole document
 * @property {string} [lang]
 * @property {number | null} score
 * @property {Span[]} spans
 * @property {Suggestion[]} [suggestions]
 * @property {Range[]} [differences]
 *
 * @typedef {{ type: "span", index: number } | { type: "suggestion", id: number }} Mark
 */

export class Candidate {
  /**
   * @param {HTMLElement} card
   * @param {CandidateData} data
   * @param {object} options
   * @param {Protocol} options.protocol
   * @param {TextView | null} options.source shared by the candidates of a sentence
   * @param {import("./dom.js").Words} options.words
   * @param {boolean} options.isFinished whether suggestions that are not among the errors were rejected
   * @param {(score: number) => void} options.onScore
   */
  constructor(card, data, { protocol, source, words, isFinished, onScore }) {
    this.card = card;
    this.data = data;
    this.protocol = protocol;
    this.suggestions = data.suggestions ?? [];
    this.differences = data.differences ?? [];
    const text = find(".text", card);
    this.target = text && new TextView(text, new IndexedText(data.text ?? "", data.lang ?? ""), "target");
    this.source = source;
    card.classList.toggle("is-long", (this.target?.text.length ?? 0) > LONG);
    const scale = find(".sl", card);
    this.slider = scale && protocol.scale ? new ScoreSlider(scale, protocol.scale, { words, onScore }) : null;
    /** @type {Assessment} */
    this.assessment = { ...UNTOUCHED, score: data.score, spans: data.spans };
    const rejected = isFinished ? this.openSuggestions.map(({ id }) => id) : this.#loadRejected();
    this.assessment = { ...this.assessment, rejected };
  }

  get output() {
    return this.data.output;
  }

  /** The sentence that it translates. */
  get unit() {
    return /** @type {HTMLElement} */ (this.card.closest(".seg"));
  }

  get openSuggestions() {
    return listOpenSuggestions(this.assessment, this.suggestions);
  }

  /** @returns {"score" | "span" | "suggestion" | null} */
  get missing() {
    if (!this.target) return this.protocol.scale && this.assessment.score === null ? "score" : null;
    return findMissing(this.assessment, this.protocol) ?? (this.openSuggestions.length ? "suggestion" : null);
  }

  /** @param {import("./assess-marks.js").Side} side */
  view(side) {
    return side === "source" ? this.source : this.target;
  }

  /**
   * @param {Mark} mark
   * @returns {Span | Suggestion | undefined}
   */
  read(mark) {
    if (mark.type === "span") return this.assessment.spans[mark.index];
    return this.openSuggestions.find(({ id }) => id === mark.id);
  }

  /** @returns {{ mark: Mark, span: Span | Suggestion }[]} errors and open suggestions */
  get marks() {
    return [
      ...this.assessment.spans.map((span, index) => ({ mark: makeMark("span", index), span })),
      ...this.openSuggestions.map((span) => ({ mark: makeMark("suggestion", span.id), span })),
    ];
  }

  /**
   * @param {import("./assess-marks.js").Side} side
   * @returns {{ mark: Mark, start: number, end: number, severity: string }[]} marks with a place, in reading order
   */
  list(side) {
    const placed = this.marks.flatMap(({ mark, span: { start, end, severity, side: own } }) =>
      (own === side && start !== null && end !== null ? [{ mark, start, end, severity }] : []));
    return placed.sort((a, b) => a.start - b.start || a.end - b.end);
  }

  /**
   * @param {import("./assess-marks.js").Side} side
   * @param {number} point
   * @returns {Mark[]} the shortest first
   */
  marksAt(side, point) {
    return this.list(side).filter(({ start, end }) => start <= point && point < end)
      .sort((a, b) => (a.end - a.start) - (b.end - b.start)).map(({ mark }) => mark);
  }

  // A rejected suggestion is none of the errors, so the server does not hear of it before the page is finished.

  get #key() {
    return `rejected ${location.pathname} ${this.output}`;
  }

  keepRejected() {
    if (this.suggestions.length) localStorage.setItem(this.#key, JSON.stringify(this.assessment.rejected));
  }

  /** @returns {number[]} */
  #loadRejected() {
    return this.suggestions.length ? JSON.parse(localStorage.getItem(this.#key) ?? "[]") : [];
  }

  showScore() {
    this.slider?.show(this.assessment.score);
    const tab = find(`[data-tab="${this.output}"] .tab-score`, this.unit);
    if (tab) tab.textContent = String((this.slider ? this.assessment.score : this.assessment.spans.length) ?? "–");
  }

  focus() {
    if (this.target && this.protocol.has_spans) this.target.element.focus({ preventScroll: true });
    else if (this.slider) this.slider.focus();
    else get("[tabindex]", this.unit).focus();
  }
}

/**
 * @param {Mark["type"]} type
 * @param {number} number
 * @returns {Mark}
 */
export const makeMark = (type, number) => (type === "span" ? { type, index: number } : { type, id: number });

/**
 * @param {Mark | null} a
 * @param {Mark | null} b
 */
export const isSameMark = (a, b) => Boolean(a && b && a.type === b.type
  && (a.type === "span" ? a.index === /** @type {{ index: number }} */ (b).index
    : a.id === /** @type {{ id: number }} */ (b).id));
