// Marking with a mouse, a pen or a finger: pressing and dragging over words, or a click.

export const THRESHOLD = 4; // pixels that a click may move

/** @typedef {import("./assess-view.js").TextView} TextView */
/**
 * @typedef {object} Gesture
 * @property {TextView} view
 * @property {number} from code points, both under the pointer
 * @property {number} to
 * @property {boolean} isExact characters instead of words
 * @property {boolean} isTouch
 */

/**
 * @param {HTMLElement} root
 * @param {object} options
 * @param {(target: Element) => TextView | undefined} options.find the text that may be marked
 * @param {(gesture: Gesture) => void} options.onDrag while the pointer is down
 * @param {(gesture: Gesture) => void} options.onMark
 * @param {(gesture: Gesture) => void} options.onTap
 * @param {() => void} options.onCancel
 */
export function watchPointer(root, { find, onDrag, onMark, onTap, onCancel }) {
  /** @type {(Gesture & { x: number, y: number, id: number, isDrag: boolean }) | null} */
  let gesture = null;

  root.addEventListener("pointerdown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const view = event.isPrimary && event.button === 0 && !target.closest("button") ? find(target) : undefined;
    const from = view?.pointAt(event.clientX, event.clientY) ?? null;
    if (!view || from === null) return;
    gesture = {
      view, from, to: from, isExact: event.altKey, isTouch: event.pointerType === "touch",
      x: event.clientX, y: event.clientY, id: event.pointerId, isDrag: false,
    };
    // The words under a finger are drawn anew while it moves; the text stays.
    view.element.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointermove", (event) => {
    if (gesture?.id !== event.pointerId) return;
    const moved = Math.hypot(event.clientX - gesture.x, event.clientY - gesture.y);
    if (!gesture.isDrag && moved <= THRESHOLD) return;
    gesture.isDrag = true;
    gesture.to = gesture.view.pointAt(event.clientX, event.clientY) ?? gesture.to;
    gesture.isExact = event.altKey;
    onDrag(gesture);
  });
  root.addEventListener("pointerup", (event) => {
    if (gesture?.id !== event.pointerId) return;
    const done = gesture;
    gesture = null;
    if (done.isDrag) onMark(done);
    else onTap(done);
  });
  // A finger that scrolls marks nothing.
  root.addEventListener("pointercancel", () => {
    if (!gesture) return;
    gesture = null;
    onCancel();
  });
}
