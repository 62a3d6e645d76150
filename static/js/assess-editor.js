// Editing the errors and scores of a page: what a command does to the assessments and to the selection.
import { isSameMark } from "./assess-candidate.js";
import { accept, cycle, edit, History } from "./assess-marks.js";
import { Selection } from "./assess-selection.js";

/** @typedef {import("./assess-candidate.js").Candidate} Candidate */
/** @typedef {import("./assess-marks.js").Action} Action */
/**
 * @typedef {object} Hooks
 * @property {(candidate: Candidate, isAnswer: boolean) => void} onChange not an answer: a suggestion was rejected
 * @property {(previous: Candidate) => void} onSelect
 * @property {(isFar?: boolean) => void} onShow the selection has changed; far away it has to be brought into view
 * @property {(text: string) => void} say why nothing happened
 */

export class Editor {
  /**
   * @param {Candidate[]} candidates
   * @param {import("./assess-candidate.js").Protocol} protocol
   * @param {object} options
   * @param {boolean} options.showsDifferences
   * @param {import("./dom.js").Words} options.words
   * @param {Hooks} options.hooks
   */
  constructor(candidates, protocol, { showsDifferences, words, hooks }) {
    this.candidates = candidates;
    this.protocol = protocol;
    this.showsDifferences = showsDifferences;
    this.words = words;
    this.hooks = hooks;
    this.history = new History();
    this.selection = new Selection(candidates[0]);
    this.severities = protocol.severities.map(({ key }) => key);
  }

  get isRightToLeft() {
    const element = this.selection.candidate.view(this.selection.side)?.element;
    return element ? getComputedStyle(element).direction === "rtl" : false;
  }

  /** The words of the chosen mark, or under the cursor. */
  get chosenWords() {
    const { candidate, mark, text, words } = this.selection, span = mark ? candidate.read(mark) : null;
    const [start, end] = span ? [span.start, span.end] : words ?? [null, null];
    return start === null || end === null ? "" : text?.slice(start, end) ?? "";
  }

  /** @param {Selection} selection */
  select(selection) {
    const previous = this.selection.candidate;
    this.selection = selection;
    this.hooks.onSelect(previous);
    this.hooks.onShow();
  }

  /** @param {Candidate} candidate */
  activate(candidate) {
    if (this.selection.candidate !== candidate) this.select(new Selection(candidate));
    else this.hooks.onSelect(candidate);
  }

  /**
   * Shows an answer that was given elsewhere.
   * @param {Candidate} candidate
   * @param {{ score?: number | null, spans?: import("./assess-marks.js").Span[] | readonly
   *   import("./assess-marks.js").Span[] }} stored
   */
  replace(candidate, { score = null, spans = [] }) {
    candidate.assessment = { ...candidate.assessment, score, spans };
    this.history.forget(candidate.output);
    if (this.selection.candidate === candidate) this.selection = new Selection(candidate);
  }

  /**
   * @param {Candidate} candidate
   * @param {Action} action
   */
  edit(candidate, action) {
    const previous = candidate.assessment, next = edit(previous, action);
    if (next === previous) return;
    this.history.push(candidate.output, previous);
    this.set(candidate, next);
  }

  /**
   * @param {Candidate} candidate
   * @param {import("./assess-marks.js").Assessment} assessment
   */
  set(candidate, assessment) {
    const { score, spans } = candidate.assessment;
    candidate.assessment = assessment;
    candidate.keepRejected();
    this.hooks.onChange(candidate, score !== assessment.score || spans !== assessment.spans);
  }

  undo() {
    const last = this.history.pop();
    if (!last) return this.hooks.say(this.words.noUndo);
    const candidate = this.candidates.find(({ output }) => output === last.output);
    if (!candidate) return;
    this.select(new Selection(candidate));
    this.set(candidate, last.assessment);
    this.hooks.onShow();
  }

  /**
   * @param {import("./assess-text.js").Range | null} range
   * @param {{ severity?: string, isTouch?: boolean }} [how]
   */
  add(range, { severity = this.#defaultSeverity, isTouch = false } = {}) {
    const { selection } = this, { candidate, side } = selection;
    if (range) {
      const span = { side, start: range[0], end: range[1], severity, category: "", suggestion: null };
      this.edit(candidate, { type: "add", span });
      const index = candidate.assessment.spans.findIndex((one) =>
        one.side === side && one.start === range[0] && one.end === range[1] && one.severity === severity);
      selection.choose({ type: "span", index }, isTouch);
    } else selection.draft = null;
    this.hooks.onShow();
  }

  get #defaultSeverity() {
    return this.severities.includes("minor") ? "minor" : this.severities[0];
  }

  /** @param {string} severity */
  addOmission(severity = this.#defaultSeverity) {
    const { candidate } = this.selection;
    if (!this.protocol.has_omission || !candidate.target) return;
    /** @type {import("./assess-marks.js").Span} */
    const span = { side: "target", start: null, end: null, severity, category: "", suggestion: null };
    this.edit(candidate, { type: "add", span });
    this.selection.side = "target";
    this.selection.choose({ type: "span", index: candidate.assessment.spans.length - 1 });
    this.hooks.onShow();
  }

  /**
   * Changes the chosen mark; a suggestion becomes an error of one's own.
   * @param {Partial<import("./assess-marks.js").Span>} values
   */
  changeMark(values) {
    const { candidate, mark } = this.selection;
    if (mark?.type === "span") this.edit(candidate, { type: "change", index: mark.index, values });
    else if (mark) {
      const suggestion = candidate.suggestions.find(({ id }) => id === mark.id);
      if (!suggestion) return;
      this.edit(candidate, { type: "add", span: accept(suggestion, values) });
      this.selection.mark = { type: "span", index: candidate.assessment.spans.length - 1 };
    }
    this.hooks.onShow();
  }

  /** @param {string} severity */
  setSeverity(severity) {
    if (this.selection.mark) this.changeMark({ severity });
    else this.add(this.selection.words, { severity });
  }

  remove() {
    const { candidate, mark } = this.selection;
    if (!mark) return false;
    if (mark.type === "span") this.edit(candidate, { type: "remove", index: mark.index });
    else this.edit(candidate, { type: "reject", id: mark.id });
    this.selection.mark = null;
    this.selection.hasHandles = false;
    this.hooks.onShow();
  }

  markDifference() {
    const { candidate, side, text, words, mark } = this.selection;
    const place = (mark && candidate.read(mark)?.start) ?? words?.[0];
    const range = side === "target" && this.showsDifferences && place != null
      ? candidate.differences.find(([start, end]) => start <= place && place < end) : undefined;
    if (range && text) this.add(text.snap(...range));
    else this.hooks.say(this.words.noDifference);
  }

  markOrCycle() {
    const { candidate, mark, words } = this.selection;
    if (mark?.type === "span") {
      const { severity } = candidate.assessment.spans[mark.index];
      this.changeMark({ severity: cycle(this.severities, severity) });
    } else if (mark) this.changeMark({});
    else if (words) this.add(words);
    else return false;
  }

  /**
   * @param {number} steps
   * @param {boolean} isExtending
   */
  moveWord(steps, isExtending) {
    const { selection } = this, { candidate, side, text } = selection;
    if (!text) return false;
    if (isExtending && selection.mark && candidate.read(selection.mark)?.start != null) {
      return this.moveEnd(selection.moving ?? (steps > 0 ? "end" : "start"), steps);
    }
    const from = selection.word < 0 && steps < 0 ? text.words.length : selection.word;
    selection.put(from + steps, isExtending);
    const marks = isExtending ? [] : candidate.marksAt(side, text.words[selection.word]?.[0] ?? 0);
    if (marks.length) {
      const { word } = selection;
      selection.choose(marks[0]);
      selection.word = selection.anchor = word;
    }
    this.hooks.onShow(true);
  }

  /**
   * @param {import("./assess-handles.js").End} end
   * @param {number} steps
   */
  moveEnd(end, steps) {
    const { selection } = this, { candidate, mark, text, word } = selection, span = mark && candidate.read(mark);
    if (!text || span?.start == null || span.end == null) return;
    const [start, stop] = text.moveEnd([span.start, span.end], end, steps);
    this.changeMark({ start, end: stop });
    Object.assign(selection, { moving: end, word, anchor: word });
  }

  /** @param {number} steps */
  nextMark(steps) {
    const { selection } = this, { candidate, side } = selection, placed = candidate.list(side);
    const marks = [...placed.map(({ mark }) => mark),
      ...candidate.marks.filter(({ span }) => span.start === null).map(({ mark }) => mark)];
    if (!marks.length) return this.hooks.say(this.words.noMark);
    const now = marks.findIndex((mark) => isSameMark(mark, selection.mark)), place = selection.words?.[0] ?? 0;
    const before = placed.filter(({ start }) => start < place).length; // where nothing is chosen
    const next = now < 0 ? before - (steps < 0 ? 1 : 0) : now + steps;
    selection.choose(marks[(next + marks.length) % marks.length]);
    this.hooks.onShow(true);
  }
}
