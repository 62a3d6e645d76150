// Two handles at the ends of the chosen mark, for fingers. They lie over the text, because the text is drawn anew while
// one of them is dragged. A tap on a handle widens the mark by a word.
import { findAll } from "./dom.js";

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
      this.#watch(button, (x, y) => onMove(end, x, y), onDrop);
      button.addEventListener("click", (event) => {
        if (!event.detail || !this.wasDragged) onWiden(end);
        this.wasDragged = false;
      });
    }
    this.wasDragged = false;
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
   * @param {(x: number, y: number) => void} move
   * @param {() => void} drop
   */
  #watch(button, move, drop) {
    /** @type {{ x: number, y: number } | null} from the pointer to the line of text */
    let grip = null;
    button.addEventListener("pointerdown", (event) => {
      const box = button.getBoundingClientRect();
      grip = { x: box.left + box.width / 2 - event.clientX, y: box.top - 8 - event.clientY };
      this.wasDragged = false;
      button.setPointerCapture(event.pointerId);
    });
    button.addEventListener("pointermove", (event) => {
      if (!grip) return;
      this.wasDragged = true;
      move(event.clientX + grip.x, event.clientY + grip.y);
    });
    for (const type of ["pointerup", "pointercancel"]) {
      button.addEventListener(type, () => {
        if (grip && this.wasDragged) drop();
        grip = null;
      });
    }
  }
}
