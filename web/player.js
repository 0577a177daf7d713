// The player of this browser: an id and a secret token. The server registers them without a question, so that a person
// finds their games on every device. Anyone who has the token can act for the player.

import { Refusal, api } from "./api.js";
import { preferences } from "./preferences.js";
import { load, save } from "./storage.js";
import { t } from "./i18n.js";

/** @typedef {{ id: string, token: string }} Player */

const KEY = "noughts.player";

/** Used when the browser has no storage. @type {Player | null} */
let unsaved = null;

/** The player, or null if nobody is registered yet. @returns {Player | null} */
export function player() {
  const { id, token } = load(KEY);
  return isToken(id) && isToken(token) ? { id, token } : unsaved;
}

/** Whether a text can be an id or a token. @param {unknown} text @returns {text is string} */
export const isToken = (text) => typeof text === "string" && /^[\x21-\x7e]{1,200}$/.test(text);

/** Stores another player, for example from a backup; null: none. @param {Player | null} wanted */
export function setPlayer(wanted) {
  unsaved = wanted;
  save(KEY, wanted ?? {});
  dispatchEvent(new Event("player"));
}

/** @type {Promise<Player | null> | null} */
let registering = null;

/** The player, registered now if there is none. Null: the server does not register players now. @returns {Promise<Player | null>} */
export function ensurePlayer() {
  const known = player();
  if (known) return Promise.resolve(known);
  registering ??= register().finally(() => (registering = null));
  return registering;
}

/** @returns {Promise<Player | null>} */
async function register() {
  try {
    const { id, token } = await api.createPlayer(preferences().name || t("guest"));
    setPlayer({ id, token });
    return { id, token };
  } catch (error) {
    // Without a player everything works, except the list of games.
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Gives the player another name at every table; an empty name makes them a guest again. @param {string} name */
export async function renamePlayer(name) {
  const known = player();
  if (known) await api.renameMe(known.token, name || t("guest"));
  else if (name) await ensurePlayer();
  dispatchEvent(new Event("renamed"));
}
