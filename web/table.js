// The state of a table: a view from the server, updated by its changes. Legal moves come from the server, except on
// boards so large that it sends `"empty"` instead of a list (`isLegal`).

import { cellCount, cellOf, moveOf, parseVariant } from "./variant.js";

/** @typedef {import("./api_types").View} View */
/** @typedef {import("./api_types").Change} Change */
/** @typedef {import("./api_types").Presence} Presence */
/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").Variant} Variant */

/** The symbols of the sides, in order. */
const SYMBOLS = "xoabcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#";

/** @param {View} view @returns {Table} */
export function parseView(view) {
  const variant = parseVariant(view.variant);
  if (!variant) throw new Error(`this page does not know the variant ${view.variant}`);
  return {
    id: view.id,
    variant,
    history: view.history,
    turn: view.turn,
    toMove: view.to_move,
    seats: view.seats,
    marks: parseMarks(variant, view.marks),
    legal: view.legal === "empty" ? "empty" : new Set(view.legal),
    rewind: view.rewind,
    last: view.last,
    boards: view.boards ?? null,
    score: view.score ?? null,
    active: view.active ?? null,
    outcome: view.outcome,
    rematch: view.rematch,
    pending: null,
  };
}

/** @param {Variant} variant @param {View["marks"]} marks @returns {(number | null)[]} */
function parseMarks(variant, marks) {
  if (typeof marks[0] !== "string") return /** @type {(number | null)[]} */ (marks);
  /** @type {(number | null)[]} */
  const cells = new Array(cellCount(variant)).fill(null);
  /** @type {string[]} */ (marks).forEach((row, at) => parseRow(row, cells, at * variant.columns));
  return cells;
}

/**
 * Writes a run-length encoded row, `3. 1x 2o`, into empty cells.
 * @param {string} text @param {(number | null)[]} cells @param {number} from
 */
export function parseRow(text, cells, from) {
  let at = from;
  for (const run of text.split(" ")) {
    const end = at + Number(run.slice(0, -1));
    const symbol = run.slice(-1);
    if (symbol !== ".") cells.fill(SYMBOLS.indexOf(symbol), at, end);
    at = end;
  }
}

/** The table after a turn. @param {Table} table @param {Change} change @returns {Table} */
export function withChange(table, change) {
  const marks = table.marks.slice();
  for (const [move, side] of change.cells) marks[cellOf(table.variant, move)] = side;
  return {
    ...table,
    marks,
    turn: change.turn,
    toMove: change.to_move,
    last: change.last,
    legal: change.legal === "empty" ? "empty" : new Set(change.legal),
    rewind: change.rewind,
    boards: change.boards ?? table.boards,
    score: change.score ?? table.score,
    active: change.active ?? null,
    outcome: change.outcome,
    pending: null,
  };
}

/** The table after a change of presence, or after a seat was taken. @param {Table} table @param {Presence} presence @returns {Table} */
export function withPresence(table, presence) {
  const seats = table.seats.map((seat, at) => {
    const name = presence.names[at] ?? seat.name;
    const present = presence.present[at] ?? seat.present;
    // A player who takes an open seat is present.
    const isTaken = seat.kind === "open" && (name !== "" || present);
    return { ...seat, name, present, kind: isTaken ? /** @type {const} */ ("human") : seat.kind };
  });
  return { ...table, seats };
}

/** The table with a move that the server has not confirmed yet. @param {Table} table @param {string} move @returns {Table} */
export function withPlay(table, move) {
  if (table.toMove === null) return table;
  const marks = table.marks.slice();
  marks[cellOf(table.variant, move)] = table.toMove;
  return { ...table, marks, last: { by: table.toMove, play: move }, pending: move };
}

/** The seat to move once the unconfirmed move is accepted; null: the game is over. @param {Table} table */
export function nextSeat({ toMove, pending, seats }) {
  return toMove === null || pending === null ? toMove : (toMove + 1) % seats.length;
}

/**
 * Whether the seat to move may play this move. On a large board the server sends `"empty"`: every empty cell where a
 * mark rests; this is the only rule that the page knows.
 * @param {Table} table @param {string} move
 */
export function isLegal(table, move) {
  if (table.outcome || table.toMove === null) return false;
  if (table.legal !== "empty") return table.legal.has(move);
  const cell = cellOf(table.variant, move);
  const below = cell + table.variant.columns;
  const rests = !table.variant.gravity || below >= table.marks.length || table.marks[below] !== null;
  return table.marks[cell] === null && rests;
}

/**
 * The move that pressing a cell makes: with gravity, the legal move of the column.
 * @param {Table} table @param {string} move
 */
export function targetOf(table, move) {
  if (!table.variant.gravity || isLegal(table, move)) return move;
  const { columns, rows } = table.variant;
  const column = cellOf(table.variant, move) % columns;
  for (let row = rows - 1; row >= 0; row--) {
    const there = moveOf(table.variant, row * columns + column);
    if (isLegal(table, there)) return there;
  }
  return move;
}

/** @typedef {"over" | "waiting" | "notYours" | "taken" | "wrongBoard" | "closedBoard" | "full"} NotPlayable */

/**
 * Why pressing a cell makes no move; null if it does.
 * @param {Table} table @param {string} move @param {Set<number>} mine the seats of this browser
 * @returns {NotPlayable | null}
 */
export function whyNotPlayable(table, move, mine) {
  if (table.outcome) return "over";
  if (table.seats.some((seat) => seat.kind === "open")) return "waiting";
  if (table.toMove === null || table.pending || !mine.has(table.toMove)) return "notYours";
  if (isLegal(table, targetOf(table, move))) return null;
  if (table.variant.gravity) return "full";
  const board = Math.floor(cellOf(table.variant, move) / 9);
  if (table.boards && table.boards[board] !== "open") return "closedBoard";
  if (table.boards && table.active !== null && table.active !== board) return "wrongBoard";
  return "taken";
}

/**
 * The moves whose marks are on the board after these turns, oldest first.
 * @param {import("./api_types").TurnView[]} turns
 * @returns {string[]} moves
 */
export function playsOnBoard(turns) {
  /** @type {string[]} */
  const plays = [];
  for (const turn of turns) {
    if (turn.play !== undefined) plays.push(turn.play);
    else if (turn.rewind) plays.length = Math.max(0, plays.length - turn.rewind);
  }
  return plays;
}

/** @param {Table} table @returns {"waiting" | "playing" | "over"} */
export function phaseOf(table) {
  if (table.outcome) return "over";
  return table.seats.some((seat) => seat.kind === "open") ? "waiting" : "playing";
}
