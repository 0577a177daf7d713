// Translations: every sentence of the page is a key in `i18n/*.js`.

/** @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Word */
/** @typedef {keyof typeof import("./i18n/en.js").default} Key */
/** @typedef {Record<Key, Word>} Words */

/** The languages by their own names. */
export const LANGUAGES = /** @type {const} */ ({ en: "English", ca: "Català", cs: "Čeština", fr: "Français" });

/** Empty until a language is set. @type {Partial<Words>} */
let words = {};
let numbers = new Intl.NumberFormat("en");
let dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
let times = new Intl.DateTimeFormat("en", { timeStyle: "short" });
let plurals = new Intl.PluralRules("en");
let lists = new Intl.ListFormat("en");

/** The first of these language tags that the page has; English if it has none. @param {readonly string[]} wanted */
export function pickLanguage(wanted) {
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0] ?? "").find((tag) => tag in LANGUAGES);
  return known ?? "en";
}

/** Loads and uses a language. @param {string} tag */
export async function setLanguage(tag) {
  const chosen = tag in LANGUAGES ? tag : "en";
  words = (await import(`./i18n/${chosen}.js`)).default;
  // Dates and numbers use the conventions of the user's country.
  const local = navigator.languages.find((tag) => tag.split("-")[0] === chosen) ?? chosen;
  numbers = new Intl.NumberFormat(local);
  dates = new Intl.DateTimeFormat(local, { dateStyle: "medium", timeStyle: "short" });
  times = new Intl.DateTimeFormat(local, { timeStyle: "short" });
  plurals = new Intl.PluralRules(chosen);
  lists = new Intl.ListFormat(chosen);
  document.documentElement.lang = chosen;
}

/**
 * The text of a key, with values filled in. Where a text has plural forms, the value `n` selects one.
 * @param {Key} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return fillIn(words[key] ?? key, values, plurals, numbers);
}

/**
 * @param {Word} word @param {Record<string, string | number>} values
 * @param {Intl.PluralRules} rules @param {Intl.NumberFormat} format
 */
export function fillIn(word, values, rules, format) {
  const form = typeof word === "string" ? word : (word[rules.select(Number(values.n ?? 0))] ?? word.other ?? "");
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? format.format(value) : value;
  });
}

/** Date and time; only the time if it is today. @param {number} ms */
export function formatTime(ms) {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? times : dates).format(ms);
}

/** Several things in a sentence: "a, b and c". @param {string[]} items */
export const formatList = (items) => lists.format(items);

/** @param {number} value */
export const formatNumber = (value) => numbers.format(value);
