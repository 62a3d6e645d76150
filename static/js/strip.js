// The strip of one's own sentences: a link to each around this one, with its state.
import { find, get } from "./dom.js";

export function showStrip() {
  const list = find(".dots"), words = get("#words").dataset;
  const sentences = list?.dataset.sentences?.split(";") ?? [];
  list?.append(...sentences.map((sentence) => {
    const [number, state, url, unsure] = sentence.split(" ");
    const item = document.createElement("li"), link = item.appendChild(document.createElement("a"));
    link.href = url;
    link.className = `is-${state}${unsure ? " is-unsure" : ""}`;
    link.setAttribute("aria-label", [number, words[state], ...unsure ? [words.unsure] : []].join(", "));
    if (number === list.dataset.current) {
      link.setAttribute("aria-current", "true");
      link.textContent = number;
    }
    return item;
  }));
}
