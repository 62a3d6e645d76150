// The assessment page: errors are marked in translations, and translations get scores. What is changed is sent as the
// annotation page sends its choices.
import { Answers } from "./answers.js";
import { Candidate, isSameMark, makeMark } from "./assess-candidate.js";
import { Dock } from "./assess-dock.js";
import { drawText, labelOf } from "./assess-drawing.js";
import { Editor } from "./assess-editor.js";
import { Gestures } from "./assess-gestures.js";
import { bindAssessmentKeys } from "./assess-keys.js";
import { Selection } from "./assess-selection.js";
import { IndexedText } from "./assess-text.js";
import { TextView } from "./assess-view.js";
import { toggleGuidelines } from "./dialogs.js";
import { find, findAll, get } from "./dom.js";
import { Stepper } from "./stepper.js";
import { showStrip } from "./strip.js";

/** @typedef {import("./assess-candidate.js").CandidateData} CandidateData */
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
    this.answers = new Answers({
      cards: this.cards, onShow: () => this.#showProgress(), isComplete: () => this.#isComplete(),
      show: (card, stored, isOutdated) => { if (!isOutdated) this.#showStored(card, stored); },
    });
    this.words = this.answers.status.words;
    this.candidates = this.#createCandidates(data);
    this.editor = new Editor(this.candidates, data.protocol, {
      showsDifferences: data.differences, words: this.words, hooks: {
        onChange: (candidate, isAnswer) => this.#change(candidate, isAnswer),
        onSelect: (previous) => this.#showActive(previous),
        onShow: (isFar) => this.#show(isFar),
        say: (text) => this.answers.status.say(text, false),
      },
    });
    this.gestures = new Gestures(this.editor);
    /** @type {Set<Candidate>} */
    this.seen = new Set();
    this.dock = this.protocol.has_spans ? new Dock({
      onSeverity: (severity) => this.editor.setSeverity(severity),
      onCategory: (category) => this.editor.changeMark({ category }),
      onAct: (act) => this.#act(act),
    }) : null;
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
    this.editor.select(new Selection(first));
    if (!this.protocol.has_spans) first.focus();
    bindAssessmentKeys(this.editor, {
      onGo: (steps) => this.#goTo(steps), onContinue: (isOnScore) => this.#continue(isOnScore),
    });
    this.#showProgress();
    if (location.hash === "#guidelines") toggleGuidelines();
    for (const { slider } of this.candidates) if (slider?.typed != null) slider.onScore(slider.typed);
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
        onScore: (score) => this.editor.edit(candidate, { type: "score", score }),
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
   * @param {boolean} isAnswer
   */
  #change(candidate, isAnswer) {
    const { score, spans } = candidate.assessment;
    if (isAnswer) this.answers.send(candidate.card, { output: candidate.output, score, spans });
    this.#draw(candidate);
    this.#showProgress();
  }

  /**
   * An answer that waits in this browser, or that of another window.
   * @param {HTMLElement} card
   * @param {import("./sync.js").Receipt | import("./outbox.js").Entry} stored
   */
  #showStored(card, stored) {
    const candidate = this.candidates.find((one) => one.card === card);
    if (!candidate) return;
    this.editor.replace(candidate, stored);
    this.#draw(candidate);
  }

  /** @param {string} act */
  #act(act) {
    if (act === "accept") this.editor.changeMark({});
    if (act === "remove" || act === "reject") this.editor.remove();
    if (act === "difference") this.editor.markDifference();
    if (act === "missing") this.editor.addOmission();
    if (act === "adjust") {
      this.editor.changeMark({});
      this.editor.selection.hasHandles = true;
      this.#show();
    }
    this.editor.selection.candidate.view(this.editor.selection.side)?.element.focus({ preventScroll: true });
  }

  /** @param {number} steps to another translation */
  #goTo(steps) {
    const next = this.candidates[this.candidates.indexOf(this.editor.selection.candidate) + steps];
    if (!next) return false;
    this.editor.activate(next);
    next.focus();
  }

  /**
   * The score of this translation, then the next that is not done, and after the last one the next page.
   * @param {boolean} isOnScore
   */
  #continue(isOnScore) {
    const { candidate } = this.editor.selection, from = this.candidates.indexOf(candidate);
    if (!isOnScore && candidate.missing === "score" && candidate.slider) return candidate.slider.focus();
    // Without scores nothing is missing: Enter goes through all translations, and on from the last.
    const open = this.candidates.filter((one, k) =>
      one !== candidate && (this.protocol.scale ? one.missing : k > from));
    const next = open.find((one) => this.candidates.indexOf(one) > from) ?? open[0];
    if (!next || candidate.missing) return this.answers.submission.submit();
    this.editor.activate(next);
    next.focus();
  }

  // --- what the page shows -----------------------------------------------------------------------------------

  /** @param {Candidate} candidate */
  #draw(candidate) {
    const { words, showsDifferences } = this, { selection } = this.editor, isActive = selection.candidate === candidate;
    const highlight = { mark: selection.mark, words: selection.draft ?? (selection.mark ? null : selection.words),
      isDraft: Boolean(selection.draft) };
    /** @param {import("./assess-marks.js").Side} side */
    const draw = (side) => drawText(
      candidate, side, isActive && selection.side === side ? highlight : null, { words, showsDifferences },
    );
    const chosen = [...draw("target"), ...(isActive ? draw("source") : [])];
    candidate.showScore();
    if (!isActive) return;
    const draft = findAll(".cur.is-draft", candidate.unit), held = draft.length ? draft : chosen;
    this.gestures.handles.show(selection.hasHandles ? held : [], this.editor.isRightToLeft);
  }

  /** Shows the selection, in the text and in the dock. */
  #show(isFar = false) {
    const { candidate } = this.editor.selection;
    this.#draw(candidate);
    this.dock?.show(this.#describe());
    if (isFar) find(".text .cur, .text .is-on", candidate.unit)?.scrollIntoView({ block: "nearest" });
  }

  /** @returns {import("./assess-dock.js").Chosen} */
  #describe() {
    const { words } = this, { candidate, mark, text, words: range, draft, isOpen } = this.editor.selection;
    const span = mark && candidate.read(mark), place = draft ?? range;
    if (span && mark && !draft) {
      const isOwn = mark.type === "span";
      const quoted = span.start === null ? words.missingHere : this.#quote(text?.slice(span.start, span.end ?? 0));
      return {
        text: quoted, hint: isOwn ? `${labelOf(this.protocol, span.severity)} · ${words.own}` : words.suggested,
        kind: isOwn ? "own" : "suggestion", severity: span.severity, category: span.category,
      };
    }
    if (place && text) {
      return { text: this.#quote(text.slice(...place)), hint: isOpen ? words.lastWord : words.unmarked, kind: "words" };
    }
    const isTouch = matchMedia("(pointer: coarse)").matches;
    return { text: "", hint: isTouch ? words.howToTap : words.howToMark, kind: "nothing" };
  }

  #quote(text = "") {
    return this.words.quotation.replace("{text}", () => text);
  }

  /** @param {Candidate} [previous] */
  #showActive(previous) {
    const { candidate } = this.editor.selection;
    if (previous && previous !== candidate) {
      this.#draw(previous);
      if (this.stepper?.isOn) get(".main").scrollTop = 0; // to the beginning of its text
    }
    for (const unit of findAll(".seg")) unit.classList.toggle("is-on", unit === candidate.unit);
    for (const card of this.cards) card.classList.toggle("is-on", card === candidate.card);
    for (const tab of findAll("[data-tab]")) {
      tab.setAttribute("aria-pressed", String(tab.dataset.tab === candidate.output));
    }
    this.#showPlace();
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

  /** Without scores nothing has to be answered, but one by one every translation is to be seen. */
  #showPlace() {
    const { candidate } = this.editor.selection, isOne = !this.protocol.scale && this.stepper?.isOn;
    this.seen.add(candidate);
    const open = this.candidates.filter((one) => one.missing || (isOne && !this.seen.has(one)));
    this.stepper?.show(candidate.card, open.map(({ card }) => card));
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
    this.editor.activate(first);
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
    this.gestures.watch(form);
    form.addEventListener("focusin", ({ target }) => this.#follow(/** @type {Element} */ (target)));
    document.addEventListener("click", ({ target }) => {
      if (!(target instanceof Element)) return;
      if (target.closest("[data-undo]")) this.editor.undo();
      const tab = target.closest("[data-tab]"), omission = target.closest("[data-mark]");
      const candidate = this.candidates.find(({ output }) => output === tab?.getAttribute("data-tab"));
      if (candidate) this.editor.activate(candidate);
      if (omission) this.#clickOmission(/** @type {HTMLElement} */ (omission));
    });
    // To look words up: where dragging marks errors, it selects nothing.
    document.addEventListener("copy", (event) => {
      const words = this.editor.chosenWords;
      if (!words || String(getSelection())) return;
      event.clipboardData?.setData("text/plain", words);
      event.preventDefault();
    });
    addEventListener("resize", () => this.#draw(this.editor.selection.candidate));
  }

  /** @param {Element} target that has the focus now */
  #follow(target) {
    if (target.matches("[data-mark]")) return; // drawn anew, it would miss its click
    if (target.matches(".s-src")) this.gestures.findView(target);
    const candidate = this.candidates.find(({ card }) => card.contains(target));
    if (!candidate) return;
    const { editor } = this, isOtherSide = target.matches(".text") && editor.selection.side === "source";
    if (isOtherSide) editor.select(new Selection(candidate));
    else editor.activate(candidate);
  }

  /** @param {HTMLElement} button */
  #clickOmission(button) {
    const [type, number] = (button.dataset.mark ?? "").split(" ");
    const owner = this.candidates.find(({ card }) => card.contains(button));
    if (owner) this.editor.activate(owner);
    const { selection } = this.editor;
    if (type === "new") this.editor.addOmission();
    else {
      const mark = makeMark(type === "span" ? "span" : "suggestion", Number(number));
      if (isSameMark(mark, selection.mark)) this.editor.markOrCycle();
      else selection.choose(mark);
      this.#show();
    }
    selection.candidate.focus(); // not the button, which is drawn anew
  }
}
