// Games against the computer that cover every pair of values of width, language, theme and input device.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = /** @type {const} */ ([320, 768, 1440]);
const LANGUAGES = /** @type {const} */ (["en", "ca", "cs", "fr"]);
const THEMES = /** @type {const} */ (["light", "dark"]);
const INPUTS = /** @type {const} */ (["keyboard", "pointer", "finger"]);

/** Twelve of the 72 combinations. Together they cover every pair of values. */
const ROWS = WIDTHS.flatMap((width, w) =>
  LANGUAGES.map((language, l) => ({
    width,
    language,
    theme: THEMES[(w + l) % 2] ?? "light",
    input: INPUTS[(w + l) % 3] ?? "keyboard",
  })),
);

test("the rows contain every pair", () => {
  const all = { width: WIDTHS, language: LANGUAGES, theme: THEMES, input: INPUTS };
  const names = /** @type {(keyof typeof all)[]} */ (Object.keys(all));
  for (const [at, first] of names.entries()) {
    for (const second of names.slice(at + 1)) {
      for (const a of all[first]) {
        for (const b of all[second]) {
          assert.ok(
            ROWS.some((row) => row[first] === a && row[second] === b),
            `${first} ${a} with ${second} ${b}`,
          );
        }
      }
    }
  }
});

/** @type {Record<string, { yours: string, settings: string }>} */
const WORDS = {
  en: { yours: "Your turn.", settings: "Settings" },
  ca: { yours: "Et toca.", settings: "Preferències" },
  cs: { yours: "Jste na tahu.", settings: "Nastavení" },
  fr: { yours: "À vous de jouer.", settings: "Réglages" },
};

for (const { width, language, theme, input } of ROWS) {
  test(`a game: ${width} pixels, ${language}, ${theme}, ${input}`, async () => {
    const ann = await here.person({
      viewport: { width, height: 760 },
      locale: language,
      colorScheme: theme,
      hasTouch: input === "finger",
    });
    await ann.context.addInitScript(AXE);
    await ann.go("/");
    const press = async (/** @type {string} */ move) => {
      const cell = ann.cell(move);
      if (input === "pointer") return cell.click();
      if (input === "finger") return cell.tap();
      await cell.focus();
      await ann.page.keyboard.press("Enter");
    };
    await press("1-1");
    await ann.page.waitForURL(/\/game\//);
    await ann.isUp();
    await ann.reads(WORDS[language]?.yours ?? "");
    const free = await ann.page.locator(".cell:not([data-side])").first().getAttribute("data-move");
    await press(free ?? "");
    await ann.hasMark(free ?? "", 0);
    await ann.isUp();
    const page = await ann.page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
      const paper =
        getComputedStyle(document.body)
          .backgroundColor.match(/[\d.]+/g)
          ?.map(Number) ?? [];
      return {
        language: document.documentElement.lang,
        excess: document.documentElement.scrollWidth - innerWidth,
        isDark: (paper[0] ?? 255) < 128,
        violations: violations.map((/** @type {any} */ one) => one.id),
      };
    });
    assert.deepEqual(page, { language, excess: 0, isDark: theme === "dark", violations: [] });
    const board = await ann.page.locator(".board").boundingBox();
    assert.ok(board && board.x >= 0 && board.x + board.width <= width, "the board is not cut off");
    const settings = ann.button(WORDS[language]?.settings ?? "");
    if (input === "keyboard") {
      await settings.focus();
      await ann.page.keyboard.press("Enter");
    } else await settings.click();
    await ann.page.getByRole("dialog").waitFor();
    await ann.page.keyboard.press("Escape");
    await ann.page.getByRole("dialog").waitFor({ state: "detached" });
    ann.isFine();
  });
}
