// What this browser keeps: the tokens of its seats, and what its user prefers.

/** Games whose tokens are kept; the oldest are forgotten. */
const MOST_GAMES = 200;
const SEATS = "noughts.seats";
const WISHES = "noughts.wishes";

/** @typedef {{ name: string, language: string, theme: "auto" | "light" | "dark", sound: boolean, shortcuts: boolean, level: number }} Wishes */

/** @type {Wishes} */
const USUAL = { name: "", language: "", theme: "auto", sound: false, shortcuts: true, level: 4 };

/** @param {string} key @returns {any} */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage the page works until it is left.
  }
}

/** @type {Record<string, { at: number, tokens: Record<string, string> }>} */
const unsaved = {};

/** The seats of a game that this browser holds, with their tokens. @param {string} id @returns {Map<number, string>} */
export function seatsAt(id) {
  const tokens = { ...read(SEATS)?.[id]?.tokens, ...unsaved[id]?.tokens };
  return new Map(Object.entries(tokens).map(([seat, token]) => [Number(seat), String(token)]));
}

/** @param {string} id @param {Record<string, string>} tokens by seat */
export function keepSeats(id, tokens) {
  const all = read(SEATS) ?? {};
  const kept = { at: Date.now(), tokens: { ...all[id]?.tokens, ...tokens } };
  unsaved[id] = kept;
  all[id] = kept;
  const ids = Object.keys(all).sort((a, b) => all[b].at - all[a].at);
  for (const old of ids.slice(MOST_GAMES)) delete all[old];
  write(SEATS, all);
}

/** What its user prefers. @returns {Wishes} */
export const wishes = () => ({ ...USUAL, ...read(WISHES) });

/** @param {Partial<Wishes>} changed */
export function wish(changed) {
  write(WISHES, { ...wishes(), ...changed });
}
