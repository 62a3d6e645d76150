// The keys of the assessment page.
import { Selection } from "./assess-selection.js";
import { closeGuidelines, isCovered, openSheet, showHelp, toggleGuidelines } from "./dialogs.js";
import { find } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { isSet } from "./settings.js";

/**
 * @param {import("./assess-editor.js").Editor} editor
 * @param {object} options
 * @param {(steps: number) => unknown} options.onGo to another translation
 * @param {(isOnScore: boolean) => unknown} options.onContinue
 */
export function bindAssessmentKeys(editor, { onGo, onContinue }) {
  const { protocol } = editor;
  /** @param {KeyboardEvent} event to the right, as the eye sees it */
  const isForward = ({ key }) => (key === "ArrowRight") !== editor.isRightToLeft;
  /** @param {Element} target */
  const slider = (target) => editor.candidates.find((one) => one.slider?.input === target)?.slider;
  /** @type {Record<string, import("./keyboard.js").Command>} */
  const severityKeys = Object.fromEntries(protocol.severities.map(({ key_name: name }) =>
    [name.toLowerCase(), "severity"]));
  bindKeys((target) => {
    const isSlider = Boolean(slider(target));
    if (isCovered() || (!isSlider && target.matches("input, textarea, select"))) return null;
    return {
      hasOption: () => isSlider,
      canMove: protocol.has_spans && !isSlider && !target.matches("button, a, summary"),
      onControl: target.matches("a, button, summary"),
      usesSingleKeys: isSet("single-keys"),
    };
  }, {
    "next-word": (_, __, event) => editor.moveWord(isForward(event) ? 1 : -1, event.shiftKey),
    "first-word": (_, __, event) => editor.moveWord(-Infinity, event.shiftKey),
    "last-word": (_, __, event) => editor.moveWord(Infinity, event.shiftKey),
    "next-row": () => onGo(1),
    "previous-row": () => onGo(-1),
    mark: () => editor.markOrCycle(),
    severity: (key) => editor.setSeverity(
      protocol.severities.find((one) => one.key_name.toLowerCase() === key.toLowerCase())?.key ?? "",
    ),
    omission: () => editor.addOmission(),
    difference: () => editor.markDifference(),
    accept: () => (editor.selection.mark?.type === "suggestion" ? editor.changeMark({}) : false),
    remove: () => editor.remove(),
    "next-mark": (_, __, event) => editor.nextMark(event.shiftKey ? -1 : 1),
    answer: (digit, target) => slider(target)?.choose(digit),
    continue: (_, target) => onContinue(Boolean(slider(target))),
    close: () => (closeGuidelines() ? undefined : editor.select(new Selection(editor.selection.candidate))),
    undo: () => editor.undo(),
    guidelines: toggleGuidelines,
    help: showHelp,
    comment: () => openSheet("#comment-box"),
    category: () => {
      const select = find(".dock select:enabled");
      if (!select) return false;
      select.focus();
    },
    unsure: () => find("[data-unsure]")?.click(),
    skip: () => openSheet("#skip-box"),
    "previous-sentence": () => find("[data-previous]")?.click(),
  }, {
    letters: {
      o: "omission", d: "difference", y: "accept", e: "next-mark", t: "category", u: "undo", g: "guidelines",
      "?": "help", c: "comment", f: "unsure", x: "skip", p: "previous-sentence", ...severityKeys,
    },
    moves: {
      ArrowLeft: "next-word", ArrowRight: "next-word", Home: "first-word", End: "last-word", ArrowDown: "next-row",
      ArrowUp: "previous-row", " ": "mark", Delete: "remove", Backspace: "remove",
    },
  });
}
