// Parses a game record.

/** @typedef {import("./api_types").TurnView} TurnView */

/**
 * @param {string} text
 * @returns {{ variant: string, turns: TurnView[], start: string | null, result: string }}
 */
export function parseRecord(text) {
  /** @type {TurnView[]} */
  const turns = [];
  let variant = "";
  let result = "";
  /** @type {string | null} */
  let start = null;
  for (const line of text.split(/\r?\n/)) {
    // In a game with a clock the time of the turn follows.
    const turn = /^\d+ (\d+) (.+?)(?: \d+ms)?$/.exec(line);
    if (turn) turns.push(parseTurn(Number(turn[1]), turn[2] ?? ""));
    else if (line.startsWith("variant ")) variant = line.slice(8);
    else if (line.startsWith("start ")) start = line.slice(6);
    else if (line.startsWith("result ")) result = line.slice(7);
  }
  return { variant, turns, start, result };
}

/** @param {number} seat @param {string} action @returns {TurnView} */
function parseTurn(seat, action) {
  if (action === "resign") return { kind: "resign", seat };
  if (action.startsWith("<<")) return { kind: "rewind", seat, count: Number(action.slice(2)) };
  if (action.startsWith("takeback ")) return { kind: "takeback", seat, count: Number(action.slice(9)) };
  return { kind: "play", seat, move: action };
}
