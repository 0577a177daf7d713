// The names of seats in sentences: nobody is confused with anybody else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { LANGUAGES, setLanguage } from "../../i18n.js";
import { describeTurn, isChosenName, nameOf, seatName, statusOf, tell } from "../../labels.js";
import { describeOffer } from "../../offers.js";
import { parseView } from "../../table.js";

// `setLanguage` reads the languages of the browser and stores the chosen one in the document.
Object.defineProperty(globalThis, "navigator", { value: { languages: [] } });
Object.assign(globalThis, { document: { documentElement: { lang: "" } } });

/** A table of people with these names. @param {string[]} names @param {Partial<import("../../api_types").View>} [more] */
const table = (names, more = {}) =>
  parseView({
    id: "g",
    variant: names.length > 2 ? "4x4k3p3" : "3x3k3",
    history: 0,
    turn: 2,
    entry: 3,
    to_move: 1,
    seats: names.map((name, at) => ({ name, kind: "human", symbol: "xoa"[at] ?? "", present: true })),
    marks: new Array(names.length > 2 ? 16 : 9).fill(null),
    legal: [],
    rewind: null,
    last: { kind: "play", seat: 0, move: "0-0" },
    offers: [],
    clock: null,
    outcome: null,
    rematch: null,
    ...more,
  });

/** @param {string[]} names @param {number[]} mine @returns {string[]} the name of each seat in a sentence */
const named = (names, mine) => names.map((_, at) => nameOf(table(names).seats, at, new Set(mine)));

test("the opponent of an unnamed player is never called a guest too", async () => {
  await setLanguage("en");
  const { seats } = table(["Guest", "Guest"]);
  assert.equal(tell("satDown", { name: nameOf(seats, 1, new Set([0])) }), "Your opponent sat down.");
  assert.equal(statusOf(table(["Guest", "Guest"]), new Set([0])), "Your opponent to move.");
  assert.deepEqual(
    [0, 1].map((at) => seatName(seats, at, new Set([0]))),
    ["You", "Opponent"],
  );
  assert.equal(describeOffer(table(["Guest", ""]), new Set([0]), "draw", [1]), "Your opponent offers a draw.");
});

test("a spectator of two unnamed players reads whose mark is meant", async () => {
  await setLanguage("en");
  const watched = table(["Guest", "Invité"]);
  assert.ok(watched.last);
  assert.equal(describeTurn(watched, watched.last, new Set()), "Guest (cross) plays top left.");
  assert.equal(statusOf(watched, new Set()), "Guest (nought) to move.");
  const won = table(["Guest", ""], { to_move: null, outcome: { kind: "won", sides: [0], reason: "line", line: [] } });
  assert.equal(statusOf(won, new Set()), "Guest (cross) wins.");
});

test("marks tell players of the same name apart, and only those", async () => {
  await setLanguage("en");
  assert.deepEqual(named(["Ann", "Bob"], []), ["Ann", "Bob"]);
  assert.deepEqual(named(["Ann", "Ann"], []), ["Ann (cross)", "Ann (nought)"]);
  assert.deepEqual(named(["Ann", "Ann"], [0]).slice(1), ["Ann"], "the other Ann is the player");
  assert.deepEqual(named(["Ann", "Guest"], []), ["Ann", "Guest"]);
  assert.deepEqual(named(["Guest", "Guest", "Guest"], [0]).slice(1), ["Guest (nought)", "Guest (triangle)"]);
  assert.deepEqual(named(["Ann", "Guest", "Guest"], [1]), ["Ann", "You", "Guest"]);
  assert.deepEqual(named(["Guest", "Guest"], [0, 1]), ["Player 1", "Player 2"], "at one device");
});

for (const language of Object.keys(LANGUAGES)) {
  test(`${language}: sentences begin with a capital letter, and no two seats have one name`, async () => {
    await setLanguage(language);
    for (const count of [2, 3]) {
      const { seats } = table(Array(count).fill("Guest"));
      for (const mine of [new Set([0]), /** @type {Set<number>} */ (new Set())]) {
        const names = seats.map((_, at) => nameOf(seats, at, mine));
        assert.equal(new Set(names).size, count, names.join());
        for (const key of /** @type {const} */ (["satDown", "turnOf", "wins", "resigns", "takesMoveBack"])) {
          const said = names.map((name) => tell(key, { name }));
          for (const sentence of said) assert.match(sentence, /^\p{Lu}/u);
        }
      }
    }
  });

  test(`${language}: a player without a name is recognised in every language`, async () => {
    const words = (await import(`../../i18n/${language}.js`)).default;
    assert.equal(isChosenName(words.guest), false);
    assert.equal(isChosenName("Ann"), true);
  });
}
