// Event streams, and the events of a game. `EventSource` is not used, because presence needs the seat's token as a
// header, and tokens must not be in addresses.

import { api, wait } from "./api.js";

/** `gone`: the game does not exist. `refused`: the token is not accepted.
 * @typedef {"open" | "lost" | "gone" | "refused"} ConnectionState */
/**
 * @typedef {object} StreamHandlers
 * @property {(view: import("./api_types").View) => void} view
 * @property {(change: import("./api_types").Change) => void} change
 * @property {(presence: import("./api_types").Presence) => void} presence
 * @property {(offers: import("./api_types").Offers) => void} offers
 * @property {(state: ConnectionState) => void} connection
 */

/** The server sends something at least this often; a longer silence means a lost connection. */
const SILENCE_MS = 40_000;

/** A tab that is hidden for this long closes its connection, because a browser has only six connections per server for all tabs. */
const HIDDEN_MS = 60_000;
/** How often a hidden tab polls instead. */
const POLL_MS = 15_000;

/**
 * Follows a game until `signal` aborts. Reconnects by itself; the server then sends a whole view.
 * @param {string} id @param {string | null} token @param {StreamHandlers} handlers @param {AbortSignal} signal
 */
export async function followGame(id, token, handlers, signal) {
  for (let tries = 0; !signal.aborted; tries++) {
    const open = () => {
      tries = 0;
      handlers.connection("open");
    };
    try {
      await readEvents(id, token, { ...handlers, connection: open }, signal);
    } catch (error) {
      if (error instanceof GameNotFound) return handlers.connection("gone");
      if (error instanceof TokenRefused) return handlers.connection("refused");
      if (error instanceof HiddenTab) {
        await poll(id, token, handlers, signal);
        continue;
      }
    }
    if (signal.aborted) return;
    handlers.connection("lost");
    await wait(Math.min(150 * 2 ** tries, 4000), signal);
  }
}

/** Polls while the tab is hidden; with the token the player stays present. @param {string} id @param {string | null} token @param {StreamHandlers} handlers @param {AbortSignal} signal */
async function poll(id, token, handlers, signal) {
  while (document.hidden && !signal.aborted) {
    const seen = new AbortController();
    const look = () => seen.abort();
    document.addEventListener("visibilitychange", look, { once: true });
    await wait(POLL_MS, AbortSignal.any([signal, seen.signal]));
    document.removeEventListener("visibilitychange", look);
    if (!document.hidden || signal.aborted) return;
    try {
      handlers.view(await api.view(id, undefined, token ?? undefined));
    } catch {
      // The next poll may reach the server.
    }
  }
}

class HiddenTab extends Error {}

class GameNotFound extends Error {}

class TokenRefused extends Error {}

/** Reads the events of a game until the connection ends. @param {string} id @param {string | null} token @param {StreamHandlers} handlers @param {AbortSignal} signal */
async function readEvents(id, token, handlers, signal) {
  const hidden = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hiddenTimer;
  const onVisibility = () => {
    clearTimeout(hiddenTimer);
    if (document.hidden) hiddenTimer = setTimeout(() => hidden.abort(), HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", onVisibility);
  onVisibility();
  try {
    const path = `/api/games/${encodeURIComponent(id)}/events`;
    const open = () => handlers.connection("open");
    const event = (/** @type {string} */ name, /** @type {any} */ message) => dispatch(handlers, name, message);
    await readStream(path, token, { open, event }, AbortSignal.any([signal, hidden.signal]));
  } catch (error) {
    if (hidden.signal.aborted) throw new HiddenTab();
    const status = error instanceof StreamRefused ? error.status : 0;
    if (status === 404) throw new GameNotFound();
    if (status === 401 || status === 403) throw new TokenRefused();
    throw error;
  } finally {
    clearTimeout(hiddenTimer);
    document.removeEventListener("visibilitychange", onVisibility);
  }
}

/** The server answers with a problem instead of a stream. */
export class StreamRefused extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`status ${status}`);
    this.status = status;
  }
}

/**
 * Reads one event stream until it ends, is silent for too long, or `signal` aborts.
 * @param {string} path @param {string | null} token @param {{ open: () => void, event: (name: string, message: any) => void }} on @param {AbortSignal} signal
 */
export async function readStream(path, token, on, signal) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  let timer = setTimeout(stop, SILENCE_MS);
  try {
    const response = await fetch(path, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      signal: AbortSignal.any([signal, silence.signal]),
      cache: "no-store",
    });
    if (!response.ok || !response.body) throw new StreamRefused(response.status);
    on.open();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parse = eventParser((name, data) => on.event(name, JSON.parse(data)));
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      parse(piece.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @param {StreamHandlers} handlers @param {string} event @param {any} message */
function dispatch(handlers, event, message) {
  if (event === "view") handlers.view(message.view);
  else if (event === "change") handlers.change(message.change);
  else if (event === "presence") handlers.presence(message.presence);
  else if (event === "offers") handlers.offers(message.offers);
}

/**
 * A parser of event-stream text that arrives in pieces, cut anywhere.
 * @param {(event: string, data: string) => void} onEvent
 * @returns {(piece: string) => void}
 */
export function eventParser(onEvent) {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      let event = "message";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length) onEvent(event, data.join("\n"));
    }
  };
}
