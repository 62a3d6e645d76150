// What an annotator says about an output: a score and marked errors. Every change makes a new value, so that the
// previous one can be shown again.

/** @typedef {import("./assess-text.js").Range} Range */
/**
 * @typedef {"target" | "source"} Side
 *
 * @typedef {object} Span
 * @property {Side} side
 * @property {number | null} start null: something is missing
 * @property {number | null} end
 * @property {string} severity
 * @property {string} category
 * @property {number | null} suggestion the suggestion that it was made from
 *
 * @typedef {object} Suggestion
 * @property {number} id
 * @property {Side} side
 * @property {number | null} start
 * @property {number | null} end
 * @property {string} severity
 * @property {string} category
 *
 * @typedef {object} Assessment
 * @property {number | null} score null: not rated
 * @property {readonly Span[]} spans in the order in which they were marked
 * @property {readonly number[]} rejected ids of suggestions
 *
 * @typedef {{ type: "add", span: Span } | { type: "remove", index: number } | { type: "score", score: number }
 *   | { type: "change", index: number, values: Partial<Span> } | { type: "reject", id: number }} Action
 */

/** @type {Assessment} */
export const UNTOUCHED = { score: null, spans: [], rejected: [] };

/**
 * @param {Assessment} assessment
 * @param {Action} action
 * @returns {Assessment} the same object where nothing changes
 */
export function edit(assessment, action) {
  const { spans } = assessment;
  switch (action.type) {
    case "score":
      return action.score === assessment.score ? assessment : { ...assessment, score: action.score };
    case "add":
      if (action.span.start !== null && spans.some((span) => isSame(span, action.span))) return assessment;
      return { ...assessment, spans: [...spans, action.span] };
    case "change": {
      const changed = { ...spans[action.index], ...action.values };
      if (!spans[action.index] || isSame(spans[action.index], changed)) return assessment;
      return { ...assessment, spans: spans.map((span, k) => (k === action.index ? changed : span)) };
    }
    case "remove": {
      const removed = spans[action.index];
      if (!removed) return assessment;
      const left = { ...assessment, spans: spans.filter((_, k) => k !== action.index) };
      return removed.suggestion === null ? left : edit(left, { type: "reject", id: removed.suggestion });
    }
    case "reject":
      return { ...assessment, rejected: [...new Set([...assessment.rejected, action.id])] };
  }
}

/**
 * @param {Span} a
 * @param {Span} b
 */
const isSame = (a, b) => a.side === b.side && a.start === b.start && a.end === b.end
  && a.severity === b.severity && a.category === b.category && a.suggestion === b.suggestion;

/**
 * @param {Assessment} assessment
 * @param {readonly Suggestion[]} suggestions
 * @returns {Suggestion[]} those that are neither accepted nor rejected
 */
export const listOpenSuggestions = ({ spans, rejected }, suggestions) => suggestions.filter(({ id }) =>
  !rejected.includes(id) && !spans.some((span) => span.suggestion === id));

/**
 * @param {Suggestion} suggestion
 * @param {Partial<Span>} [values] in which it is adjusted
 * @returns {Span}
 */
export const accept = ({ id, side, start, end, severity, category }, values = {}) =>
  ({ side, start, end, severity, category, suggestion: id, ...values });

/**
 * The next severity, and after the last the first again.
 * @param {readonly string[]} severities
 * @param {string} severity
 */
export const cycle = (severities, severity) => severities[(severities.indexOf(severity) + 1) % severities.length];

/** Assessments of a page, with the previous ones of each output. */
export class History {
  constructor() {
    /** @type {{ output: string, assessment: Assessment }[]} */
    this.steps = [];
  }

  /**
   * @param {string} output
   * @param {Assessment} assessment before a change
   */
  push(output, assessment) {
    this.steps.push({ output, assessment });
  }

  pop() {
    return this.steps.pop();
  }

  /**
   * Another window has answered: going back behind its answer would overwrite it unseen.
   * @param {string} output
   */
  forget(output) {
    this.steps = this.steps.filter((step) => step.output !== output);
  }
}
