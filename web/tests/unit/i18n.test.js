// Every language has all texts.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { fillIn, pickLanguage } from "../../i18n.js";
import ca from "../../i18n/ca.js";
import cs from "../../i18n/cs.js";
import en from "../../i18n/en.js";
import fr from "../../i18n/fr.js";

/** @type {Record<string, Record<string, import("../../i18n.js").Word>>} */
const OTHERS = { ca, cs, fr };

/** Keys whose text may be the same in English and in another language. */
const SAME = new Set([
  "daysHours",
  "title",
  "byLine",
  "drawFull",
  "gameMisere",
  "gameUltimate",
  "triangle",
  "centre",
  "hexagon",
  "player",
  "score",
  "arrow",
  "draw",
  "sound",
  "minutes",
]);

/** @param {import("../../i18n.js").Word} word */
const forms = (word) => (typeof word === "string" ? { other: word } : word);
/** @param {string} text */
const holes = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

for (const [language, words] of Object.entries(OTHERS)) {
  test(`${language} has exactly the keys of English`, () => {
    assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort());
  });

  test(`${language} is translated, with the same placeholders`, () => {
    for (const [key, english] of Object.entries(en)) {
      const word = words[key] ?? "";
      for (const [form, text] of Object.entries(forms(word))) {
        assert.deepEqual(holes(text), holes(forms(english).other ?? ""), `${language}.${key}.${form}`);
      }
      if (!SAME.has(key)) assert.notDeepEqual(word, english, `${language}.${key} is still English`);
    }
  });

  test(`${language} has every plural form`, () => {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, word] of Object.entries(words)) {
      if (typeof word === "string") continue;
      assert.deepEqual(Object.keys(word).sort(), [...needed].sort(), `${language}.${key}`);
    }
  });
}

test("French has no-break spaces before colons, semicolons and question marks", () => {
  for (const [key, word] of Object.entries(fr)) {
    for (const text of Object.values(forms(word))) assert.doesNotMatch(text, / [:;?!]/, `fr.${key}`);
  }
});

test("numbers select their plural form", () => {
  const rules = new Intl.PluralRules("cs");
  const format = new Intl.NumberFormat("cs");
  const said = [1, 2, 5].map((n) => fillIn(cs.rewindDo, { n }, rules, format));
  assert.deepEqual(said, ["Vrátit 1 značku", "Vrátit 2 značky", "Vrátit 5 značek"]);
});

test("the first available language is picked", () => {
  assert.equal(pickLanguage(["de-AT", "fr-CA", "en"]), "fr");
  assert.equal(pickLanguage(["xx"]), "en");
});

test("every key is used", () => {
  const folder = new URL("../../", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const text = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
  const unsaid = Object.keys(en).filter((key) => !text.includes(`"${key}"`));
  assert.deepEqual(unsaid, []);
});
