// What the user has set: name, language, theme, sounds, notifications, shortcuts; the last opponent and clock.

import { load, save } from "./storage.js";

const KEY = "noughts.wishes";

/** @typedef {{ name: string, language: string, theme: "auto" | "light" | "dark", sound: boolean, notifications: boolean, shortcuts: boolean, level: number, opponent: string, clock: string }} Preferences */

/** @type {Preferences} */
const DEFAULTS = {
  name: "",
  language: "",
  theme: "auto",
  sound: false,
  notifications: false,
  shortcuts: true,
  level: 4,
  opponent: "computer",
  clock: "none",
};

/** Used when the browser has no storage. @type {Partial<Preferences>} */
const unsaved = {};

/** The stored preferences; a value of the wrong type counts as missing. @returns {Preferences} */
export function preferences() {
  const defaults = /** @type {Record<string, unknown>} */ (DEFAULTS);
  const stored = Object.entries({ ...load(KEY), ...unsaved });
  const valid = stored.filter(([name, value]) => typeof value === typeof defaults[name]);
  const all = { ...DEFAULTS, ...Object.fromEntries(valid) };
  return { ...all, level: Math.max(1, Math.min(8, Math.round(all.level) || DEFAULTS.level)) };
}

/** @param {Partial<Preferences>} changed */
export function setPreferences(changed) {
  Object.assign(unsaved, changed);
  save(KEY, { ...preferences(), ...changed });
}

/** Applies the theme of the preferences. */
export function applyTheme() {
  const { theme } = preferences();
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
