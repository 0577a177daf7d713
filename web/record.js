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
    const turn = /^\d+ (\d+) (.+)$/.exec(line);
    if (turn) turns.push(parseTurn(Number(turn[1]), turn[2] ?? ""));
    else if (line.startsWith("variant ")) variant = line.slice(8);
    else if (line.startsWith("start ")) start = line.slice(6);
    else if (line.startsWith("result ")) result = line.slice(7);
  }
  return { variant, turns, start, result };
}

/** @param {number} by @param {string} action @returns {TurnView} */
function parseTurn(by, action) {
  if (action === "resign") return { by, resign: true };
  if (action.startsWith("<<")) return { by, rewind: Number(action.slice(2)) };
  return { by, play: action };
}
