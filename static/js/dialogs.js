// The guidelines, the list of keys, and the switch for single-key shortcuts.
import { find, findInput } from "./dom.js";

const guidelines = /** @type {HTMLDialogElement | null} */ (find("#guidelines"));
const help = /** @type {HTMLDialogElement | null} */ (find("#help"));
const singleKeys = findInput("[data-single-keys]");
const SETTING = "single-keys"; // in localStorage: it belongs to the browser, not to the account

if (singleKeys) {
  singleKeys.checked = localStorage.getItem(SETTING) !== "off";
  singleKeys.addEventListener("change", () => localStorage.setItem(SETTING, singleKeys.checked ? "on" : "off"));
}

export const usesSingleKeys = () => !singleKeys || singleKeys.checked;
export const isHelpOpen = () => Boolean(help?.open);
export const showHelp = () => help?.showModal();
export const toggleGuidelines = () => (guidelines?.open ? guidelines.close() : guidelines?.show());

/** @returns {boolean} whether they were open */
export function closeGuidelines() {
  const wasOpen = Boolean(guidelines?.open);
  guidelines?.close();
  return wasOpen;
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-guide],[data-close]") : null;
  if (button?.matches("[data-guide]")) toggleGuidelines();
  if (button?.matches("[data-close]")) button.closest("dialog")?.close();
});
