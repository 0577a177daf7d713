// Everything that the page says, in the language of whoever reads it.

/** @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Word */
/** @typedef {keyof typeof import("./words/en.js").default} Key */
/** @typedef {Record<Key, Word>} Words */

/** The languages by their own names. */
export const LANGUAGES = /** @type {const} */ ({ en: "English", ca: "Català", cs: "Čeština", fr: "Français" });

/** None before a language is spoken. @type {Partial<Words>} */
let words = {};
let numbers = new Intl.NumberFormat("en");
let dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
let times = new Intl.DateTimeFormat("en", { timeStyle: "short" });
let plurals = new Intl.PluralRules("en");

/** The language that suits these wishes best, the first one first. @param {readonly string[]} wanted */
export function choose(wanted) {
  const known = wanted.map((tag) => tag.toLowerCase().split("-")[0] ?? "").find((tag) => tag in LANGUAGES);
  return known ?? "en";
}

/** Speaks another language from now on. @param {string} tag */
export async function speak(tag) {
  const chosen = tag in LANGUAGES ? tag : "en";
  words = (await import(`./words/${chosen}.js`)).default;
  // Dates and numbers as the reader's country writes them.
  const local = navigator.languages.find((tag) => tag.split("-")[0] === chosen) ?? chosen;
  numbers = new Intl.NumberFormat(local);
  dates = new Intl.DateTimeFormat(local, { dateStyle: "medium", timeStyle: "short" });
  times = new Intl.DateTimeFormat(local, { timeStyle: "short" });
  plurals = new Intl.PluralRules(chosen);
  document.documentElement.lang = chosen;
}

/**
 * A word or sentence, with values put in. A sentence with forms for different numbers is chosen by
 * the value `n`.
 * @param {Key} key @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return put(words[key] ?? key, values, plurals, numbers);
}

/**
 * @param {Word} word @param {Record<string, string | number>} values
 * @param {Intl.PluralRules} rules @param {Intl.NumberFormat} format
 */
export function put(word, values, rules, format) {
  const form = typeof word === "string" ? word : (word[rules.select(Number(values.n ?? 0))] ?? word.other ?? "");
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? format.format(value) : value;
  });
}

/** When something was; of today the time alone. @param {number} ms */
export function when(ms) {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? times : dates).format(ms);
}

/** A number as it is written here. @param {number} value */
export const number = (value) => numbers.format(value);
