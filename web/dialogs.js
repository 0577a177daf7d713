// Dialogs and form fields.

import { freshId, h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Opens a dialog; closing removes it from the document.
 * @param {string} title @param {...import("./dom.js").Child} children
 */
export function dialog(title, ...children) {
  const name = freshId();
  const box = h(
    "dialog",
    { "aria-labelledby": name },
    h(
      "header",
      {},
      h("h2", { id: name }, title),
      h("button", { type: "button", class: "quiet close", "aria-label": t("close"), click: () => box.close() }, "×"),
    ),
    ...children,
  );
  box.addEventListener("click", (event) => {
    // The target of a click is the dialog itself only if the user clicked on the backdrop. Its contents are child elements.
    if (event.target === box) box.close();
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
}

/** The confirming button is disabled for this time, because a second tap may be meant for what was there before. */
const DOUBLE_TAP_MS = 500;

/**
 * Asks before something that cannot be undone.
 * @param {string} question @param {string} verb what the confirming button says @param {string} [more]
 * @returns {Promise<boolean>}
 */
export function confirm(question, verb, more = "") {
  return new Promise((resolve) => {
    let isConfirmed = false;
    const yes = h("button", { type: "button", class: "main bad", disabled: true }, verb);
    const no = h("button", { type: "button", autofocus: true, click: () => box.close() }, t("cancel"));
    yes.addEventListener("click", () => {
      isConfirmed = true;
      box.close();
    });
    setTimeout(() => (yes.disabled = false), DOUBLE_TAP_MS);
    const box = dialog(question, more ? h("p", {}, more) : null, h("div", { class: "row" }, no, yes));
    box.addEventListener("close", () => resolve(isConfirmed));
  });
}

/** A field with a label. @param {string} name @param {HTMLElement} field @param {string} [hint] */
export function labelled(name, field, hint) {
  const id = freshId();
  field.id = id;
  const hintId = hint ? freshId() : null;
  if (hintId) field.setAttribute("aria-describedby", hintId);
  return h(
    "div",
    { class: "field-row" },
    h("label", { for: id }, name),
    field,
    hint && hintId ? h("small", { id: hintId }, hint) : null,
  );
}

/** A select box. @param {[string, string][]} options @param {string} chosen @param {(value: string) => void} onChange */
export function select(options, chosen, onChange) {
  return h(
    "select",
    { change: (/** @type {Event} */ event) => onChange(/** @type {HTMLSelectElement} */ (event.target).value) },
    options.map(([value, name]) => h("option", { value, selected: value === chosen }, name)),
  );
}

/** A check box. @param {string} name @param {boolean} isOn @param {(isOn: boolean) => void} onChange */
export function toggle(name, isOn, onChange) {
  const box = h("input", {
    type: "checkbox",
    checked: isOn,
    change: (/** @type {Event} */ event) => onChange(/** @type {HTMLInputElement} */ (event.target).checked),
  });
  return h("label", { class: "toggle" }, box, h("span", {}, name));
}
