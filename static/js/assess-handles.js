// Two handles at the ends of the chosen mark, for fingers. They lie over the text, because the text is drawn anew while
// one of them is dragged. A tap on a handle widens the mark by a word.
import { THRESHOLD } from "./assess-pointer.js";
import { findAll } from "./dom.js";

const LINE = 8; // pixels from a handle up to its line of text

/** @typedef {"start" | "end"} End */

export class Handles {
  /**
   * @param {object} options
   * @param {(end: End, x: number, y: number) => void} options.onMove to a point of the screen
   * @param {() => void} options.onDrop
   * @param {(end: End) => void} options.onWiden
   */
  constructor({ onMove, onDrop, onWiden }) {
    this.buttons = findAll(".hnd");
    for (const button of this.buttons) {
      const end = button.dataset.end === "start" ? "start" : "end";
      this.#watch(button, { move: (x, y) => onMove(end, x, y), drop: onDrop, tap: () => onWiden(end) });
      // After a tap the handle is elsewhere, and the click would be for what lies there now.
      button.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
      button.addEventListener("click", ({ detail }) => { if (!detail) onWiden(end); }); // by a key
    }
  }

  /**
   * @param {readonly HTMLElement[]} elements of the chosen mark; none hides the handles
   * @param {boolean} isRightToLeft
   */
  show(elements, isRightToLeft) {
    const boxes = elements.flatMap((element) => [...element.getClientRects()]);
    for (const button of this.buttons) button.hidden = !boxes.length;
    const frame = this.buttons[0]?.offsetParent?.getBoundingClientRect();
    if (!boxes.length || !frame) return;
    for (const button of this.buttons) {
      const isStart = button.dataset.end === "start", box = isStart ? boxes[0] : boxes[boxes.length - 1];
      button.style.left = `${(isStart !== isRightToLeft ? box.left : box.right) - frame.left}px`;
      button.style.top = `${box.bottom - frame.top}px`;
    }
  }

  /**
   * @param {HTMLElement} button
   * @param {{ move: (x: number, y: number) => void, drop: () => void, tap: () => void }} does
   */
  #watch(button, { move, drop, tap }) {
    /** @type {{ x: number, y: number, toX: number, toY: number, isDrag: boolean } | null} */
    let grip = null;
    button.addEventListener("pointerdown", ({ clientX: x, clientY: y, pointerId }) => {
      const box = button.getBoundingClientRect();
      // From the finger to the line of text above it.
      grip = { x, y, toX: box.left + box.width / 2 - x, toY: box.top - LINE - y, isDrag: false };
      button.setPointerCapture(pointerId);
    });
    button.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
      if (!grip || (!grip.isDrag && Math.hypot(x - grip.x, y - grip.y) <= THRESHOLD)) return;
      grip.isDrag = true;
      move(x + grip.toX, y + grip.toY);
    });
    for (const type of ["pointerup", "pointercancel"]) {
      button.addEventListener(type, () => {
        if (grip?.isDrag) drop();
        else if (grip && type === "pointerup") tap();
        grip = null;
      });
    }
  }
}
