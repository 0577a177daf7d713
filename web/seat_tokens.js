// The tokens of the seats that this browser holds, by game.

import { isObject, load, save } from "./storage.js";

/** Maximum number of games whose tokens are kept. The oldest games are deleted. */
const MAX_GAMES = 200;
const KEY = "noughts.seats";

/** Used when the browser has no storage. @type {Record<string, { at: number, tokens: Record<string, string> }>} */
const unsaved = {};

/** The seats of a game that this browser holds, with their tokens. @param {string} id @returns {Map<number, string>} */
export function seatTokens(id) {
  return new Map(entries(id).filter(([seat, token]) => isReadable(seat, token)));
}

/** Whether the storage has a value for a seat of this game that is not a token. @param {string} id */
export const hasUnreadableTokens = (id) => entries(id).some(([seat, token]) => !isReadable(seat, token));

/** Whether the tokens of a game survive a reload. @param {string} id */
export const areTokensStored = (id) => [...seatTokens(id)].every(([seat, token]) => stored(id)[seat] === token);

/** @param {string} id @returns {[number, string][]} */
const entries = (id) => Object.entries(unsaved[id]?.tokens ?? stored(id)).map(([seat, token]) => [Number(seat), token]);

/** @param {string} id @returns {Record<string, any>} */
function stored(id) {
  const tokens = load(KEY)[id]?.tokens;
  return isObject(tokens) ? tokens : {};
}

/** Whether a token can be sent as a header. @param {number} seat @param {unknown} token */
const isReadable = (seat, token) => seat >= 0 && typeof token === "string" && /^[\x21-\x7e]{1,200}$/.test(token);

/** Stores the tokens of a game, and replaces the tokens stored earlier. @param {string} id @param {Record<string, string>} tokens by seat */
export function saveSeatTokens(id, tokens) {
  const all = Object.fromEntries(Object.entries(load(KEY)).filter(([, game]) => isObject(game)));
  const game = { at: Date.now(), tokens };
  unsaved[id] = game;
  all[id] = game;
  const newestFirst = Object.keys(all).sort((a, b) => all[b].at - all[a].at);
  for (const old of newestFirst.slice(MAX_GAMES)) delete all[old];
  save(KEY, all);
}
