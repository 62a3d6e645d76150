// Phrase pairs: a scale for each, and a connector between the two phrases of the highlighted one.
import { createSvg, findAll, findInput, findInputs, get } from "./dom.js";
import { AnnotationPage } from "./page.js";

const connector = get(".links");
/** @type {string | undefined} */
let highlighted;

/** @param {string | undefined} pair */
function connect(pair) {
  highlighted = pair;
  connector.replaceChildren();
  const ends = findAll(`.stave .ph[data-pair="${pair}"]`);
  if (ends.length < 2) return;
  const box = connector.getBoundingClientRect();
  // A phrase may run over several lines: the connector joins the nearest ends.
  const a = [...ends[0].getClientRects()].at(-1) ?? box, b = ends[1].getClientRects()[0];
  const x1 = a.left + a.width / 2 - box.left, y1 = a.bottom - box.top + 3;
  const x2 = b.left + b.width / 2 - box.left, y2 = b.top - box.top - 3, middle = (y1 + y2) / 2;
  const d = `M${x1} ${y1}C${x1} ${middle + 8} ${x2} ${middle - 8} ${x2} ${y2}`;
  connector.setAttribute("class", `links p${(Number(pair) - 1) % 6 + 1}`);
  connector.append(
    createSvg("path", { d, "data-kind": ends[0].dataset.kind ?? "" }),
    createSvg("circle", { cx: x1, cy: y1, r: 3.5 }), createSvg("circle", { cx: x2, cy: y2, r: 3.5 }),
  );
}
new ResizeObserver(() => connect(highlighted)).observe(get(".staves"));

/** @param {HTMLElement} card */
const read = (card) => findInput(".scale input:checked", card)?.value ?? "";

new AnnotationPage({
  rows: findAll(".card .scale, .rates"),
  read,
  write(card, value) {
    for (const input of findInputs(card, ".scale input")) input.checked = input.value === value;
  },
  answer: (card) => ({ choice: read(card) }),
  stored: ({ choice }) => choice ?? "",
  option: (row, digit) => findInputs(row)[Number(digit) - 1],
  onHighlight: connect,
}).start();
