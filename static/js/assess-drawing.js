// How marks look: their words, the differences behind them, the word cursor, and what is missing at the end.
import { isSameMark } from "./assess-candidate.js";

/** @typedef {import("./assess-candidate.js").Candidate} Candidate */
/** @typedef {import("./assess-candidate.js").Mark} Mark */
/** @typedef {import("./assess-text.js").Range} Range */
/** @typedef {import("./assess-pieces.js").Mark<import("./assess-view.js").Look>} Drawn */
/**
 * @typedef {object} Highlight what is chosen in a text
 * @property {Mark | null} mark
 * @property {Range | null} words under the cursor, or being marked
 * @property {boolean} isDraft
 */

/**
 * @param {Candidate} candidate
 * @param {import("./assess-marks.js").Side} side
 * @param {Highlight | null} highlight
 * @param {{ words: import("./dom.js").Words, showsDifferences: boolean }} options
 * @returns {HTMLElement[]} the elements of the chosen mark
 */
export function drawText(candidate, side, highlight, { words, showsDifferences }) {
  const view = candidate.view(side), { protocol } = candidate;
  if (!view) return [];
  /** @type {Drawn[]} */
  const marks = [];
  /** @type {Drawn | null} */
  let chosen = null;
  if (side === "target" && showsDifferences) {
    for (const [start, end] of candidate.differences) marks.push({ start, end, what: { tag: "span", css: "df" } });
  }
  for (const { mark, start, end, severity } of candidate.list(side)) {
    const isOn = isSameMark(mark, highlight?.mark ?? null);
    const kind = mark.type === "span" ? words.errorName : words.suggestionName;
    const css = `err ${styleOf(protocol, severity)}${mark.type === "span" ? "" : " sug"}${isOn ? " is-on" : ""}`;
    const drawn = { start, end, what: { tag: /** @type {const} */ ("mark"), css,
      name: kind.replace("{severity}", labelOf(protocol, severity).toLocaleLowerCase()) } };
    marks.push(drawn);
    if (isOn) chosen = drawn;
  }
  if (highlight?.words) {
    const [start, end] = highlight.words;
    marks.push({ start, end, what: { tag: "span", css: highlight.isDraft ? "cur is-draft" : "cur" } });
  }
  view.draw(marks, side === "target" ? listOmissions(candidate, highlight?.mark ?? null, words) : []);
  return view.drawn.get(chosen) ?? [];
}

/**
 * @param {Candidate} candidate
 * @param {Mark | null} chosen
 * @param {import("./dom.js").Words} words
 * @returns {Node[]} buttons for what is missing, and one that says that something is
 */
function listOmissions({ marks, protocol }, chosen, words) {
  if (!protocol.has_omission) return [];
  const buttons = marks.filter(({ span }) => span.start === null).map(({ mark, span }) => {
    const isOn = isSameMark(chosen, mark), isOwn = mark.type === "span";
    const css = `om ${styleOf(protocol, span.severity)}${isOwn ? "" : " sug"}${isOn ? " is-on" : ""}`;
    const label = (isOwn ? words.omissionName : words.suggestionName)
      .replace("{severity}", labelOf(protocol, span.severity).toLocaleLowerCase());
    const button = createButton(css, words.missing, `${label}: ${words.missing}`);
    button.dataset.mark = `${mark.type} ${isOwn ? mark.index : mark.id}`;
    button.setAttribute("aria-pressed", String(isOn));
    return button;
  });
  const adding = createButton("om om-new", words.missingNew, words.missingHere);
  adding.dataset.mark = "new";
  return [...buttons, adding].flatMap((button) => [document.createTextNode(" "), button]);
}

/**
 * @param {string} css
 * @param {string} text
 * @param {string} label
 */
function createButton(css, text, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = css;
  button.lang = document.documentElement.lang;
  button.dir = "auto";
  button.textContent = text;
  if (label !== text) button.setAttribute("aria-label", label);
  return button;
}

/**
 * The first severity is the lightest: wavy; the last the gravest: double.
 * @param {import("./assess-candidate.js").Protocol} protocol
 * @param {string} severity
 */
export function styleOf({ severities }, severity) {
  const rank = severities.findIndex(({ key }) => key === severity), last = severities.length - 1;
  if (severity === "major" || severity === "critical") return severity === "critical" ? "ma cr" : "ma";
  return severity !== "minor" && rank === last && last > 0 ? "ma" : "mi";
}

/**
 * @param {import("./assess-candidate.js").Protocol} protocol
 * @param {string} severity
 */
export const labelOf = ({ severities }, severity) => severities.find(({ key }) => key === severity)?.label ?? severity;
