// The score between the players of a table: from the server for two registered players, otherwise of a series of
// rematches that this browser has followed.

import { api } from "./api.js";
import { isObject, load, save } from "./storage.js";
import { winners } from "./table.js";

/** The games that each seat has won, and the draws, before this game. @typedef {{ won: number[], drawn: number }} Series */

const KEY = "noughts.series";
/** Maximum number of games whose series are kept. The oldest games are deleted. */
const MAX_GAMES = 100;

/** @param {string} id @returns {Series | null} */
export function seriesBefore(id) {
  const stored = load(KEY)[id];
  const isSeries = isObject(stored) && Array.isArray(stored.won) && stored.won.every(Number.isInteger);
  return isSeries && Number.isInteger(stored.drawn) ? { won: stored.won, drawn: stored.drawn } : null;
}

/** The finished games of two registered players before this one, as the server knows them. Null if there are none, or if a player is not registered. @param {import("./api_types").Table} table @returns {Promise<Series | null>} */
export async function resultsBefore({ seats, outcome }) {
  const [first, second] = seats;
  if (seats.length !== 2 || !first?.player || !second?.player || first.player === second.player) return null;
  const { results } = await api.profile(first.player);
  const known = results.find(({ player }) => player === second.player);
  if (!known) return null;
  const [won, lost] = [0, 1].map((seat) => Number(winners(outcome).includes(seat)));
  const series = { won: [known.won - (won ?? 0), known.lost - (lost ?? 0)], drawn: known.drawn };
  if (outcome?.kind === "draw") series.drawn--;
  return series.drawn + series.won.reduce((sum, n) => sum + n, 0) > 0 ? series : null;
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
