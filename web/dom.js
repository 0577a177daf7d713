// Helpers that create and update elements. Text from players is only ever inserted as text.

/** @typedef {Record<string, any>} Props */
/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element. A function property listens to the event of its name, `true` is an empty attribute, null and
 * false are omitted.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  setProps(element, props);
  fill(element, children);
  return element;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, props = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setProps(element, props);
  fill(element, children);
  return element;
}

/** @param {Element} element @param {Props} props */
function setProps(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function fill(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "object" ? child : String(child));
  }
}

/**
 * Replaces the children of an element; the focus moves to the control of the same name.
 * @param {Element} element @param {...(Child | Child[])} children
 */
export function replaceContents(element, ...children) {
  const at = document.activeElement;
  const name = at && at !== element && element.contains(at) ? nameOf(at) : null;
  element.replaceChildren();
  fill(element, children);
  if (name === null) return;
  const all = [.../** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("button, a[href], input, select"))];
  (all.find((one) => nameOf(one) === name) ?? all[0])?.focus({ preventScroll: true });
}

/** @param {Element} element */
const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent ?? "";

/** Sets or removes an attribute, only if it differs.
 * @param {Element} element @param {string} name @param {string | boolean | null | undefined} value */
export function setAttribute(element, name, value) {
  const text = value === true ? "" : value === false || value === null || value === undefined ? null : value;
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

/** Sets a text, only if it differs. @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

let numbers = 0;
/** A new unique id. */
export const freshId = () => `n${++numbers}`;

/** The user prefers no animations. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
