// Functions about a table, tested without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isJudged, isMistake } from "../../analysis.js";
import { gather, spread } from "../../board.js";
import { formatTimeLeft, timeLeft } from "../../clock.js";
import { strokes } from "../../winning_line.js";
import { eventParser } from "../../event_stream.js";
import { parseRecord } from "../../record.js";
import {
  isLegal,
  whyNotPlayable,
  targetOf,
  parseRow,
  parseView,
  phaseOf,
  seatsOffering,
  playsOnBoard,
  withChange,
  withOffers,
  withPlay,
  withPresence,
} from "../../table.js";
import { PICTURE_MS, nextPictures } from "../../watch.js";
import { cellOf, moveOf, parseVariant, formatVariant } from "../../variant.js";

/** @param {Partial<import("../../api_types").View>} [more] @returns {import("../../api_types").View} */
const view = (more = {}) => ({
  id: "g",
  variant: "3x3k3",
  history: 0,
  turn: 1,
  entry: 0,
  to_move: 0,
  seats: [
    { name: "Ann", kind: "human", symbol: "x", present: true },
    { name: "level:4", kind: "robot", symbol: "o", present: true },
  ],
  marks: new Array(9).fill(null),
  legal: ["0-0", "1-1"],
  rewind: null,
  last: null,
  offers: [],
  clock: null,
  outcome: null,
  rematch: null,
  ...more,
});

test("variants are parsed and formatted to the same text", () => {
  for (const name of [
    "3x3k3",
    "4x4k3p3",
    "7x6k4+gravity",
    "255x255k5p64+misere+gravity+exact",
    "multi",
    "multi@4",
    "ultimate",
  ]) {
    const variant = parseVariant(name);
    assert.ok(variant, name);
    assert.equal(formatVariant(variant), name);
  }
  for (const name of ["", "3x3", "multi@9", "chess", "3x3k3+"]) assert.equal(parseVariant(name), null, name);
});

test("moves and cell indices correspond", () => {
  const multi = /** @type {import("../../api_types").Variant} */ (parseVariant("multi"));
  assert.equal(cellOf(multi, "4-0"), 36);
  assert.equal(moveOf(multi, 80), "8-8");
  const four = /** @type {import("../../api_types").Variant} */ (parseVariant("7x6k4+gravity"));
  assert.equal(cellOf(four, "5-3"), 38);
});

test("a change updates the table", () => {
  const table = parseView(view());
  const after = withChange(table, {
    entry: 1,
    turn: 2,
    to_move: 1,
    last: { kind: "play", seat: 0, move: "1-1" },
    cells: [{ cell: "1-1", side: 0 }],
    legal: ["0-0"],
    rewind: null,
    offers: [],
    clock: null,
    outcome: null,
  });
  assert.equal(after.marks[4], 0);
  assert.equal(table.marks[4], null);
  assert.ok(isLegal(after, "0-0") && !isLegal(after, "1-1"));
});

test("an unconfirmed move is shown and blocks other moves", () => {
  const table = withPlay(parseView(view()), "1-1");
  assert.equal(table.marks[4], 0);
  assert.equal(whyNotPlayable(table, "0-0", new Set([0])), "notYours");
});

test("each reason why a cell cannot be played", () => {
  const table = parseView(view());
  assert.equal(whyNotPlayable(table, "1-1", new Set([0])), null);
  assert.equal(whyNotPlayable(table, "2-2", new Set([0])), "taken");
  assert.equal(whyNotPlayable(table, "1-1", new Set([1])), "notYours");
  assert.equal(
    whyNotPlayable(parseView(view({ outcome: { kind: "draw", reason: "full" } })), "1-1", new Set([0])),
    "over",
  );
  /** @type {import("../../api_types").BoardView[]} */
  const boards = [{ state: "open" }, { state: "won", side: 0 }, ...new Array(7).fill({ state: "open" })];
  const nine = parseView(
    view({ variant: "multi", marks: new Array(81).fill(null), legal: ["0-1"], boards, score: [1, 0], active: 0 }),
  );
  assert.equal(whyNotPlayable(nine, "1-1", new Set([0])), "closedBoard");
  assert.equal(whyNotPlayable(nine, "2-1", new Set([0])), "wrongBoard");
});

test("with gravity, any cell of a column gives the legal move of the column", () => {
  const marks = new Array(42).fill(null);
  marks[38] = 0;
  const table = parseView(view({ variant: "7x6k4+gravity", marks, legal: ["5-0", "4-3"] }));
  assert.equal(targetOf(table, "0-3"), "4-3");
  assert.equal(targetOf(table, "0-0"), "5-0");
  assert.equal(whyNotPlayable(table, "0-6", new Set([0])), "full");
});

test("rows of large boards are run-length encoded", () => {
  const row = new Array(8).fill(null);
  parseRow("3. 1x 2o", row, 1);
  assert.deepEqual(row, [null, null, null, null, 0, 1, 1, null]);
  const rows = new Array(50).fill("50.");
  rows[49] = "3. 1x 46.";
  const table = parseView(view({ variant: "50x50k5+gravity", marks: null, rows, legal: null }));
  assert.equal(table.marks.length, 2500);
  assert.ok(isLegal(table, "49-0") && isLegal(table, "48-3"));
  assert.ok(!isLegal(table, "49-3") && !isLegal(table, "48-0"));
});

test("a rewind removes the latest marks", () => {
  const { turns } = parseRecord(
    "noughts 1\nvariant 3x3k3\nhistory 3\nseat 0 x human Ann\n1 0 0-0\n2 1 1-2\n3 0 2-0\n4 1 <<2\nresult unfinished\n",
  );
  assert.deepEqual(turns.at(-1), { kind: "rewind", seat: 1, count: 2 });
  assert.deepEqual(playsOnBoard(turns.slice(0, 3)), ["0-0", "1-2", "2-0"]);
  assert.deepEqual(playsOnBoard(turns), ["0-0"]);
});

test("a takeback removes the latest marks", () => {
  const { turns } = parseRecord(
    "noughts 2\nvariant 3x3k3\nclock 180+2\n1 0 0-0 2500ms\n2 1 1-2 800ms\n3 0 takeback 2 0ms\nresult unfinished\n",
  );
  assert.deepEqual(turns.at(-1), { kind: "takeback", seat: 0, count: 2 });
  assert.deepEqual(playsOnBoard(turns), []);
});

test("a seat taken without a name is no longer open", () => {
  const open = { name: "", kind: /** @type {const} */ ("open"), symbol: "o", present: false };
  const table = parseView(view({ seats: [view().seats[0] ?? open, { ...open, open: "link" }] }));
  assert.equal(phaseOf(table), "waiting");
  const seats = [view().seats[0] ?? open, { ...open, kind: /** @type {const} */ ("human") }];
  assert.equal(phaseOf(withPresence(table, { seats })), "playing");
});

test("winning cells become strokes between end points", () => {
  const at = (/** @type {string} */ text) => ({ row: Number(text[0]), column: Number(text[1]) });
  const found = strokes(["00", "11", "22", "02", "12"].map(at), 3);
  assert.deepEqual(found, [
    [at("02"), at("22")],
    [at("00"), at("22")],
  ]);
});

test("events are parsed however the text is split", () => {
  const text = 'id: 1\nevent: change\ndata: {"change":1}\n\n: here\n\nevent: presence\r\ndata: {"a":\ndata: 2}\r\n\r\n';
  for (let size = 1; size <= text.length; size++) {
    /** @type {string[]} */
    const heard = [];
    const parse = eventParser((event, data) => heard.push(`${event} ${data}`));
    for (let from = 0; from < text.length; from += size) parse(text.slice(from, from + size));
    assert.deepEqual(heard, ['change {"change":1}', 'presence {"a":\n2}'], `in pieces of ${size}`);
  }
});

test("nine boards are one 9x9 grid for the arrow keys", () => {
  for (let index = 0; index < 81; index++) {
    const [row, column] = spread("multi", index, 9);
    assert.equal(gather("multi", row, column, 9), index);
  }
  assert.deepEqual(spread("multi", 36, 9), [3, 3]);
});

test("a running clock counts down from its arrival, whatever the date of the device", () => {
  const clock = { base: 180, increment: 2, left_ms: [170_250, 9_430], running: 0 };
  const table = { ...parseView(view({ clock })), clockAt: 1000 };
  assert.equal(timeLeft(table, 0, 3500), 167_750);
  assert.equal(timeLeft(table, 1, 3500), 9_430);
  assert.equal(timeLeft(table, 0, 500_000), 0);
  assert.deepEqual([167_750, 9_430, 3_723_000, 0].map(formatTimeLeft), ["2:47", "0:09.4", "1:02:03", "0:00.0"]);
});

test("of two states the one with the higher entry is newer", () => {
  const offer = { kind: /** @type {const} */ ("rematch"), seat: 1, entry: 7 };
  const table = parseView(view({ entry: 8, offers: [offer] }));
  assert.deepEqual(withOffers(table, { entry: 7, offers: [] }).offers, [offer]);
  assert.deepEqual(withOffers(table, { entry: 9, offers: [] }).offers, []);
  assert.deepEqual(seatsOffering(table, "rematch"), [1]);
});

test("an analysis judges moves only, and says when it cannot", () => {
  /** @type {import("../../api_types").TurnAnalysis} */
  const turn = {
    turn: 3,
    done: { kind: "resign", seat: 0 },
    worth: { value: "draw" },
    best: null,
    mistake: { had: "draw", left: "loss" },
  };
  assert.equal(isMistake(turn), false);
  assert.equal(isMistake({ ...turn, done: { kind: "play", seat: 0, move: "0-0" } }), true);
  assert.equal(isJudged(turn), true);
  const unknown = { ...turn, done: { kind: /** @type {const} */ ("play"), seat: 0, move: "0-0" } };
  assert.equal(isJudged({ ...unknown, worth: { value: "unknown", estimate: 5 } }), false);
});

test("pictures of fast games change at most every 5 s, and end with the latest position", () => {
  /** @type {import("../../watch.js").Pictures} */
  let shown = new Map();
  let dueMs = Infinity;
  let changes = 0;
  /** @param {number} nowMs @param {number} entry */
  const look = (nowMs, entry) => {
    const games = Array.from({ length: 50 }, (_, id) => ({ id: `g${id}`, entry }));
    const next = nextPictures(shown, games, nowMs);
    for (const [id, picture] of next.pictures) if (picture !== shown.get(id)) changes++;
    [shown, dueMs] = [next.pictures, next.dueMs];
  };
  // 10 turns per second for a minute.
  for (let turn = 0; turn <= 600; turn++) look(turn * 100, turn);
  assert.equal(changes, 50 * 13);
  look(60_100, 601);
  look(60_200, 602);
  assert.equal(shown.get("g0")?.entry, 600);
  assert.equal(dueMs, 60_000 + PICTURE_MS);
  look(dueMs, 602);
  assert.equal(shown.get("g0")?.entry, 602);
  assert.equal(dueMs, Infinity);
  // After a pause the next turn appears at once.
  look(90_000, 603);
  assert.equal(shown.get("g49")?.entry, 603);
  assert.equal(nextPictures(shown, [], 90_000).pictures.size, 0, "games that are gone are forgotten");
});
