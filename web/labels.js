// Names and sentences for seats, variants, turns and results.

import { ninth, placeName, sideName } from "./places.js";
import { preferences } from "./preferences.js";
import { nextSeat } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").Variant} Variant */

/** The name of the player of a seat. @param {{ name: string, kind: string }} seat @param {number} at @param {boolean} [isMe] */
export function seatName(seat, at, isMe = false) {
  if (seat.kind === "open") return t("openSeat");
  if (seat.kind === "robot") return robotName(seat.name);
  // A player who has not chosen a name reads "You".
  if (isMe && !preferences().name) return t("youAsName");
  return seat.name || (isMe ? t("youAsName") : t("player", { n: at + 1 }));
}

/** Maximum length of a name in a sentence above the board, in characters. A longer name would move the board. */
const MAX_NAME = 16;

/** The name of a seat in a sentence above the board: long names of people are shortened. @param {{ name: string, kind: string }} seat @param {number} at */
function nameInStatus(seat, at) {
  const name = seatName(seat, at);
  const letters = [...name];
  return seat.kind === "human" && letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join("")}…` : name;
}

/** The name of a seat where space is short: robots have shorter names, so that no name is cut off. @param {{ name: string, kind: string }} seat @param {number} at @param {boolean} [isMe] */
export function shortName(seat, at, isMe = false) {
  const level = seat.kind === "robot" && /^level:([1-8])$/.exec(seat.name);
  return level ? `${t("computer")} · ${level[1]}` : seatName(seat, at, isMe);
}

/** The name of a robot. @param {string} strategy */
export function robotName(strategy) {
  const level = /^level:([1-8])$/.exec(strategy);
  if (level) return t("computerLevel", { n: Number(level[1]) });
  return strategy === "perfect" ? t("computerPerfect") : t("computerNamed", { name: strategy });
}

/** The variants of the server's catalogue that have a translated title. @type {Partial<Record<string, import("./i18n.js").Key>>} */
const TITLES = {
  "3x3k3": "gameTicTacToe",
  multi: "gameMulti",
  ultimate: "gameUltimate",
  "7x6k4+gravity": "gameConnectFour",
  "15x15k5": "gameFive",
  "15x15k5+exact": "gameFiveExact",
  "3x3k3+misere": "gameMisere",
  "4x4k3p3": "gameThree",
  "7x7k4": "gameFour",
};

/** The title of a variant that is chosen from the catalogue. @param {Variant} variant */
export function catalogTitle(variant) {
  const key = TITLES[variant.name];
  return key ? t(key) : gameName(variant);
}

/** The name of a game in lists and above its board. @param {Variant} variant */
export function gameName(variant) {
  if (variant.nine === "multi") return t("gameMulti");
  if (variant.nine === "ultimate") return t("gameUltimate");
  const plain = !variant.misere && !variant.gravity && !variant.exact && variant.sides === 2;
  const { columns, rows, line } = variant;
  if (plain && columns === 3 && rows === 3) return t("gameTicTacToe");
  if (variant.name === "3x3k3+misere") return t("gameMisere");
  if (variant.name === "7x6k4+gravity") return t("gameConnectFour");
  if (variant.name === "15x15k5") return t("gameFive");
  return t("gameGrid", { line, columns, rows });
}

/** The rules of a variant in one line. @param {Variant} variant */
export function gameDetails(variant) {
  if (variant.nine) {
    const about = variant.nine === "multi" ? t("aboutMulti") : t("aboutUltimate");
    return variant.first === null ? about : `${about} ${t("firstBoard", { board: ninth(variant.first) })}`;
  }
  const parts = [t(variant.misere ? "aboutMisere" : "aboutLine", { n: variant.line })];
  if (variant.gravity) parts.push(t("aboutGravity"));
  if (variant.exact) parts.push(t("aboutExact"));
  if (variant.sides > 2) parts.push(t("aboutSides", { n: variant.sides }));
  return parts.join(" ");
}

/** A turn as a sentence, for screen readers.
 * @param {Table} table @param {import("./api_types").TurnView} last @param {Set<number>} mine */
export function describeTurn(table, last, mine) {
  const seat = table.seats[last.seat];
  const name = seat ? seatName(seat, last.seat) : "";
  const isMine = mine.has(last.seat) && mine.size === 1;
  if (last.kind === "play") {
    const place = placeName(table.variant, last.move);
    return isMine ? t("youPlay", { place }) : t("playsAt", { name, place });
  }
  if (last.kind === "resign") return isMine ? t("youResign") : t("resigns", { name });
  if (last.kind === "takeback") return isMine ? t("youTakeMoveBack") : t("takesMoveBack", { name });
  const n = last.count;
  if (n === 0) return isMine ? t("youPass") : t("passes", { name });
  return isMine ? t("youTakeBack", { n }) : t("takesBack", { name, n });
}

/** The state of the game in one sentence. @param {Table} table @param {Set<number>} mine */
export function statusOf(table, mine) {
  if (table.outcome) return outcomeOf(table, table.outcome, mine);
  if (table.seats.some((seat) => seat.kind === "open")) return t("waitingForSeat");
  const next = nextSeat(table);
  if (next === null) return "";
  if (mine.has(next)) {
    if (mine.size > 1) return t("turnOfSide", { side: sideName(next, table.seats[next]?.symbol) });
    return t("yourTurn");
  }
  const seat = table.seats[next];
  if (!seat) return "";
  // One line on a phone, so that the board does not move with every turn.
  if (seat.kind === "robot") return t("isThinking", { name: shortName(seat, next) });
  return t("turnOf", { name: nameInStatus(seat, next) });
}

const WIN_REASONS = /** @type {const} */ ({
  line: "byLine",
  points: "byPoints",
  resignation: "byResignation",
  leaving: "byLeaving",
  time: "byTime",
  claim: "byClaim",
});

const DRAW_REASONS = /** @type {const} */ ({
  full: "drawFull",
  agreement: "drawAgreed",
  claim: "byClaim",
  time: "drawTime",
  limit: "drawLimit",
});

/** @param {Table} table @param {import("./api_types").Outcome} outcome @param {Set<number>} mine */
function outcomeOf(table, outcome, mine) {
  if (outcome.kind === "draw") return join(t("draw"), t(DRAW_REASONS[outcome.reason] ?? "drawFull"));
  if (outcome.kind !== "won") return t(outcome.kind === "aborted" ? "aborted" : "abandoned");
  const won = outcome.sides;
  const names = won.map((side) => {
    const seat = table.seats[side];
    return seat ? nameInStatus(seat, side) : sideName(side);
  });
  // A server may know more reasons than this page.
  const isMisere = outcome.reason === "line" && table.variant.misere;
  const why = t(isMisere ? "byMisere" : (WIN_REASONS[outcome.reason] ?? "byLine"));
  if (mine.size === 1) {
    const [me] = mine;
    if (me !== undefined && won.includes(me)) return join(t("youWin"), why);
    if (won.length === 1) return join(t("youLoseTo", { name: names[0] ?? "" }), why);
    return join(t("youLose"), why);
  }
  return join(won.length === 1 ? t("wins", { name: names[0] ?? "" }) : t("win", { names: list(names) }), why);
}

/** @param {string} sentence @param {string} why */
const join = (sentence, why) => (why ? `${sentence} ${why}` : sentence);

/** "A, B and C", in the current language. @param {string[]} names */
export const list = (names) =>
  new Intl.ListFormat(document.documentElement.lang || "en", { type: "conjunction" }).format(names);
