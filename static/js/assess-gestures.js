// What a mouse, a pen or a finger does to the marks.
import { isSameMark } from "./assess-candidate.js";
import { Handles } from "./assess-handles.js";
import { cycle } from "./assess-marks.js";
import { watchPointer } from "./assess-pointer.js";
import { Selection } from "./assess-selection.js";
import { isSet } from "./settings.js";

/** @typedef {import("./assess-pointer.js").Gesture} Gesture */

export class Gestures {
  /** @param {import("./assess-editor.js").Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.handles = new Handles({
      onMove: (end, x, y) => this.#dragEnd(end, x, y), onDrop: () => this.#drop(),
      onWiden: (end) => editor.moveEnd(end, end === "start" ? -1 : 1),
    });
  }

  /** @param {HTMLElement} root */
  watch(root) {
    watchPointer(root, {
      find: (target) => this.findView(target), onDrag: (gesture) => this.#drag(gesture),
      onMark: (gesture) => this.editor.add(this.#rangeOf(gesture), gesture), onTap: (gesture) => this.#tap(gesture),
      onCancel: () => {
        this.editor.selection.draft = null;
        this.editor.hooks.onShow();
      },
    });
  }

  /**
   * Chooses the text that is meant.
   * @param {Element} target
   */
  findView(target) {
    const { editor } = this, { protocol, candidates, selection } = editor, element = target.closest(".text");
    if (!protocol.has_spans || !element) return undefined;
    const candidate = candidates.find(({ target: view }) => view?.element === element);
    if (candidate) {
      if (candidate !== selection.candidate || selection.side !== "target") editor.select(new Selection(candidate));
      return candidate.target ?? undefined;
    }
    if (!protocol.has_source_errors) return undefined;
    // Errors of the source belong to the translation in which somebody works.
    const owner = [selection.candidate, ...candidates].find(({ source }) => source?.element === element);
    if (!owner) return undefined;
    const isChosen = owner === selection.candidate && selection.side === "source";
    if (!isChosen) editor.select(new Selection(owner, "source"));
    return owner.source ?? undefined;
  }

  /** @param {Gesture} gesture */
  #rangeOf({ view, from, to, isExact }) {
    const [start, end] = [Math.min(from, to), Math.max(from, to) + 1];
    return isExact || isSet("mark-characters") ? /** @type {const} */ ([start, end]) : view.text.snap(start, end);
  }

  /** @param {Gesture} gesture */
  #drag(gesture) {
    this.editor.selection.mark = null;
    this.editor.selection.draft = this.#rangeOf(gesture);
    this.editor.hooks.onShow();
  }

  /** @param {Gesture} gesture */
  #tap({ view, from, isTouch }) {
    const { selection } = this.editor, { candidate, side } = selection, word = view.text.wordAt(from);
    if (word < 0) return;
    if (selection.isOpen) {
      selection.put(word, true);
      return this.editor.add(selection.words);
    }
    const marks = candidate.marksAt(side, from), chosen = marks.find((mark) => isSameMark(mark, selection.mark));
    if (chosen?.type === "span") {
      const { severity } = candidate.assessment.spans[chosen.index];
      return this.editor.changeMark({ severity: cycle(this.editor.severities, severity) });
    }
    if (marks.length) selection.choose(marks[0], isTouch);
    else {
      selection.put(word);
      if (isTouch) return this.editor.add(selection.words, { isTouch });
      selection.isOpen = true;
    }
    this.editor.hooks.onShow();
  }

  /**
   * @param {import("./assess-handles.js").End} end
   * @param {number} x
   * @param {number} y
   */
  #dragEnd(end, x, y) {
    const { selection } = this.editor, { candidate, side, mark } = selection, view = candidate.view(side);
    const span = mark && candidate.read(mark), point = view?.pointAt(x, y);
    if (!view || span?.start == null || span.end == null || point == null) return;
    const isStart = end === "start";
    const [start, stop] = isStart ? [Math.min(point, span.end - 1), span.end]
      : [span.start, Math.max(point, span.start) + 1];
    const range = isSet("mark-characters") ? /** @type {const} */ ([start, stop]) : view.text.snap(start, stop);
    if (!range) return;
    selection.draft = isStart ? [range[0], span.end] : [span.start, range[1]];
    this.editor.hooks.onShow();
  }

  #drop() {
    const { draft } = this.editor.selection;
    this.editor.selection.draft = null;
    if (draft) this.editor.changeMark({ start: draft[0], end: draft[1] });
  }
}
