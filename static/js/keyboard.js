// Keys of the pages of annotators. Which command a key stands for is decided here; pages carry it out.

/**
 * @typedef {"answer" | "reason" | "next-row" | "previous-row" | "next-choice" | "previous-choice" | "choose"
 *   | "continue" | "close" | "undo" | "guidelines" | "help" | "comment" | "unsure" | "skip" | "report" | "source"
 *   | "next-sentence" | "previous-sentence"
 *   | "next-word" | "previous-word" | "first-word" | "last-word" | "mark" | "severity" | "omission" | "difference"
 *   | "accept" | "remove" | "next-mark" | "category"} Command
 * @typedef {Pick<KeyboardEvent, "key" | "repeat" | "ctrlKey" | "metaKey" | "altKey">} Key
 * @typedef {object} KeyState where the focus is and what keys may do there
 * @property {(digit: string) => boolean} hasOption whether the active row has an answer for a digit
 * @property {boolean} canMove whether arrows move between rows and between answers
 * @property {boolean} onControl the focus is on something that Enter activates: a link, a button, a summary
 * @property {boolean} [onChoice] the focus is on an answer that is not chosen
 * @property {boolean} usesSingleKeys
 *
 * @typedef {object} Keymap
 * @property {Record<string, Command>} letters
 * @property {Record<string, Command>} moves keys that are no letters
 */

/** @type {Keymap} */
const QUESTIONS = {
  letters: {
    q: "reason", w: "reason", e: "reason", r: "reason", u: "undo", g: "guidelines", "?": "help",
    c: "comment", f: "unsure", x: "skip", b: "report", s: "source", n: "next-sentence", p: "previous-sentence",
  },
  moves: { ArrowDown: "next-row", ArrowUp: "previous-row", ArrowRight: "next-choice", ArrowLeft: "previous-choice" },
};

/** @param {string} key */
const isDigit = (key) => key.length === 1 && key >= "0" && key <= "9";

/**
 * @param {Key} event
 * @param {KeyState} state
 * @param {Keymap} [keymap]
 * @returns {Command | "ignore" | null} "ignore" suppresses the key; null leaves it to the browser
 */
export function readCommand({ key, repeat, ctrlKey, metaKey, altKey }, state, { letters, moves } = QUESTIONS) {
  if (ctrlKey || metaKey || altKey) return null;
  const isAnswer = isDigit(key) && state.hasOption(key);
  // A key that is held down answers one question, not those that follow.
  if (repeat && !key.startsWith("Arrow")) return isAnswer || key === "Enter" ? "ignore" : null;
  if (state.canMove && moves[key]) return moves[key];
  if (key === "Enter" && state.onChoice) return "choose";
  if (key === "Enter") return state.onControl ? null : "continue";
  if (key === "Escape") return "close";
  if (!state.usesSingleKeys) return null;
  return isAnswer ? "answer" : letters[key.toLowerCase()] ?? null;
}

/**
 * Carries out the commands of a page. A command that returns false did nothing: the key is the browser's again.
 * @param {(target: Element) => KeyState | null} readState null where keys belong to the focused element
 * @param {Partial<Record<Command, (key: string, target: Element, event: KeyboardEvent) => unknown>>} commands
 * @param {Keymap} [keymap]
 */
export function bindKeys(readState, commands, keymap = QUESTIONS) {
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target), state = readState(target);
    const command = state && readCommand(event, state, keymap);
    if (!command) return;
    if (command !== "ignore") {
      const run = commands[command];
      if (!run || run(event.key, target, event) === false) return;
    }
    event.preventDefault();
  });
}
