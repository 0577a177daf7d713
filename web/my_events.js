// Events of the player of this browser at all tables: running games, whose turn it is, opponents found. One tab
// has the event stream and tells the others, because a browser has only six connections per server.

import { wait } from "./api.js";
import { StreamRefused, readStream } from "./event_stream.js";
import { notify } from "./notifications.js";
import { player } from "./player.js";
import { seatTokens } from "./seat_tokens.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").MyGame} MyGame */

const NAME = "noughts.events";

/** The running games by id, newest first. @type {Map<string, MyGame>} */
let games = new Map();
/** Whether the list has arrived. */
let isKnown = false;
/** @type {BroadcastChannel | null} */
let channel = null;
/** Aborted when the player changes, to end the stream of the earlier player. */
let stopped = new AbortController();

/** The running games, those that wait for this player first. Null: not known yet. @returns {MyGame[] | null} */
export function myGames() {
  return isKnown ? waitingFirst([...games.values()]) : null;
}

/** Sorts games: those that wait for this player come first. @param {MyGame[]} games */
export const waitingFirst = (games) => games.toSorted((a, b) => Number(isWaitingForMe(b)) - Number(isWaitingForMe(a)));

/** Whether other people wait for this player's turn. Games against robots alone do not count. @param {MyGame} game */
export function isWaitingForMe(game) {
  const mine = seatTokens(game.id);
  const hasOthers = game.seats.some(({ kind }, at) => kind === "human" && at !== game.seat && !mine.has(at));
  return game.status === "playing" && game.to_move === game.seat && hasOthers;
}

/** Whose turn it is in a game that is on the screen. @param {import("./api_types").Table} table */
function noteTurn(table) {
  const known = games.get(table.id);
  if (!known) return;
  if (table.outcome) games.delete(table.id);
  else if (known.to_move !== table.toMove) games.set(table.id, { ...known, to_move: table.toMove, entry: table.entry });
  else return;
  dispatchEvent(new Event("mygames"));
}

/** Follows the player's games, if there is a player. Another call does nothing. */
export function startMyEvents() {
  if (channel || !player()) return;
  channel = new BroadcastChannel(NAME);
  channel.addEventListener("message", ({ data }) => {
    if (data.ask) return isLeader ? tell("games", { games: [...games.values()] }) : undefined;
    receive(data.name, data.message);
  });
  channel.postMessage({ ask: true });
  addEventListener("table", (event) => noteTurn(/** @type {CustomEvent} */ (event).detail), { signal: stopped.signal });
  void lead(stopped.signal);
}

/** Starts again, because the player of this browser has changed. */
export function restartMyEvents() {
  stopped.abort();
  stopped = new AbortController();
  channel?.close();
  channel = null;
  games = new Map();
  isKnown = false;
  dispatchEvent(new Event("mygames"));
  startMyEvents();
}

let isLeader = false;

/** Waits until this tab may have the stream, then reads the stream. @param {AbortSignal} signal */
async function lead(signal) {
  // Without locks, which need a secure address, every tab has its own stream.
  if (!navigator.locks) return read(signal);
  await navigator.locks.request(NAME, { signal }, () => read(signal)).catch(() => {});
}

/** @param {AbortSignal} signal */
async function read(signal) {
  isLeader = true;
  for (let tries = 0; !signal.aborted; tries++) {
    const open = () => (tries = 0);
    try {
      await readStream("/api/me/events", player()?.token ?? null, { open, event: tell }, signal);
    } catch (error) {
      // The player was deleted, or this device was signed out. Otherwise the connection was lost.
      if (error instanceof StreamRefused && error.status === 401) break;
    }
    if (!signal.aborted) await wait(Math.min(1000 * 2 ** tries, 30_000), signal);
  }
  isLeader = false;
}

/** Uses a message, and passes it to the other tabs. @param {string} name @param {any} message */
function tell(name, message) {
  channel?.postMessage({ name, message });
  receive(name, message);
}

/** @param {string} name @param {any} message */
function receive(name, message) {
  if (name === "games") {
    games = new Map(message.games.map((/** @type {MyGame} */ game) => [game.id, game]));
    isKnown = true;
  } else if (message[name]?.id) {
    /** @type {MyGame} */
    const game = message[name];
    if (name === "over") {
      games.delete(game.id);
      dispatchEvent(new CustomEvent("gameover", { detail: game }));
    } else games = new Map([[game.id, game], ...[...games].filter(([id]) => id !== game.id)]);
    // Only the tab with the stream notifies. Otherwise there would be one notification per tab.
    if (name === "turn" && isLeader && isWaitingForMe(game)) void notify(t("waitingForYou", { n: 1 }), game.id);
    if (name === "match") dispatchEvent(new CustomEvent("match", { detail: game }));
  }
  dispatchEvent(new Event("mygames"));
}
