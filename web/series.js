// The score of a series of rematches, kept in this browser.

import { isObject, load, save } from "./storage.js";
import { winners } from "./table.js";

/** The games that each seat has won, and the draws, before this game. @typedef {{ won: number[], drawn: number }} Series */

const KEY = "noughts.series";
/** Games whose series are kept; the oldest are deleted. */
const MAX_GAMES = 100;

/** @param {string} id @returns {Series | null} */
export function seriesBefore(id) {
  const stored = load(KEY)[id];
  const isSeries = isObject(stored) && Array.isArray(stored.won) && stored.won.every(Number.isInteger);
  return isSeries && Number.isInteger(stored.drawn) ? { won: stored.won, drawn: stored.drawn } : null;
}

/** The series with the result of this game. @param {Series | null} before @param {import("./api_types").Table} table @returns {Series} */
export function seriesWith(before, { seats, outcome }) {
  const won = seats.map((_, at) => before?.won[at] ?? 0);
  for (const side of winners(outcome)) won[side] = (won[side] ?? 0) + 1;
  return { won, drawn: (before?.drawn ?? 0) + (outcome?.kind === "draw" ? 1 : 0) };
}

/**
 * Stores the score for the rematch of a game, where every player has the next seat.
 * @param {string} rematch @param {Series | null} before @param {import("./api_types").Table} table the finished game
 */
export function keepSeries(rematch, before, table) {
  const { won, drawn } = seriesWith(before, table);
  const moved = won.map((_, at) => won.at(at - 1) ?? 0);
  const all = Object.entries({ ...load(KEY), [rematch]: { won: moved, drawn } });
  save(KEY, Object.fromEntries(all.slice(-MAX_GAMES)));
}
