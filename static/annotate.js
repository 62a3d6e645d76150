// The annotation page: one scale for each phrase pair, a connector between its phrases, and what is asked about
// the whole sentence. Everything here is convenience: without it the page is a plain form that does the same.
import { $, $$, work } from "./desk.js";
import { Outbox } from "./outbox.js";

const links = $(".links");
let lit; // the number of the pair whose phrases are connected

function draw(pair) {
  lit = pair;
  links.replaceChildren();
  const ends = $$(`.stave .ph[data-pair="${pair}"]`);
  if (ends.length < 2) return;
  const box = links.getBoundingClientRect();
  const [a, b] = ends.map((end, i) => { const r = [...end.getClientRects()]; return i ? r[0] : r.at(-1); });
  const x1 = a.left + a.width / 2 - box.left, y1 = a.bottom - box.top + 3;
  const x2 = b.left + b.width / 2 - box.left, y2 = b.top - box.top - 3, m = (y1 + y2) / 2;
  const make = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  links.setAttribute("class", `links p${(pair - 1) % 6 + 1}`);
  links.append(
    make("path", { d: `M${x1} ${y1}C${x1} ${m + 8} ${x2} ${m - 8} ${x2} ${y2}`, "data-kind": ends[0].dataset.kind }),
    make("circle", { cx: x1, cy: y1, r: 3.5 }), make("circle", { cx: x2, cy: y2, r: 3.5 }),
  );
}
new ResizeObserver(() => draw(lit)).observe($(".staves"));

const read = (card) => $(".scale input:checked", card)?.value ?? "";

work({
  Outbox,
  rows: $$(".card .scale, .rates"),
  read,
  write: (card, value) => { for (const input of $$(".scale input", card)) input.checked = input.value === value; },
  answer: (card) => ({ choice: read(card) }),
  stored: (receipt) => receipt.choice ?? "",
  option: (row, key) => $$("input", row)[Number(key) - 1],
  light: draw,
});
