// The state of the page of a game, and values computed from it. Everything that the page shows is a function of this state.

import { gameName, seatName } from "./labels.js";
import { otherPeople, phaseOf } from "./table.js";

/** @typedef {import("./api_types").Table} Table */
/**
 * @typedef {object} GameState
 * @property {Table} table
 * @property {import("./api_types").TurnView[]} turns all turns so far
 * @property {number | null} at number of completed turns of the position shown; null: the present
 * @property {Map<number, string>} tokens of the seats of this browser
 * @property {boolean} isTokenBad the server does not accept the stored tokens
 * @property {boolean} isLost there is no connection
 * @property {{ text: string, mood: "" | "good" | "bad" }} note
 * @property {"" | "rewind"} asking what the player is choosing
 * @property {number} taking number of marks of the rewind that is being chosen
 * @property {string | null} aimed a cell that a finger has chosen and not confirmed
 * @property {boolean} isAskingForRematch the request is on its way
 * @property {import("./series.js").Series | null} series results of the games before this one
 * @property {import("./analysis.js").AnalysisPanel | null} analysis
 */

/** The seats of this browser. @param {GameState} state */
export const mineOf = ({ tokens }) => new Set(tokens.keys());

/** The seat of this browser that acts now. If this browser has several seats, this is the seat to move. @param {GameState} state @returns {number} */
export function actingSeat({ table, tokens }) {
  const [first] = tokens.keys();
  return table.toMove !== null && tokens.has(table.toMove) ? table.toMove : (first ?? 0);
}

/** @param {GameState} state */
export function isMyTurn({ table, tokens }) {
  return phaseOf(table) === "playing" && table.toMove !== null && !table.pending && tokens.has(table.toMove);
}

/** Whether people in other browsers take part. @param {GameState} state */
export const isWithPeople = (state) => otherPeople(state.table, mineOf(state)).length > 0;

/** Whether people wait for this player. @param {GameState} state */
export const isLive = (state) => phaseOf(state.table) === "playing" && state.tokens.size > 0 && isWithPeople(state);

/** Whether a seat is the only one of this browser. @param {GameState} state @param {number} seat */
export const isMe = ({ tokens }, seat) => tokens.size === 1 && tokens.has(seat);

/** Whether every side has played, so that giving up and claims have a result. @param {GameState} state */
export function hasEachSidePlayed({ table, turns }) {
  const played = new Set(turns.flatMap((turn) => (turn.kind === "play" ? [turn.seat] : [])));
  return played.size === table.seats.length;
}

/** The title of the tab. @param {GameState} state */
export function titleOf(state) {
  const { table } = state;
  const mine = mineOf(state);
  const names = table.seats.map((_, at) => seatName(table.seats, at, mine));
  const versus = names.length > 3 ? gameName(table.variant) : names.join(" – ");
  return `${isMyTurn(state) ? "● " : ""}${versus}`;
}
