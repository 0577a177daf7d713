// The tables of the lobby, live: a list, then changes. The server encodes each change once for all viewers.

import { wait } from "./api.js";
import { readStream } from "./event_stream.js";

/** @typedef {import("./api_types").GameListing} GameListing */
/**
 * @typedef {object} LobbyHandlers
 * @property {(games: GameListing[]) => void} games the whole list, newest first
 * @property {(matches: import("./api_types").WaitingMatches) => void} matches
 * @property {(isLost: boolean) => void} connection
 */

/** Follows the lobby until `signal` aborts. A hidden tab is not connected. @param {LobbyHandlers} handlers @param {AbortSignal} signal */
export async function followLobby(handlers, signal) {
  for (let tries = 0; !signal.aborted; tries++) {
    await whileHidden(signal);
    const hidden = new AbortController();
    const onVisibility = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", onVisibility);
    /** @type {Map<string, GameListing>} */
    let games = new Map();
    const open = () => {
      tries = 0;
      handlers.connection(false);
    };
    const event = (/** @type {string} */ name, /** @type {any} */ message) => {
      if (name === "matches") return handlers.matches(message.matches);
      if (name === "games") games = new Map(message.games.map((/** @type {GameListing} */ game) => [game.id, game]));
      else if (name === "game") games.set(message.game.id, message.game);
      else if (name === "gone") games.delete(message.gone);
      else return;
      handlers.games([...games.values()].sort((a, b) => b.created_ms - a.created_ms));
    };
    try {
      await readStream(
        "/api/games/events?playing=true",
        null,
        { open, event },
        AbortSignal.any([signal, hidden.signal]),
      );
    } catch {
      // The loop tries again.
    }
    document.removeEventListener("visibilitychange", onVisibility);
    if (signal.aborted || hidden.signal.aborted) continue;
    handlers.connection(true);
    await wait(Math.min(500 * 2 ** tries, 8000), signal);
  }
}

/** Waits until the tab is visible. @param {AbortSignal} signal @returns {Promise<void>} */
function whileHidden(signal) {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, { once: true });
  });
}
