// What is chosen in the texts: a word or words under the cursor, or a mark.

/** @typedef {import("./assess-candidate.js").Candidate} Candidate */
/** @typedef {import("./assess-candidate.js").Mark} Mark */
/** @typedef {import("./assess-marks.js").Side} Side */
/** @typedef {import("./assess-text.js").Range} Range */

export class Selection {
  /**
   * @param {Candidate} candidate
   * @param {Side} [side]
   */
  constructor(candidate, side = "target") {
    this.candidate = candidate;
    this.side = side;
    this.word = -1; // where the cursor is; -1 before it was moved
    this.anchor = -1; // where words under the cursor begin
    this.isOpen = false; // the first word was clicked, and the last not yet
    /** @type {Mark | null} */
    this.mark = null;
    /** @type {"start" | "end" | null} which end of the mark Shift moves */
    this.moving = null;
    /** @type {Range | null} while the pointer is down */
    this.draft = null;
    this.hasHandles = false;
  }

  get text() {
    return this.candidate.view(this.side)?.text;
  }

  /** @returns {Range | null} */
  get words() {
    const { text } = this;
    if (!text || this.word < 0 || !text.words.length) return null;
    const [first, last] = [this.anchor, this.word].sort((a, b) => a - b);
    return [text.words[first][0], text.words[last][1]];
  }

  /**
   * Puts the cursor on a word.
   * @param {number} word
   * @param {boolean} [extends_] from where it was
   */
  put(word, extends_ = false) {
    const last = (this.text?.words.length ?? 0) - 1;
    this.word = Math.min(last, Math.max(0, word));
    if (!extends_ || this.anchor < 0) this.anchor = this.word;
    this.mark = this.moving = this.draft = null;
    this.isOpen = this.hasHandles = false;
  }

  /**
   * @param {Mark} mark
   * @param {boolean} [hasHandles]
   */
  choose(mark, hasHandles = false) {
    const span = this.candidate.read(mark);
    if (span?.start != null) this.put(this.text?.wordAt(span.start) ?? -1);
    this.mark = mark;
    this.moving = this.draft = null;
    this.isOpen = false;
    this.hasHandles = hasHandles;
  }
}
