import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedText } from "../../static/js/assess-text.js";

const words = (text, language) => {
  const indexed = new IndexedText(text, language);
  return indexed.words.map(([start, end]) => indexed.slice(start, end));
};

test("places are counted in code points", () => {
  const text = new IndexedText("a😀b", "en");
  assert.equal(text.length, 3);
  assert.deepEqual([0, 1, 2, 3, 4].map((unit) => text.toPoint(unit)), [0, 1, 1, 2, 3]);
  assert.equal(text.slice(1, 2), "😀");
  assert.equal(text.slice(2, 3), "b");
});

test("every place of a text with letters of two units comes back", () => {
  const text = new IndexedText("𝒳 über 😀😀 e\u0301!", "de"), points = [...text.text];
  for (let point = 0; point <= points.length; point++) {
    assert.equal(text.toPoint(text.units[point]), point);
    assert.equal(text.slice(0, point), points.slice(0, point).join(""));
  }
});

test("words and signs are units, spaces are not", () => {
  assert.deepEqual(words("The pool, don't!", "en"), ["The", "pool", ",", "don't", "!"]);
  assert.deepEqual(words("   ", "en"), []);
  assert.deepEqual(words("", "en"), []);
});

test("scripts without spaces have words, too", () => {
  assert.deepEqual(words("他昨天去了北京。", "zh"), ["他", "昨天", "去了", "北京", "。"]);
});

test("Arabic words keep their marks", () => {
  assert.deepEqual(words("قرر المجلسُ أمس", "ar"), ["قرر", "المجلسُ", "أمس"]);
});

test("a language that is no language tag does no harm", () => {
  assert.deepEqual(words("a b", "no language_"), ["a", "b"]);
});

test("without a segmenter words are letters that stand together", () => {
  const { Segmenter } = Intl;
  try {
    delete Intl.Segmenter;
    assert.deepEqual(words("The pool, don't! 😀", "en"), ["The", "pool", ",", "don't", "!", "😀"]);
  } finally {
    Intl.Segmenter = Segmenter;
  }
});

test("a mark snaps to words", () => {
  const text = new IndexedText("in the big pelvis, which", "en");
  assert.deepEqual(text.snap(8, 13), [7, 17]); // g p -> big pelvis
  assert.deepEqual(text.snap(10, 11), null);
  assert.deepEqual(text.snap(6, 10), [7, 10]);
  assert.deepEqual(text.snap(9, 11), [7, 10]);
  assert.deepEqual(text.snap(17, 18), [17, 18], "a comma by itself");
  assert.deepEqual(text.snap(12, 12), [11, 17], "a place inside a word is that word");
  assert.deepEqual(text.snap(0, 99), [0, 24]);
});

test("the word at a place, or the nearest", () => {
  const text = new IndexedText("one  two", "en");
  assert.deepEqual([0, 2, 3, 4, 5, 8, 20].map((point) => text.wordAt(point)), [0, 0, 0, 1, 1, 1, 1]);
  assert.equal(new IndexedText("", "en").wordAt(0), -1);
});

test("an end moves by words, and one word stays", () => {
  const text = new IndexedText("a bb ccc dd", "en");
  assert.deepEqual(text.moveEnd([2, 4], "end", 1), [2, 8]);
  assert.deepEqual(text.moveEnd([2, 4], "end", 9), [2, 11]);
  assert.deepEqual(text.moveEnd([2, 8], "end", -1), [2, 4]);
  assert.deepEqual(text.moveEnd([2, 4], "end", -1), [2, 4]);
  assert.deepEqual(text.moveEnd([2, 4], "start", -1), [0, 4]);
  assert.deepEqual(text.moveEnd([2, 8], "start", 5), [5, 8]);
  assert.deepEqual(text.moveEnd([0, 4], "start", -1), [0, 4]);
});
