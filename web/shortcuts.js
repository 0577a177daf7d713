// Keyboard shortcuts: single keys, ignored while the user types; `?` lists them.

import { preferences } from "./preferences.js";

/** @typedef {Partial<Record<string, () => void>>} Keys */

/** @type {Keys} */
let present = {};

/** Sets the shortcuts of the current page. @param {Keys} keys */
export function setShortcuts(keys) {
  present = keys;
}

/** @param {() => void} onHelp */
export function listenForShortcuts(onHelp) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest("input, select, textarea, dialog")) return;
    const isLetter = event.key.length === 1;
    if (isLetter && !preferences().shortcuts) return;
    const isOnBoard = target?.closest(".cell");
    if (isOnBoard && !isLetter && event.key !== "Escape") return;
    const act = event.key === "?" ? onHelp : present[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
