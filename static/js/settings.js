// Settings of the pages of annotators. They belong to the browser, not to the account: localStorage keeps them.
import { findInput, findInputs } from "./dom.js";

const isPhone = matchMedia("(max-width: 40rem)").matches;

for (const input of findInputs(document, "[data-setting]")) {
  const name = input.dataset.setting ?? "", stored = localStorage.getItem(name);
  if (stored) input.checked = stored === "on";
  else if (name === "one-question") input.checked = isPhone;
  input.addEventListener("change", () => localStorage.setItem(name, input.checked ? "on" : "off"));
}

/**
 * Whether a setting is on; pages without its switch leave it on.
 * @param {"single-keys" | "click-advances" | "one-question" | "mark-characters"} name
 */
export const isSet = (name) => findInput(`[data-setting="${name}"]`)?.checked ?? name === "single-keys";

/**
 * @param {"one-question"} name
 * @param {(isOn: boolean) => void} use is called now and after each change
 */
export function applySetting(name, use) {
  const input = findInput(`[data-setting="${name}"]`);
  use(Boolean(input?.checked));
  input?.addEventListener("change", () => use(input.checked));
}
