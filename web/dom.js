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
    if (typeof value === "function") listen(element, name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** The event listeners of elements. There is one listener per event, which `patch` can replace. @type {WeakMap<Element, Map<string, ((event: Event) => unknown) | null>>} */
const listeners = new WeakMap();

/** @param {Element} element @param {string} name @param {(event: Event) => unknown} listener */
function listen(element, name, listener) {
  const known = listeners.get(element) ?? new Map();
  listeners.set(element, known);
  if (!known.has(name)) element.addEventListener(name, (event) => known.get(name)?.(event));
  known.set(name, listener);
}

/** @param {(Child | Child[])[]} children @returns {Node[]} */
const nodesOf = (children) =>
  children.flat().flatMap((child) => {
    if (child === null || child === undefined || child === false || child === "") return [];
    return [typeof child === "object" ? child : document.createTextNode(String(child))];
  });

/** @param {Element} element @param {(Child | Child[])[]} children */
function fill(element, children) {
  element.append(...nodesOf(children));
}

/** A button. If `isOff` is true, it can do nothing now. @param {string} name @param {() => void} onClick @param {string} [look] @param {boolean} [isOff] */
export function button(name, onClick, look = "", isOff = false) {
  // Not `disabled`: that would take the focus away from a button that was just pressed.
  return h(
    "button",
    { type: "button", class: look, click: isOff ? null : onClick, "aria-disabled": isOff && "true" },
    name,
  );
}

/** Elements that `patch` never changes: something else renders into them. @type {WeakSet<Node>} */
const kept = new WeakSet();

/** Makes `patch` move an element only as a whole. @template {Element} E @param {E} element @returns {E} */
export function keep(element) {
  kept.add(element);
  return element;
}

/**
 * Makes the children of an element look like `children`. Existing elements are changed in place and keep the
 * focus; if the element with the focus disappears, the first control gets the focus.
 * @param {Element} element @param {...(Child | Child[])} children
 */
export function patch(element, ...children) {
  const at = document.activeElement;
  const hadFocus = at !== null && at !== element && element.contains(at);
  patchChildren(element, nodesOf(children));
  if (!hadFocus || element.contains(document.activeElement)) return;
  const first = element.querySelector("button, a[href], input, select");
  if (first instanceof HTMLElement) first.focus({ preventScroll: true });
}

/** @param {Element} element @param {Node[]} wanted */
function patchChildren(element, wanted) {
  /** @type {ChildNode | null} */
  let at = element.firstChild;
  for (const node of wanted) {
    let found = at;
    while (found && !isAlike(found, node)) found = found.nextSibling;
    if (!found) {
      element.insertBefore(node, at);
      continue;
    }
    while (at && at !== found) at = removed(at);
    at = found.nextSibling;
    if (found !== node) patchNode(found, node);
  }
  while (at) at = removed(at);
}

/** Removes a node. @param {ChildNode} node @returns {ChildNode | null} the node after it */
function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}

/** Whether `patch` may change one node into the other. Buttons with different names stay different buttons. @param {Node} a @param {Node} b */
function isAlike(a, b) {
  if (a === b) return true;
  if (a.nodeName !== b.nodeName || kept.has(a) || kept.has(b)) return false;
  if (!(a instanceof HTMLElement) || !(b instanceof HTMLElement)) return true;
  return a.dataset.key === b.dataset.key && (a.nodeName !== "BUTTON" || nameOf(a) === nameOf(b));
}

/** @param {Node} node @param {Node} wanted */
function patchNode(node, wanted) {
  if (!(node instanceof Element) || !(wanted instanceof Element)) {
    if (node.nodeValue !== wanted.nodeValue) node.nodeValue = wanted.nodeValue;
    return;
  }
  for (const { name } of [...node.attributes]) {
    // The user changes `open`, and scripts set the style, so both attributes stay.
    if (name !== "open" && name !== "style" && !wanted.hasAttribute(name)) node.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) setAttribute(node, name, value);
  const before = listeners.get(node);
  for (const name of before?.keys() ?? []) before?.set(name, null);
  for (const [name, listener] of listeners.get(wanted) ?? []) if (listener) listen(node, name, listener);
  patchChildren(node, [...wanted.childNodes]);
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
