// What this browser keeps: the tokens of its seats, and what its user prefers.

/** Games whose tokens are kept; the oldest are forgotten. */
const MOST_GAMES = 200;
const SEATS = "noughts.seats";
const WISHES = "noughts.wishes";

/** @typedef {{ name: string, language: string, theme: "auto" | "light" | "dark", sound: boolean, shortcuts: boolean, level: number }} Wishes */

/** @type {Wishes} */
const USUAL = { name: "", language: "", theme: "auto", sound: false, shortcuts: true, level: 4 };

/** What was kept, as far as it can be read: anybody may have written it. @param {string} key @returns {Record<string, any>} */
function read(key) {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "{}");
    return isObject(kept) ? kept : {};
  } catch {
    return {};
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage the page works until it is left.
  }
}

/** Where nothing can be kept, until the page is left. @type {Partial<Wishes>} */
const unsavedWishes = {};

/** @type {Record<string, { at: number, tokens: Record<string, string> }>} */
const unsaved = {};

/** The seats of a game that this browser holds, with their tokens. @param {string} id @returns {Map<number, string>} */
export function seatsAt(id) {
  const tokens = { ...read(SEATS)[id]?.tokens, ...unsaved[id]?.tokens };
  return new Map(Object.entries(tokens).map(([seat, token]) => [Number(seat), String(token)]));
}

/** @param {string} id @param {Record<string, string>} tokens by seat */
export function keepSeats(id, tokens) {
  const all = Object.fromEntries(Object.entries(read(SEATS)).filter(([, game]) => isObject(game)));
  const kept = { at: Date.now(), tokens: { ...all[id]?.tokens, ...tokens } };
  unsaved[id] = kept;
  all[id] = kept;
  const ids = Object.keys(all).sort((a, b) => all[b].at - all[a].at);
  for (const old of ids.slice(MOST_GAMES)) delete all[old];
  write(SEATS, all);
}

/** What its user prefers. @returns {Wishes} */
export function wishes() {
  const kept = Object.entries({ ...read(WISHES), ...unsavedWishes });
  const usual = /** @type {Record<string, unknown>} */ (USUAL);
  const sound = kept.filter(([name, value]) => typeof value === typeof usual[name]);
  const all = { ...USUAL, ...Object.fromEntries(sound) };
  return { ...all, level: Math.max(1, Math.min(8, Math.round(all.level) || USUAL.level)) };
}

/** @param {Partial<Wishes>} changed */
export function wish(changed) {
  Object.assign(unsavedWishes, changed);
  write(WISHES, { ...wishes(), ...changed });
}
