import assert from "node:assert/strict";
import { test } from "node:test";
import { accept, cycle, edit, History, listOpenSuggestions, UNTOUCHED } from "../../static/js/assess-marks.js";
import { cutPieces } from "../../static/js/assess-pieces.js";
import { describe, findMissing, readDigit } from "../../static/js/assess-scale.js";

const span = (start, end, severity = "minor", values = {}) =>
  ({ side: "target", start, end, severity, category: "", suggestion: null, ...values });
const run = (...actions) => actions.reduce(edit, UNTOUCHED);

test("marks are added, changed and removed", () => {
  const marked = run({ type: "add", span: span(0, 3) }, { type: "add", span: span(2, 5, "major") });
  assert.deepEqual(marked.spans, [span(0, 3), span(2, 5, "major")], "they may overlap");
  const changed = edit(marked, { type: "change", index: 0, values: { severity: "major", end: 4 } });
  assert.deepEqual(changed.spans[0], span(0, 4, "major"));
  assert.deepEqual(marked.spans[0], span(0, 3), "the previous value stays as it was");
  assert.deepEqual(edit(changed, { type: "remove", index: 1 }).spans, [span(0, 4, "major")]);
});

test("what changes nothing is no change", () => {
  const marked = run({ type: "add", span: span(0, 3) }, { type: "score", score: 0 });
  for (const action of [
    { type: "add", span: span(0, 3) },
    { type: "score", score: 0 },
    { type: "change", index: 0, values: { severity: "minor" } },
    { type: "change", index: 7, values: { severity: "major" } },
    { type: "remove", index: 7 },
  ]) assert.equal(edit(marked, action), marked, JSON.stringify(action));
});

test("something may be missing twice", () => {
  const missing = span(null, null);
  assert.equal(run({ type: "add", span: missing }, { type: "add", span: missing }).spans.length, 2);
});

test("0 is a score, and no score is none", () => {
  assert.equal(UNTOUCHED.score, null);
  assert.equal(run({ type: "score", score: 0 }).score, 0);
});

test("a suggestion is open until it is accepted or rejected", () => {
  const suggestions = [1, 2, 3].map((id) => ({ id, side: "target", start: id, end: id + 1, severity: "minor", category: "" }));
  const accepted = edit(UNTOUCHED, { type: "add", span: accept(suggestions[0]) });
  assert.deepEqual(listOpenSuggestions(accepted, suggestions).map(({ id }) => id), [2, 3]);
  const rejected = edit(accepted, { type: "reject", id: 2 });
  assert.deepEqual(listOpenSuggestions(rejected, suggestions).map(({ id }) => id), [3]);
  const moved = edit(rejected, { type: "add", span: accept(suggestions[2], { end: 9 }) });
  assert.deepEqual(moved.spans[1], span(3, 9, "minor", { suggestion: 3 }));
  const removed = edit(moved, { type: "remove", index: 0 });
  assert.deepEqual(removed.rejected, [2, 1], "removed after it was accepted");
  assert.deepEqual(listOpenSuggestions(removed, suggestions), []);
});

test("the last severity is followed by the first", () => {
  assert.equal(cycle(["minor", "major"], "minor"), "major");
  assert.equal(cycle(["minor", "major"], "major"), "minor");
});

test("undo goes back change by change, over all outputs", () => {
  const history = new History();
  history.push("k0", UNTOUCHED);
  history.push("k1", UNTOUCHED);
  history.push("k0", run({ type: "score", score: 5 }));
  history.forget("k1");
  assert.equal(history.pop()?.assessment.score, 5);
  assert.deepEqual(history.pop(), { output: "k0", assessment: UNTOUCHED });
  assert.equal(history.pop(), undefined);
});

const show = (pieces) => pieces.map(({ start, end, covers }) => [start, end, covers.map((mark) => mark.what).join("")]);

test("a text is cut where marks begin and end", () => {
  const pieces = cutPieces(10, [{ start: 4, end: 8, what: "b" }, { start: 2, end: 6, what: "a" }]);
  assert.deepEqual(show(pieces), [[0, 2, ""], [2, 4, "a"], [4, 6, "ab"], [6, 8, "b"], [8, 10, ""]]);
  assert.deepEqual(show(cutPieces(3, [])), [[0, 3, ""]]);
  assert.deepEqual(cutPieces(0, []), []);
});

test("a mark inside another does not come before it", () => {
  const pieces = cutPieces(9, [{ start: 2, end: 3, what: "in" }, { start: 2, end: 6, what: "out " }]);
  assert.deepEqual(show(pieces), [[0, 2, ""], [2, 3, "out in"], [3, 6, "out "], [6, 9, ""]]);
});

test("the pieces of random marks make up the text", () => {
  let seed = 7;
  const random = (limit) => (seed = (seed * 16_807) % 2_147_483_647) % limit;
  for (let round = 0; round < 200; round++) {
    const length = 1 + random(30);
    const marks = Array.from({ length: random(6) }, (_, what) => {
      const start = random(length);
      return { start, end: start + 1 + random(length), what };
    });
    const pieces = cutPieces(length, marks);
    assert.equal(pieces[0].start, 0);
    assert.equal(pieces.at(-1).end, length);
    pieces.slice(1).forEach((piece, k) => assert.equal(piece.start, pieces[k].end));
    for (const { start, end, covers } of pieces) {
      for (let place = start; place < end; place++) {
        const expected = marks.filter((mark) => mark.start <= place && mark.end > place);
        assert.deepEqual(new Set(covers), new Set(expected));
      }
    }
  }
});

const HUNDRED = { min: 0, max: 100, step: 1, anchors: [{ value: 0, text: "none" }, { value: 100, text: "all" }] };

test("a digit counts tens, on a short scale it is the value", () => {
  assert.deepEqual(["0", "5", "9"].map((digit) => readDigit(HUNDRED, digit)), [0, 50, 90]);
  const six = { ...HUNDRED, max: 6 };
  assert.deepEqual(["0", "6", "7"].map((digit) => readDigit(six, digit)), [0, 6, null]);
  assert.equal(readDigit({ ...HUNDRED, step: 25 }, "3"), 25);
});

test("an anchor describes its own score, and no other", () => {
  assert.equal(describe(HUNDRED, 0), "none");
  assert.equal(describe(HUNDRED, 100), "all");
  assert.equal(describe(HUNDRED, 99), "");
  assert.equal(describe({ ...HUNDRED, anchors: [] }, 5), "");
});

test("a score may be missing, or an error below a score", () => {
  const rated = (score, spans = []) => ({ score, spans, rejected: [] });
  const below = { scale: HUNDRED, span_required_below: 85 };
  assert.equal(findMissing(rated(null), below), "score");
  assert.equal(findMissing(rated(84), below), "span");
  assert.equal(findMissing(rated(84, [span(0, 1)]), below), null);
  assert.equal(findMissing(rated(85), below), null);
  assert.equal(findMissing(rated(0), { scale: HUNDRED, span_required_below: null }), null);
  assert.equal(findMissing(rated(null), { scale: null, span_required_below: null }), null);
});
