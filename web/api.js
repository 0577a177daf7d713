// What the page asks the server. Every request that changes something has a key, so that it can be
// sent again when nobody knows whether it arrived.

/** @typedef {import("./shapes").Problem} Problem */

/** The server said no, and why. */
export class Refusal extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
    /** The last part of the type, such as `occupied`. */
    this.kind = (problem.type ?? "").split("/").at(-1) ?? "";
  }
}

/** Nobody answered. */
export class Away extends Error {}

/**
 * @template T
 * @param {string} path @param {RequestInit} [init]
 * @returns {Promise<T>}
 */
async function ask(path, init = {}) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { ...init, headers: { Accept: "application/json", ...init.headers } });
  } catch {
    throw new Away("the server does not answer");
  }
  const medium = response.headers.get("content-type") ?? "";
  if (response.ok && !medium.includes("json")) return /** @type {T} */ (await response.text());
  /** @type {any} */
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Away("the answer can't be read");
  }
  if (response.ok) return body;
  if (response.status === 503) throw new Away(body.detail);
  throw new Refusal(body);
}

/** A key that nobody guesses. */
export const freshKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** @param {unknown} body @param {{ key?: string, token?: string }} [with_] @returns {RequestInit} */
function post(body, { key, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  if (token) headers.Authorization = `Bearer ${token}`;
  return { method: "POST", headers, body: JSON.stringify(body) };
}

const game = (/** @type {string} */ id) => `/api/games/${encodeURIComponent(id)}`;

export const api = {
  /** @param {import("./shapes").NewTable} table @param {string} [key] @returns {Promise<import("./shapes").CreatedTable>} */
  lay: (table, key = freshKey()) => ask("/api/games", post(table, { key })),

  /** @param {string} id @param {number} seat @param {string} name @param {string} [key] @returns {Promise<import("./shapes").TakenSeat>} */
  sit: (id, seat, name, key = freshKey()) => ask(`${game(id)}/seats/${seat}`, post({ name }, { key })),

  /** @param {string} id @param {number} [turn] @returns {Promise<import("./shapes").View>} */
  look: (id, turn) => ask(turn === undefined ? game(id) : `${game(id)}?turn=${turn}`),

  /** @param {string} id @param {string} token @param {object} act @param {string} [key] @returns {Promise<import("./shapes").View>} */
  act: (id, token, act, key = freshKey()) => ask(`${game(id)}/actions`, post(act, { key, token })),

  /** @param {string} id @param {string} token @returns {Promise<import("./shapes").RematchView>} */
  again: (id, token) => ask(`${game(id)}/rematch`, post({}, { token })),

  /** @param {string} id @returns {Promise<string>} */
  record: (id) => ask(`${game(id)}/record`, { headers: { Accept: "text/plain" } }),

  /** @param {string} id @returns {Promise<import("./shapes").GameAnalysis>} */
  study: (id) => ask(`${game(id)}/analysis`),

  /** @param {Record<string, string>} wanted @returns {Promise<import("./shapes").GamesPage>} */
  list: (wanted) => ask(`/api/games?${new URLSearchParams(wanted)}`),

  /** @param {string} text @returns {Promise<import("./shapes").ImportedGame>} */
  archive: (text) =>
    ask("/api/records", {
      method: "POST",
      headers: { "Content-Type": "text/plain; charset=utf-8" },
      body: text,
    }),
};

/**
 * Asks until somebody answers, waiting a little longer each time.
 * @template T
 * @param {() => Promise<T>} request
 * @param {{ signal: AbortSignal, onAway: () => void }} how
 * @returns {Promise<T>}
 */
export async function insist(request, { signal, onAway }) {
  for (let tries = 0; ; tries++) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Away) || signal.aborted) throw error;
      onAway();
      await pause(Math.min(250 * 2 ** tries, 4000), signal);
    }
  }
}

/** Those who wait for the server. @type {Set<() => void>} */
const waiting = new Set();

/** The server is there: nobody need wait any longer. */
export function hurry() {
  for (const done of [...waiting]) done();
}

/** A while, or until the network is back. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      waiting.delete(done);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    waiting.add(done);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
