// Requests to the server. A request that creates or changes something has an idempotency key, so that it can
// be sent again when its answer is lost.

/** @typedef {import("./api_types").Problem} Problem */

/** The server refused the request; `problem` says why. */
export class Refusal extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
    /** The last part of the type, such as `occupied`. */
    this.kind = (problem.type ?? "").split("/").at(-1) ?? "";
  }
}

/** The server cannot be reached, or is unavailable (503). */
export class Unreachable extends Error {}

/**
 * @template T
 * @param {string} path @param {RequestInit} [init]
 * @returns {Promise<T>}
 */
async function request(path, init = {}) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, { ...init, headers: { Accept: "application/json", ...init.headers } });
  } catch {
    throw new Unreachable("the server does not answer");
  }
  if (response.status === 204) return /** @type {T} */ (undefined);
  const medium = response.headers.get("content-type") ?? "";
  if (response.ok && !medium.includes("json")) return /** @type {T} */ (await response.text());
  /** @type {any} */
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Unreachable("the answer can't be read");
  }
  if (response.ok) return body;
  if (response.status === 503) throw new Unreachable(body.detail);
  throw new Refusal(body);
}

/** A random idempotency key. */
export const freshKey = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
};

/** @param {unknown} body @param {{ key?: string | undefined, token?: string | undefined }} [with_] @returns {RequestInit} */
function post(body, { key, token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  if (token) headers.Authorization = `Bearer ${token}`;
  return { method: "POST", headers, body: JSON.stringify(body) };
}

/** @param {string | undefined} token @param {string} [method] @returns {RequestInit} */
const as = (token, method = "GET") => ({ method, headers: token ? { Authorization: `Bearer ${token}` } : {} });

const game = (/** @type {string} */ id) => `/api/games/${encodeURIComponent(id)}`;

export const api = {
  /** @param {import("./api_types").NewTable} table @param {string} key @param {string} [token] of a player @returns {Promise<import("./api_types").CreatedTable>} */
  createTable: (table, key, token) => request("/api/games", post(table, { key, token })),

  /** @param {string} id @param {number} seat @param {string} name @param {string} key @param {string} [token] of a player @returns {Promise<import("./api_types").TakenSeat>} */
  takeSeat: (id, seat, name, key, token) => request(`${game(id)}/seats/${seat}`, post({ name }, { key, token })),

  /** @param {string} id @param {number} [turn] @param {string} [token] @returns {Promise<import("./api_types").View>} */
  view: (id, turn, token) => request(turn === undefined ? game(id) : `${game(id)}?after=${turn}`, as(token)),

  /** @param {string} id @param {string} token @param {object} act @param {string} [key] @returns {Promise<import("./api_types").View>} */
  act: (id, token, act, key = freshKey()) => request(`${game(id)}/actions`, post(act, { key, token })),

  /** @param {string} id @param {string} token @returns {Promise<import("./api_types").RematchView>} */
  rematch: (id, token) => request(`${game(id)}/rematch`, post({}, { token })),

  /** @param {string} id @returns {Promise<string>} */
  record: (id) => request(`${game(id)}/record`, { headers: { Accept: "text/plain" } }),

  /** @param {string} id @returns {Promise<import("./api_types").GameAnalysis>} */
  analysis: (id) => request(`${game(id)}/analysis`),

  /**
   * Tells the server that the player of a seat leaves. The browser sends this request even while it closes the page.
   * @param {string} id @param {string} token
   */
  leave: (id, token) =>
    void fetch(`/api/games/${id}/leave`, { ...post({}, { token }), keepalive: true }).catch(() => {}),

  /** @param {string} name @returns {Promise<{ id: string, token: string }>} */
  createPlayer: (name) => request("/api/players", post({ name })),

  /** @param {string} id @returns {Promise<import("./api_types").Profile>} */
  profile: (id) => request(`/api/players/${encodeURIComponent(id)}?limit=1`),

  /** @param {string} token @param {string | null} [before] the previous page's `finished.before` @returns {Promise<import("./api_types").Me>} */
  me: (token, before) =>
    request(before ? `/api/me?${new URLSearchParams({ before, limit: "50" })}` : "/api/me?limit=50", as(token)),

  /** @param {string} token @param {string} name @returns {Promise<unknown>} */
  renameMe: (token, name) => request("/api/me", { ...post({ name }, { token }), method: "PATCH" }),

  /** @param {string} token @returns {Promise<void>} */
  deleteMe: (token) => request("/api/me", as(token, "DELETE")),

  /** Signs all other devices of the player out. @param {string} token @returns {Promise<void>} */
  deleteOtherTokens: (token) => request("/api/me/tokens", as(token, "DELETE")),

  /** @param {string} token @returns {Promise<import("./api_types").DeviceLink>} */
  createDeviceLink: (token) => request("/api/me/links", post({}, { token })),

  /** @param {string} code @returns {Promise<{ id: string, token: string }>} */
  useDeviceLink: (code) => request("/api/players/link", post({ code })),

  /** @param {string} token @param {import("./api_types").NewMatch} wanted @returns {Promise<import("./api_types").QuickMatchView>} */
  requestMatch: (token, wanted) => request("/api/matches", post(wanted, { token })),

  /** @param {string} token @param {string} id @returns {Promise<import("./api_types").QuickMatchView>} */
  match: (token, id) => request(`/api/matches/${encodeURIComponent(id)}`, as(token)),

  /** @param {string} token @param {string} id @returns {Promise<void>} */
  cancelMatch: (token, id) => request(`/api/matches/${encodeURIComponent(id)}`, as(token, "DELETE")),

  /** How many players wait. @returns {Promise<import("./api_types").WaitingMatches>} */
  waitingMatches: () => request("/api/matches"),

  /** The robots that play a variant. @param {string} variant @returns {Promise<{ name: string }[]>} */
  strategies: (variant) => request(`/api/strategies?${new URLSearchParams({ variant })}`),

  /** The operator's message to everybody. @returns {Promise<{ text: string | null }>} */
  announcement: () => request("/api/announcement"),

  /** The variants to offer. @returns {Promise<import("./api_types").OfferedVariant[]>} */
  variants: () => request("/api/variants"),

  /** @param {Record<string, string>} wanted @returns {Promise<import("./api_types").GamesPage>} */
  list: (wanted) => request(`/api/games?${new URLSearchParams(wanted)}`),

  /** @param {string} text @returns {Promise<import("./api_types").ImportedGame>} */
  importRecord: (text) =>
    request("/api/records", {
      method: "POST",
      headers: { "Content-Type": "text/plain; charset=utf-8" },
      body: text,
    }),
};

/**
 * Sends a request until the server answers, with growing delays.
 * @template T
 * @param {() => Promise<T>} send
 * @param {{ signal: AbortSignal, onUnreachable: () => void }} options
 * @returns {Promise<T>}
 */
export async function retry(send, { signal, onUnreachable }) {
  for (let tries = 0; ; tries++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Unreachable) || signal.aborted) throw error;
      onUnreachable();
      await wait(Math.min(250 * 2 ** tries, 4000), signal);
    }
  }
}

/** Ends each wait that is under way. @type {Set<() => void>} */
const waits = new Set();

/** Ends all waits: the server can be reached again. */
export function wakeRetries() {
  for (const end of [...waits]) end();
}

/** Waits, at most until the network is back or `wakeRetries` is called. @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export function wait(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      waits.delete(end);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    waits.add(end);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
