// What happens at a table, as it happens. Not `EventSource`: a seat shows that somebody is there by
// the token of its request, and tokens do not belong into addresses.

import { api, pause } from "./api.js";

/** @typedef {"open" | "lost" | "gone"} Line */
/**
 * @typedef {object} Ears
 * @property {(view: import("./shapes").View) => void} view
 * @property {(change: import("./shapes").Change) => void} change
 * @property {(presence: import("./shapes").Presence) => void} presence
 * @property {(line: Line) => void} line
 */

/** The server sends something at least this often. */
const SILENCE_MS = 40_000;

/** A page that nobody looks at for so long gives its connection back: a browser has six to a server, for all tabs. */
const HIDDEN_MS = 60_000;
/** How often it looks instead. */
const GLANCE_MS = 15_000;

/**
 * Listens until `signal` says that it is enough; comes back by itself, and is then given the whole
 * view, in which nothing is missing.
 * @param {string} id @param {string | null} token @param {Ears} ears @param {AbortSignal} signal
 */
export async function listen(id, token, ears, signal) {
  for (let tries = 0; !signal.aborted; tries++) {
    const open = () => {
      tries = 0;
      ears.line("open");
    };
    try {
      await hear(id, token, { ...ears, line: open }, signal);
    } catch (error) {
      if (error instanceof Gone) return ears.line("gone");
      if (error instanceof Unseen) {
        await glance(id, ears, signal);
        continue;
      }
    }
    if (signal.aborted) return;
    ears.line("lost");
    await pause(Math.min(150 * 2 ** tries, 4000), signal);
  }
}

/** Looks now and then, until somebody looks at the page. @param {string} id @param {Ears} ears @param {AbortSignal} signal */
async function glance(id, ears, signal) {
  while (document.hidden && !signal.aborted) {
    const seen = new AbortController();
    const look = () => seen.abort();
    document.addEventListener("visibilitychange", look, { once: true });
    await pause(GLANCE_MS, AbortSignal.any([signal, seen.signal]));
    document.removeEventListener("visibilitychange", look);
    if (!document.hidden || signal.aborted) return;
    try {
      ears.view(await api.look(id));
    } catch {
      // The next glance may find the server.
    }
  }
}

class Unseen extends Error {}

class Gone extends Error {}

/** One connection, to its end. @param {string} id @param {string | null} token @param {Ears} ears @param {AbortSignal} signal */
async function hear(id, token, ears, signal) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  signal.addEventListener("abort", stop);
  let timer = setTimeout(stop, SILENCE_MS);
  let isUnseen = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let unseen;
  const onSight = () => {
    clearTimeout(unseen);
    if (!document.hidden) return;
    unseen = setTimeout(() => {
      isUnseen = true;
      stop();
    }, HIDDEN_MS);
  };
  document.addEventListener("visibilitychange", onSight);
  onSight();
  try {
    const response = await fetch(`/api/games/${encodeURIComponent(id)}/events`, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
      signal: silence.signal,
      cache: "no-store",
    });
    if (response.status === 404) throw new Gone();
    if (!response.ok || !response.body) return;
    ears.line("open");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parse = splitter((event, data) => tell(ears, event, data));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      parse(value);
    }
  } catch (error) {
    throw isUnseen ? new Unseen() : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(unseen);
    document.removeEventListener("visibilitychange", onSight);
    signal.removeEventListener("abort", stop);
  }
}

/** @param {Ears} ears @param {string} event @param {string} data */
function tell(ears, event, data) {
  const message = JSON.parse(data);
  if (event === "view") ears.view(message.view);
  else if (event === "change") ears.change(message.change);
  else if (event === "presence") ears.presence(message.presence);
}

/**
 * Events out of a text that comes in pieces, cut anywhere.
 * @param {(event: string, data: string) => void} onEvent
 * @returns {(piece: string) => void}
 */
export function splitter(onEvent) {
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
