// The tokens of the seats that this browser holds, by game.

import { isObject, load, save } from "./storage.js";

/** Games whose tokens are kept; the oldest are deleted. */
const MAX_GAMES = 200;
const KEY = "noughts.seats";

/** Used when the browser has no storage. @type {Record<string, { at: number, tokens: Record<string, string> }>} */
const unsaved = {};

/** The seats of a game that this browser holds, with their tokens. @param {string} id @returns {Map<number, string>} */
export function seatTokens(id) {
  const tokens = { ...load(KEY)[id]?.tokens, ...unsaved[id]?.tokens };
  return new Map(Object.entries(tokens).map(([seat, token]) => [Number(seat), String(token)]));
}

/** @param {string} id @param {Record<string, string>} tokens by seat */
export function saveSeatTokens(id, tokens) {
  const all = Object.fromEntries(Object.entries(load(KEY)).filter(([, game]) => isObject(game)));
  const game = { at: Date.now(), tokens: { ...all[id]?.tokens, ...tokens } };
  unsaved[id] = game;
  all[id] = game;
  const newestFirst = Object.keys(all).sort((a, b) => all[b].at - all[a].at);
  for (const old of newestFirst.slice(MAX_GAMES)) delete all[old];
  save(KEY, all);
}
