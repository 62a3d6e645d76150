import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommand } from "../../static/js/keyboard.js";

const NO_MODIFIER = { repeat: false, ctrlKey: false, metaKey: false, altKey: false };
const IN_ROW = { hasOption: (digit) => "12345".includes(digit), canMove: true, onControl: false, usesSingleKeys: true };

/** The command of a key, in a row of five choices unless told otherwise. */
const command = (key, state = {}, modifiers = {}) =>
  readCommand({ key, ...NO_MODIFIER, ...modifiers }, { ...IN_ROW, ...state });

test("every key of the help dialog has its command", () => {
  const commands = {
    1: "answer", 5: "answer", ArrowDown: "next-row", ArrowUp: "previous-row", Enter: "continue", Escape: "close",
    ArrowRight: "next-choice", ArrowLeft: "previous-choice", u: "undo", U: "undo", g: "guidelines", G: "guidelines",
    "?": "help", q: "reason", r: "reason", n: "next-sentence", p: "previous-sentence", c: "comment", f: "unsure",
    x: "skip", b: "report", s: "source",
  };
  for (const [key, expected] of Object.entries(commands)) assert.equal(command(key), expected, key);
});

test("other keys are left to the browser", () => {
  for (const key of ["0", "9", "a", "Tab", "F1", " "]) assert.equal(command(key), null, key);
});

test("shortcuts of the browser are left to the browser", () => {
  for (const modifier of ["ctrlKey", "metaKey", "altKey"]) {
    for (const key of ["1", "u", "Enter"]) assert.equal(command(key, {}, { [modifier]: true }), null, modifier + key);
  }
});

test("a key that is held down answers once", () => {
  for (const key of ["1", "Enter"]) assert.equal(command(key, {}, { repeat: true }), "ignore");
  assert.equal(command("u", {}, { repeat: true }), null);
  assert.equal(command("ArrowDown", {}, { repeat: true }), "next-row");
});

test("without single keys only Enter, Escape and arrows work", () => {
  const off = { usesSingleKeys: false };
  for (const key of ["1", "u", "g", "?"]) assert.equal(command(key, off), null, key);
  assert.equal(command("ArrowUp", off), "previous-row");
  assert.equal(command("Enter", off), "continue");
  assert.equal(command("Escape", off), "close");
});

test("Enter activates the focused link or button", () => {
  assert.equal(command("Enter", { onControl: true }), null);
});

test("Enter chooses the answer in focus; Space and digits do, too", () => {
  assert.equal(command("Enter", { onChoice: true }), "choose");
  assert.equal(command(" ", { onChoice: true }), null); // the browser checks the radio button
  assert.equal(command("1", { onChoice: true }), "answer");
});

test("outside the rows arrows are left to the browser", () => {
  for (const key of ["ArrowDown", "ArrowLeft"]) assert.equal(command(key, { canMove: false }), null);
});

test("another page has keys of its own, which rest like the others", () => {
  const keymap = { letters: { o: "omission" }, moves: { Home: "first-word", " ": "mark" } };
  const read = (key, values = {}) => readCommand(
    { key, repeat: false, ctrlKey: false, metaKey: false, altKey: false },
    { hasOption: () => false, canMove: true, onControl: false, usesSingleKeys: true, ...values }, keymap,
  );
  assert.deepEqual([read("O"), read("Home"), read(" "), read("n")], ["omission", "first-word", "mark", null]);
  assert.equal(read("o", { usesSingleKeys: false }), null);
  assert.equal(read(" ", { usesSingleKeys: false }), "mark");
  assert.equal(read(" ", { canMove: false }), null);
});
