// New tables and seats for the player of this browser, who is registered if necessary.

import { Refusal, api, freshKey } from "./api.js";
import { ensurePlayer, setPlayer } from "./player.js";
import { preferences } from "./preferences.js";
import { saveSeatTokens, seatTokens } from "./seat_tokens.js";

/** @param {import("./api_types").NewTable} table @returns {Promise<import("./api_types").CreatedTable>} */
export async function createTable(table) {
  const { name } = preferences();
  const seats = table.seats?.map((seat) => ("human" in seat ? { human: name } : seat));
  const key = freshKey();
  const created = await asPlayer((token) => api.createTable({ ...table, ...(seats ? { seats } : {}) }, key, token));
  saveSeatTokens(created.id, created.tokens);
  return created;
}

/** @param {string} id @param {number} seat @param {string} [key] @returns {Promise<import("./api_types").View>} */
export async function takeSeat(id, seat, key = freshKey()) {
  const taken = await asPlayer((token) => api.takeSeat(id, seat, preferences().name, key, token));
  saveSeatTokens(id, { ...Object.fromEntries(seatTokens(id)), [seat]: taken.token });
  return taken.view;
}

/** Sends a request with the player's token. A token that the server no longer knows is replaced. @template T @param {(token?: string) => Promise<T>} send */
async function asPlayer(send) {
  const player = await ensurePlayer();
  try {
    return await send(player?.token);
  } catch (error) {
    if (!player || !(error instanceof Refusal) || error.problem.status !== 401) throw error;
    setPlayer(null);
    return send((await ensurePlayer())?.token);
  }
}
