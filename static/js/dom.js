// Typed access to the elements of a page.

/** @typedef {{ [word: string]: string }} Words texts of the page in the annotator's language, from data attributes */

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement | null}
 */
export const find = (selector, root = document) => root.querySelector(selector);

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement} an element that the template always renders
 */
export const get = (selector, root = document) => /** @type {HTMLElement} */ (find(selector, root));

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement[]}
 */
export const findAll = (selector, root = document) => [...root.querySelectorAll(selector)].map((element) =>
  /** @type {HTMLElement} */ (element));

/**
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLInputElement | null}
 */
export const findInput = (selector, root = document) => root.querySelector(selector);

/**
 * @param {ParentNode} root
 * @param {string} [selector]
 * @returns {HTMLInputElement[]}
 */
export const findInputs = (root, selector = "input") => /** @type {HTMLInputElement[]} */ (findAll(selector, root));

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @returns {SVGElement}
 */
export function createSvg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return /** @type {SVGElement} */ (element);
}
