// Word links of the alignment editor: their text, and the lines between linked words.
import { createSvg, get } from "./dom.js";
import { isColumn, textOf } from "./alignment-words.js";

/** @typedef {[number, number]} Link positions in A and B */

/** @param {Link} link */
export const formatLink = (link) => link.join("-");

/** @param {Link[]} links */
export const formatLinks = (links) => sortLinks(links).map(formatLink).join(" ");

/** @param {Link[]} links */
const sortLinks = (links) => [...links].sort(([i, j], [k, l]) => i - k || j - l);

/**
 * @param {string} text in Pharaoh notation
 * @param {number} lengthA
 * @param {number} lengthB
 * @returns {Link[] | null} null where it says something else, which the server explains
 */
export function parseLinks(text, lengthA, lengthB) {
  /** @type {Map<string, Link>} */
  const links = new Map();
  for (const token of text.split(/\s+/).filter(Boolean)) {
    const match = /^(\d{1,6})-(\d{1,6})$/.exec(token);
    if (!match || Number(match[1]) >= lengthA || Number(match[2]) >= lengthB) return null;
    /** @type {Link} */
    const link = [Number(match[1]), Number(match[2])];
    links.set(formatLink(link), link);
  }
  return sortLinks([...links.values()]);
}

const inner = get(".align-in"), lines = get(".align-lines");

/**
 * @param {Element} from
 * @param {Element} to
 * @param {DOMRect} box
 */
function path(from, to, box) {
  const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
  if (isColumn()) {
    const [left, right] = a.left < b.left ? [a.right, b.left] : [a.left, b.right];
    const x1 = left - box.left, y1 = a.top + a.height / 2 - box.top, x2 = right - box.left;
    const y2 = b.top + b.height / 2 - box.top, middle = (x1 + x2) / 2;
    return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  }
  const x1 = a.left + a.width / 2 - box.left, y1 = a.bottom - box.top;
  const x2 = b.left + b.width / 2 - box.left, y2 = b.top - box.top, middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}

/**
 * @param {Link[]} links
 * @param {Record<"a" | "b", HTMLElement[]>} rows
 * @param {{ dropped: Set<string>, picked: HTMLElement | null }} marks links that cross phrases; the chosen word
 */
export function drawLines(links, rows, { dropped, picked }) {
  const box = inner.getBoundingClientRect();
  lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  lines.replaceChildren(...links.map((link) => {
    const a = rows.a[link[0]], b = rows.b[link[1]], name = formatLink(link);
    const isSame = textOf(a).toLowerCase() === textOf(b).toLowerCase();
    return createSvg("path", {
      d: path(a, b, box),
      "data-kind": dropped.has(name) ? "dropped" : isSame ? "same" : "differs",
      "data-link": name,
      class: a === picked || b === picked ? "is-on" : "",
    });
  }));
}
