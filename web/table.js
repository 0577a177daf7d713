// The state of a table: a view from the server, updated by its changes. Legal moves come from the server, except on
// large boards, for which the server sends null instead of a list (`isLegal`).

import { cellCount, cellOf, moveOf, parseVariant } from "./variant.js";

/** @typedef {import("./api_types").View} View */
/** @typedef {import("./api_types").Change} Change */
/** @typedef {import("./api_types").Presence} Presence */
/** @typedef {import("./api_types").Offers} Offers */
/** @typedef {import("./api_types").TurnView} TurnView */
/** @typedef {import("./api_types").Outcome} Outcome */
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
    entry: view.entry,
    toMove: view.to_move,
    seats: view.seats,
    marks: view.marks ?? parseRows(variant, view.rows ?? []),
    legal: view.legal && new Set(view.legal),
    rewind: view.rewind,
    last: view.last,
    offers: view.offers,
    clock: view.clock,
    clockAt: performance.now(),
    boards: view.boards ?? null,
    score: view.score ?? null,
    active: view.active ?? null,
    outcome: view.outcome,
    rematch: view.rematch,
    pending: null,
  };
}

/** @param {Variant} variant @param {string[]} rows @returns {(number | null)[]} */
function parseRows(variant, rows) {
  /** @type {(number | null)[]} */
  const cells = new Array(cellCount(variant)).fill(null);
  rows.forEach((row, at) => parseRow(row, cells, at * variant.columns));
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
  for (const { cell, side } of change.cells) marks[cellOf(table.variant, cell)] = side;
  return {
    ...table,
    marks,
    turn: change.turn,
    entry: change.entry,
    toMove: change.to_move,
    last: change.last,
    legal: change.legal && new Set(change.legal),
    rewind: change.rewind,
    offers: change.offers,
    clock: change.clock,
    clockAt: performance.now(),
    boards: change.boards ?? table.boards,
    score: change.score ?? table.score,
    active: change.active ?? null,
    outcome: change.outcome,
    pending: null,
  };
}

/** The table after a change of presence, or after a seat was taken. @param {Table} table @param {Presence} presence @returns {Table} */
export const withPresence = (table, presence) => ({ ...table, seats: presence.seats });

/** The table after an offer was made or answered. @param {Table} table @param {Offers} offers @returns {Table} */
export const withOffers = (table, { entry, offers }) => (entry < table.entry ? table : { ...table, entry, offers });

/** The seats with an open offer of this kind. @param {Table} table @param {import("./api_types").OfferView["kind"]} kind */
export const seatsOffering = (table, kind) =>
  table.offers.filter((offer) => offer.kind === kind).map(({ seat }) => seat);

/** The seats of people in other browsers. @param {Table} table @param {Set<number>} mine @returns {number[]} */
export const otherPeople = (table, mine) =>
  table.seats.flatMap((seat, at) => (seat.kind === "human" && !mine.has(at) ? [at] : []));

/** The move of a turn; null if the turn was something else. @param {TurnView | null | undefined} turn */
export const moveOfTurn = (turn) => (turn?.kind === "play" ? turn.move : null);

/** The sides that won. @param {Outcome | null} outcome @returns {number[]} */
export const winners = (outcome) => (outcome?.kind === "won" ? outcome.sides : []);

/** The table with a move that the server has not confirmed yet. @param {Table} table @param {string} move @returns {Table} */
export function withPlay(table, move) {
  if (table.toMove === null) return table;
  const marks = table.marks.slice();
  marks[cellOf(table.variant, move)] = table.toMove;
  return { ...table, marks, last: { kind: "play", seat: table.toMove, move }, pending: move };
}

/** The seat to move after the unconfirmed move is accepted. Null if the game is over. @param {Table} table */
export function nextSeat({ toMove, pending, seats }) {
  return toMove === null || pending === null ? toMove : (toMove + 1) % seats.length;
}

/**
 * Whether the seat to move may play this move. On a large board the server sends no list; then every empty cell where a
 * mark rests is legal. This is the only rule that the page knows.
 * @param {Table} table @param {string} move
 */
export function isLegal(table, move) {
  if (table.outcome || table.toMove === null) return false;
  if (table.legal) return table.legal.has(move);
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
 * Why pressing a cell makes no move; null if it makes a move.
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
  if (table.boards && table.boards[board]?.state !== "open") return "closedBoard";
  if (table.boards && table.active !== null && table.active !== board) return "wrongBoard";
  return "taken";
}

/**
 * The moves whose marks are on the board after these turns, oldest first.
 * @param {TurnView[]} turns
 * @returns {string[]} moves
 */
export function playsOnBoard(turns) {
  /** @type {string[]} */
  const plays = [];
  for (const turn of turns) {
    if (turn.kind === "play") plays.push(turn.move);
    else if (turn.kind !== "resign") plays.length = Math.max(0, plays.length - turn.count);
  }
  return plays;
}

/** @param {Table} table @returns {"waiting" | "playing" | "over"} */
export function phaseOf(table) {
  if (table.outcome) return "over";
  return table.seats.some((seat) => seat.kind === "open") ? "waiting" : "playing";
}
