// The assessment page: errors are marked in translations, and translations get scores. What is changed is sent as the
// annotation page sends its choices.
import { Answers } from "./answers.js";
import { Candidate, isSameMark, makeMark } from "./assess-candidate.js";
import { Dock } from "./assess-dock.js";
import { drawText, labelOf } from "./assess-drawing.js";
import { Handles } from "./assess-handles.js";
import { accept, cycle, edit, History } from "./assess-marks.js";
import { watchPointer } from "./assess-pointer.js";
import { Selection } from "./assess-selection.js";
import { IndexedText } from "./assess-text.js";
import { TextView } from "./assess-view.js";
import { closeGuidelines, isCovered, openSheet, showHelp, toggleGuidelines } from "./dialogs.js";
import { find, findAll, get } from "./dom.js";
import { bindKeys } from "./keyboard.js";
import { isSet } from "./settings.js";
import { Stepper } from "./stepper.js";
import { showStrip } from "./strip.js";

/** @typedef {import("./assess-candidate.js").CandidateData} CandidateData */
/** @typedef {import("./assess-marks.js").Action} Action */
/** @typedef {import("./assess-pointer.js").Gesture} Gesture */
/**
 * @typedef {object} PageData
 * @property {import("./assess-candidate.js").Protocol} protocol
 * @property {boolean} differences
 * @property {{ number: number, source: string, source_lang: string, candidates: CandidateData[] }[]} units
 * @property {CandidateData[] | null} document_score
 */

export class AssessmentPage {
  /** @param {PageData} data */
  constructor(data) {
    this.protocol = data.protocol;
    this.showsDifferences = data.differences;
    this.cards = findAll(".cand");
    this.words = /** @type {import("./dom.js").Words} */ (get("#words").dataset);
    this.answers = new Answers({
      cards: this.cards, onShow: () => this.#showProgress(), isComplete: () => this.#isComplete(),
      show: (card, stored, isOutdated) => { if (!isOutdated) this.#showStored(card, stored); },
    });
    this.candidates = this.#createCandidates(data);
    this.history = new History();
    this.selection = new Selection(this.candidates[0]);
    this.severities = data.protocol.severities.map(({ key }) => key);
    this.dock = this.protocol.has_spans ? new Dock({
      onSeverity: (severity) => this.#setSeverity(severity),
      onCategory: (category) => this.#changeMark({ category }),
      onAct: (act) => this.#act(act),
    }) : null;
    this.handles = new Handles({
      onMove: (end, x, y) => this.#dragEnd(end, x, y), onDrop: () => this.#drop(),
      onWiden: (end) => this.#moveEnd(end, end === "start" ? -1 : 1),
    });
  }

  /** Shows answers that wait in this browser before they are stored, and starts to listen. */
  async start() {
    showStrip();
    this.#showColumns();
    this.answers.listen();
    await this.answers.showWaiting([], []);
    this.stepper = new Stepper({
      cards: this.cards, onStep: (steps) => this.#step(steps), onSwitch: () => this.#showActive(),
    });
    for (const candidate of this.candidates) this.#draw(candidate);
    this.#listen();
    const first = this.candidates.find(({ missing }) => missing) ?? this.candidates[0];
    this.#select(new Selection(first));
    if (!this.protocol.has_spans) first.focus();
    this.#bindKeys();
    this.#showProgress();
    if (location.hash === "#guidelines") toggleGuidelines();
    if (await this.answers.sync.countWaiting()) this.answers.sync.flush();
  }

  /** The letters above the translations; equal translations of a sentence share one place. */
  #showColumns() {
    const letters = [...new Set(this.candidates.flatMap(({ data }) => [...data.letter]))].sort();
    const heads = letters.map((letter) => Object.assign(document.createElement("span"), { textContent: letter }));
    this.answers.form.dataset.columns = String(letters.length);
    this.answers.form.classList.toggle("has-spans", this.protocol.has_spans);
    if (letters.length < 3) get(".cols-h").after(...heads);
    else get(".cols-h").replaceWith(...heads);
    for (const { card, data } of this.candidates) card.classList.toggle("is-merged", data.letter.length > 1);
  }

  /** @param {PageData} data */
  #createCandidates({ units, document_score: documents, protocol }) {
    const isFinished = "finished" in this.answers.form.dataset;
    /**
     * @param {CandidateData} data
     * @param {TextView | null} source
     */
    const create = (data, source) => {
      const card = get(`.cand[data-phrase="${data.output}"]`);
      /** @type {Candidate} */
      const candidate = new Candidate(card, data, {
        protocol, source, words: this.words, isFinished,
        onScore: (score) => this.#edit(candidate, { type: "score", score }),
      });
      return candidate;
    };
    return [
      ...units.flatMap((unit) => {
        const element = get(`#unit-${unit.number} .s-src`);
        const source = new TextView(element, new IndexedText(unit.source, unit.source_lang), "source");
        return unit.candidates.map((data) => create(data, source));
      }),
      ...(documents ?? []).map((data) => create(data, null)),
    ];
  }

  // --- changes ---------------------------------------------------------------------------------------------

  /**
   * @param {Candidate} candidate
   * @param {Action} action
   */
  #edit(candidate, action) {
    const previous = candidate.assessment, next = edit(previous, action);
    if (next === previous) return;
    this.history.push(candidate.output, previous);
    this.#set(candidate, next);
  }

  /**
   * @param {Candidate} candidate
   * @param {import("./assess-marks.js").Assessment} assessment
   */
  #set(candidate, assessment) {
    const { score, spans } = candidate.assessment;
    candidate.assessment = assessment;
    if (score !== assessment.score || spans !== assessment.spans) this.#send(candidate);
    candidate.keepRejected();
    this.#draw(candidate);
    this.#showProgress();
  }

  /** @param {Candidate} candidate */
  #send(candidate) {
    const { score, spans } = candidate.assessment;
    this.answers.send(candidate.card, { output: candidate.output, score, spans });
  }

  #undo() {
    const { status } = this.answers, last = this.history.pop();
    if (!last) return status.say(status.words.noUndo, false);
    const candidate = this.candidates.find(({ output }) => output === last.output);
    if (!candidate) return;
    this.#select(new Selection(candidate));
    this.#set(candidate, last.assessment);
    this.#show();
  }

  /**
   * An answer that waits in this browser, or that of another window.
   * @param {HTMLElement} card
   * @param {import("./sync.js").Receipt | import("./outbox.js").Entry} stored
   */
  #showStored(card, { score = null, spans = [] }) {
    const candidate = this.candidates.find((one) => one.card === card);
    if (!candidate) return;
    candidate.assessment = { ...candidate.assessment, score, spans };
    this.history.forget(candidate.output);
    if (this.selection.candidate === candidate) this.selection = new Selection(candidate);
    this.#draw(candidate);
  }

  /**
   * @param {import("./assess-text.js").Range | null} range
   * @param {{ severity?: string, isTouch?: boolean }} [how]
   */
  #add(range, { severity = this.#defaultSeverity, isTouch = false } = {}) {
    const { selection } = this, { candidate, side } = selection;
    if (range) {
      const span = { side, start: range[0], end: range[1], severity, category: "", suggestion: null };
      this.#edit(candidate, { type: "add", span });
      const index = candidate.assessment.spans.findIndex((one) =>
        one.side === side && one.start === range[0] && one.end === range[1] && one.severity === severity);
      selection.choose({ type: "span", index }, isTouch);
    } else selection.draft = null;
    this.#show();
  }

  get #defaultSeverity() {
    return this.severities.includes("minor") ? "minor" : this.severities[0];
  }

  /** @param {string} severity */
  #addOmission(severity = this.#defaultSeverity) {
    const { candidate } = this.selection;
    if (!this.protocol.has_omission || !candidate.target) return;
    /** @type {import("./assess-marks.js").Span} */
    const span = { side: "target", start: null, end: null, severity, category: "", suggestion: null };
    this.#edit(candidate, { type: "add", span });
    this.selection.side = "target";
    this.selection.choose({ type: "span", index: candidate.assessment.spans.length - 1 });
    this.#show();
  }

  /**
   * Changes the chosen mark; a suggestion becomes an error of one's own.
   * @param {Partial<import("./assess-marks.js").Span>} values
   */
  #changeMark(values) {
    const { candidate, mark } = this.selection;
    if (mark?.type === "span") this.#edit(candidate, { type: "change", index: mark.index, values });
    else if (mark) {
      const suggestion = candidate.suggestions.find(({ id }) => id === mark.id);
      if (!suggestion) return;
      this.#edit(candidate, { type: "add", span: accept(suggestion, values) });
      this.selection.mark = { type: "span", index: candidate.assessment.spans.length - 1 };
    }
    this.#show();
  }

  /** @param {string} severity */
  #setSeverity(severity) {
    if (this.selection.mark) this.#changeMark({ severity });
    else this.#add(this.selection.words, { severity });
  }

  #remove() {
    const { candidate, mark } = this.selection;
    if (!mark) return false;
    if (mark.type === "span") this.#edit(candidate, { type: "remove", index: mark.index });
    else this.#edit(candidate, { type: "reject", id: mark.id });
    this.selection.mark = null;
    this.selection.hasHandles = false;
    this.#show();
  }

  #markDifference() {
    const { status } = this.answers, { candidate, side, text, words, mark } = this.selection;
    const place = (mark && candidate.read(mark)?.start) ?? words?.[0];
    const range = side === "target" && this.showsDifferences && place != null
      ? candidate.differences.find(([start, end]) => start <= place && place < end) : undefined;
    if (range && text) this.#add(text.snap(...range));
    else status.say(status.words.noDifference, false);
  }

  /** @param {string} act */
  #act(act) {
    if (act === "accept") this.#changeMark({});
    if (act === "remove" || act === "reject") this.#remove();
    if (act === "difference") this.#markDifference();
    if (act === "missing") this.#addOmission();
    if (act === "adjust") {
      this.#changeMark({});
      this.selection.hasHandles = true;
      this.#show();
    }
    this.selection.candidate.view(this.selection.side)?.element.focus({ preventScroll: true });
  }

  // --- pointer -----------------------------------------------------------------------------------------------

  /** @param {Element} target */
  #findView(target) {
    const element = target.closest(".text");
    if (!this.protocol.has_spans || !element) return undefined;
    const candidate = this.candidates.find(({ target: view }) => view?.element === element);
    if (candidate) {
      if (candidate !== this.selection.candidate || this.selection.side !== "target") {
        this.#select(new Selection(candidate));
      }
      return candidate.target ?? undefined;
    }
    if (!this.protocol.has_source_errors) return undefined;
    // Errors of the source belong to the translation in which somebody works.
    const { source, unit } = this.selection.candidate;
    const owner = source?.element === element ? this.selection.candidate
      : this.candidates.find((one) => one.source?.element === element);
    if (!owner) return undefined;
    if (owner.unit !== unit || this.selection.side !== "source") this.#select(new Selection(owner, "source"));
    return owner.source ?? undefined;
  }

  /** @param {Gesture} gesture */
  #rangeOf({ view, from, to, isExact }) {
    const [start, end] = [Math.min(from, to), Math.max(from, to) + 1];
    return isExact || isSet("mark-characters") ? /** @type {const} */ ([start, end]) : view.text.snap(start, end);
  }

  /** @param {Gesture} gesture */
  #drag(gesture) {
    this.selection.mark = null;
    this.selection.draft = this.#rangeOf(gesture);
    this.#show();
  }

  /** @param {Gesture} gesture */
  #tap({ view, from, isTouch }) {
    const { selection } = this, { candidate, side } = selection, word = view.text.wordAt(from);
    if (word < 0) return;
    if (selection.isOpen) {
      selection.put(word, true);
      return this.#add(selection.words);
    }
    const marks = candidate.marksAt(side, from), chosen = marks.find((mark) => isSameMark(mark, selection.mark));
    if (chosen?.type === "span") {
      const { severity } = candidate.assessment.spans[chosen.index];
      return this.#changeMark({ severity: cycle(this.severities, severity) });
    }
    if (marks.length) selection.choose(marks[0], isTouch);
    else {
      selection.put(word);
      if (isTouch) return this.#add(selection.words, { isTouch });
      selection.isOpen = true;
    }
    this.#show();
  }

  /**
   * @param {import("./assess-handles.js").End} end
   * @param {number} x
   * @param {number} y
   */
  #dragEnd(end, x, y) {
    const { selection } = this, { candidate, side, mark } = selection, view = candidate.view(side);
    const span = mark && candidate.read(mark), point = view?.pointAt(x, y);
    if (!view || span?.start == null || span.end == null || point == null) return;
    const isStart = end === "start";
    const [start, stop] = isStart ? [Math.min(point, span.end - 1), span.end]
      : [span.start, Math.max(point, span.start) + 1];
    const range = isSet("mark-characters") ? /** @type {const} */ ([start, stop]) : view.text.snap(start, stop);
    if (!range) return;
    selection.draft = isStart ? [range[0], span.end] : [span.start, range[1]];
    this.#show();
  }

  #drop() {
    const { draft } = this.selection;
    this.selection.draft = null;
    if (draft) this.#changeMark({ start: draft[0], end: draft[1] });
  }

  // --- keys --------------------------------------------------------------------------------------------------

  /**
   * @param {number} steps
   * @param {boolean} isExtending
   */
  #moveWord(steps, isExtending) {
    const { selection } = this, { candidate, side, text } = selection;
    if (!text) return false;
    if (isExtending && selection.mark && candidate.read(selection.mark)?.start != null) {
      return this.#moveEnd(selection.moving ?? (steps > 0 ? "end" : "start"), steps);
    }
    const from = selection.word < 0 && steps < 0 ? text.words.length : selection.word;
    selection.put(from + steps, isExtending);
    const marks = isExtending ? [] : candidate.marksAt(side, text.words[selection.word]?.[0] ?? 0);
    if (marks.length) {
      const { word } = selection;
      selection.choose(marks[0]);
      selection.word = selection.anchor = word;
    }
    this.#show();
    this.#scroll();
  }

  /**
   * @param {import("./assess-handles.js").End} end
   * @param {number} steps
   */
  #moveEnd(end, steps) {
    const { selection } = this, { candidate, mark, text, word } = selection, span = mark && candidate.read(mark);
    if (!text || span?.start == null || span.end == null) return;
    const [start, stop] = text.moveEnd([span.start, span.end], end, steps);
    this.#changeMark({ start, end: stop });
    Object.assign(selection, { moving: end, word, anchor: word });
  }

  /** @param {number} steps */
  #nextMark(steps) {
    const { selection } = this, { candidate, side } = selection, placed = candidate.list(side);
    const marks = [...placed.map(({ mark }) => mark),
      ...candidate.marks.filter(({ span }) => span.start === null).map(({ mark }) => mark)];
    if (!marks.length) return this.answers.status.say(this.words.noMark, false);
    const now = marks.findIndex((mark) => isSameMark(mark, selection.mark)), place = selection.words?.[0] ?? 0;
    const before = placed.filter(({ start }) => start < place).length; // where nothing is chosen
    const next = now < 0 ? before - (steps < 0 ? 1 : 0) : now + steps;
    selection.choose(marks[(next + marks.length) % marks.length]);
    this.#show();
    this.#scroll();
  }

  #bindKeys() {
    const { protocol } = this;
    /** @param {KeyboardEvent} event to the right, as the eye sees it */
    const isForward = ({ key }) => (key === "ArrowRight") !== this.#isRightToLeft;
    /** @param {Element} target */
    const slider = (target) => this.candidates.find((one) => one.slider?.input === target)?.slider;
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
      "next-word": (_, __, event) => this.#moveWord(isForward(event) ? 1 : -1, event.shiftKey),
      "first-word": (_, __, event) => this.#moveWord(-Infinity, event.shiftKey),
      "last-word": (_, __, event) => this.#moveWord(Infinity, event.shiftKey),
      "next-row": () => this.#goTo(1),
      "previous-row": () => this.#goTo(-1),
      mark: () => this.#markOrCycle(),
      severity: (key) => this.#setSeverity(
        protocol.severities.find((one) => one.key_name.toLowerCase() === key.toLowerCase())?.key ?? "",
      ),
      omission: () => this.#addOmission(),
      difference: () => this.#markDifference(),
      accept: () => (this.selection.mark?.type === "suggestion" ? this.#changeMark({}) : false),
      remove: () => this.#remove(),
      "next-mark": (_, __, event) => this.#nextMark(event.shiftKey ? -1 : 1),
      answer: (digit, target) => slider(target)?.choose(digit),
      continue: (_, target) => this.#continue(Boolean(slider(target))),
      close: () => (closeGuidelines() ? undefined : this.#select(new Selection(this.selection.candidate))),
      undo: () => this.#undo(),
      guidelines: toggleGuidelines,
      help: showHelp,
      comment: () => openSheet("#comment-box"),
      unsure: () => find("[data-unsure]")?.click(),
      skip: () => openSheet("#skip-box"),
      "previous-sentence": () => find("[data-previous]")?.click(),
    }, {
      letters: {
        o: "omission", d: "difference", y: "accept", e: "next-mark", u: "undo", g: "guidelines", "?": "help",
        c: "comment", f: "unsure", x: "skip", p: "previous-sentence", ...severityKeys,
      },
      moves: {
        ArrowLeft: "next-word", ArrowRight: "next-word", Home: "first-word", End: "last-word", ArrowDown: "next-row",
        ArrowUp: "previous-row", " ": "mark", Delete: "remove", Backspace: "remove",
      },
    });
  }

  get #isRightToLeft() {
    const element = this.selection.candidate.view(this.selection.side)?.element;
    return element ? getComputedStyle(element).direction === "rtl" : false;
  }

  #markOrCycle() {
    const { candidate, mark, words } = this.selection;
    if (mark?.type === "span") {
      const { severity } = candidate.assessment.spans[mark.index];
      this.#changeMark({ severity: cycle(this.severities, severity) });
    } else if (mark) this.#changeMark({});
    else if (words) this.#add(words);
    else return false;
  }

  /** @param {number} steps to another translation */
  #goTo(steps) {
    const next = this.candidates[this.candidates.indexOf(this.selection.candidate) + steps];
    if (!next) return false;
    this.#activate(next);
    next.focus();
  }

  /**
   * The score of this translation, then the next that is not done, and after the last one the next page.
   * @param {boolean} isOnScore
   */
  #continue(isOnScore) {
    const { candidate } = this.selection, from = this.candidates.indexOf(candidate);
    if (!isOnScore && candidate.missing === "score" && candidate.slider) return candidate.slider.focus();
    const open = this.candidates.filter((one) => one !== candidate && one.missing);
    const next = open.find((one) => this.candidates.indexOf(one) > from) ?? open[0];
    if (!next || candidate.missing) return this.answers.submission.submit();
    this.#activate(next);
    next.focus();
  }

  // --- what the page shows -----------------------------------------------------------------------------------

  /** @param {Candidate} candidate */
  #draw(candidate) {
    const { selection, words, showsDifferences } = this, isActive = selection.candidate === candidate;
    const highlight = { mark: selection.mark, words: selection.draft ?? (selection.mark ? null : selection.words),
      isDraft: Boolean(selection.draft) };
    /** @param {import("./assess-marks.js").Side} side */
    const draw = (side) => drawText(
      candidate, side, isActive && selection.side === side ? highlight : null, { words, showsDifferences },
    );
    const chosen = [...draw("target"), ...(isActive ? draw("source") : [])];
    candidate.showScore();
    if (!isActive) return;
    const elements = findAll(".cur.is-draft", candidate.unit);
    this.handles.show(selection.hasHandles ? (elements.length ? elements : chosen) : [], this.#isRightToLeft);
  }

  /** Shows the selection, in the text and in the dock. */
  #show() {
    this.#draw(this.selection.candidate);
    this.dock?.show(this.#describe());
  }

  /** @returns {import("./assess-dock.js").Chosen} */
  #describe() {
    const { words } = this, { candidate, mark, text, words: range, draft, isOpen } = this.selection;
    const span = mark && candidate.read(mark), place = draft ?? range;
    if (span && mark && !draft) {
      const isOwn = mark.type === "span";
      const quoted = span.start === null ? words.missingHere : `“${text?.slice(span.start, span.end ?? 0)}”`;
      return {
        text: quoted, hint: isOwn ? `${labelOf(this.protocol, span.severity)} · ${words.own}` : words.suggested,
        kind: isOwn ? "own" : "suggestion", severity: span.severity, category: span.category,
      };
    }
    if (place && text) {
      return { text: `“${text.slice(...place)}”`, hint: isOpen ? words.lastWord : words.unmarked, kind: "words" };
    }
    return { text: "", hint: words.howToMark, kind: "nothing" };
  }

  /** @param {Selection} selection */
  #select(selection) {
    const previous = this.selection.candidate;
    this.selection = selection;
    if (previous !== selection.candidate) this.#draw(previous);
    this.#showActive();
    this.#show();
  }

  /** @param {Candidate} candidate */
  #activate(candidate) {
    if (this.selection.candidate !== candidate) this.#select(new Selection(candidate));
    else this.#showActive();
  }

  #showActive() {
    const { candidate } = this.selection;
    for (const unit of findAll(".seg")) unit.classList.toggle("is-on", unit === candidate.unit);
    for (const card of this.cards) card.classList.toggle("is-on", card === candidate.card);
    for (const tab of findAll("[data-tab]")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.tab === candidate.output));
    }
    this.#showPlace();
  }

  #scroll() {
    const { unit } = this.selection.candidate;
    find(".text .cur, .text .is-on", unit)?.scrollIntoView({ block: "nearest" });
  }

  get #open() {
    return this.candidates.filter(({ missing }) => missing);
  }

  #showProgress() {
    this.answers.status.showProgress(this.#open.map(({ card }) => card));
    for (const unit of findAll(".seg")) {
      const state = find(".seg-state", unit), here = this.candidates.filter((one) => one.unit === unit);
      const open = here.filter(({ missing }) => missing).map(({ data }) => data.letter);
      if (!state) continue;
      const { unitOpen, unitDone } = this.words;
      state.textContent = open.length ? unitOpen.replace("{list}", open.join(", ")) : unitDone;
      state.classList.toggle("is-done", !open.length);
    }
    this.#showPlace();
  }

  #showPlace() {
    this.stepper?.show(this.selection.candidate.card, this.#open.map(({ card }) => card));
  }

  #isComplete() {
    const { status } = this.answers, [first] = this.#open;
    if (!first) return true;
    const reason = first.missing, same = this.#open.filter(({ missing }) => missing === reason);
    if (reason === "score") status.showMissing(same.map(({ card }) => card));
    else {
      const list = same.map(({ card }) => card.dataset.card).join(", ");
      const text = reason === "span" ? status.words.needSpan : status.words.needDecision;
      status.say(text.replace("{list}", list).replace("{n}", String(this.protocol.span_required_below)), true);
    }
    this.#activate(first);
    first.card.scrollIntoView({ block: "nearest" });
    if (reason === "score") first.slider?.focus();
    else first.focus();
    return false;
  }

  /** @param {number} steps */
  #step(steps) {
    if (this.#goTo(steps) === false && steps > 0) this.answers.submission.submit();
  }

  #listen() {
    const { form } = this.answers;
    watchPointer(form, {
      find: (target) => this.#findView(target), onDrag: (gesture) => this.#drag(gesture),
      onMark: (gesture) => this.#add(this.#rangeOf(gesture), gesture), onTap: (gesture) => this.#tap(gesture),
      onCancel: () => {
        this.selection.draft = null;
        this.#show();
      },
    });
    form.addEventListener("focusin", ({ target }) => this.#follow(/** @type {Element} */ (target)));
    document.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      if (target.closest("[data-undo]")) this.#undo();
      const tab = target.closest("[data-tab]"), omission = target.closest("[data-mark]");
      const candidate = this.candidates.find(({ output }) => output === tab?.getAttribute("data-tab"));
      if (candidate) this.#activate(candidate);
      if (omission) this.#clickOmission(/** @type {HTMLElement} */ (omission));
    });
    addEventListener("resize", () => this.#draw(this.selection.candidate));
  }

  /** @param {Element} target that has the focus now */
  #follow(target) {
    if (target.matches("[data-mark]")) return; // drawn anew, it would miss its click
    if (target.matches(".s-src")) this.#findView(target);
    const candidate = this.candidates.find(({ card }) => card.contains(target));
    if (!candidate) return;
    if (target.matches(".text") && this.selection.side === "source") this.#select(new Selection(candidate));
    else this.#activate(candidate);
  }

  /** @param {HTMLElement} button */
  #clickOmission(button) {
    const [type, number] = (button.dataset.mark ?? "").split(" ");
    const owner = this.candidates.find(({ card }) => card.contains(button));
    if (owner) this.#activate(owner);
    const { selection } = this;
    if (type === "new") this.#addOmission();
    else {
      const mark = makeMark(type === "span" ? "span" : "suggestion", Number(number));
      if (isSameMark(mark, selection.mark)) this.#markOrCycle();
      else selection.choose(mark);
      this.#show();
    }
    selection.candidate.focus(); // not the button, which is drawn anew
  }
}
