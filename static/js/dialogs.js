// The guidelines, the list of keys, and what opens over the page.
import { find, findAll } from "./dom.js";

const guidelines = /** @type {HTMLDialogElement | null} */ (find("#guidelines"));
const help = /** @type {HTMLDialogElement | null} */ (find("#help"));

export const showHelp = () => help?.showModal();
export const toggleGuidelines = () => (guidelines?.open ? guidelines.close() : guidelines?.show());

/** Whether something is open that keys belong to. */
export const isCovered = () => Boolean(help?.open || find("[popover]:popover-open"));

/** @param {string} selector of what opens and closes over the page */
export const openSheet = (selector) => find(selector)?.showPopover();

/** @returns {boolean} whether they were open */
export function closeGuidelines() {
  const wasOpen = Boolean(guidelines?.open);
  guidelines?.close();
  return wasOpen;
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-guide],[data-close],[data-help]") : null;
  if (!button) return;
  for (const menu of findAll("#more:popover-open")) menu.hidePopover();
  if (button.matches("[data-guide]")) toggleGuidelines();
  if (button.matches("[data-help]")) showHelp();
  if (button.matches("[data-close]")) button.closest("dialog")?.close();
});
