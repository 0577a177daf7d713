// Names and sentences for seats, variants, turns and results.

import { ninth, placeName, sideName } from "./places.js";
import { preferences } from "./preferences.js";
import { nextSeat } from "./table.js";
import { formatList, t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").Variant} Variant */

/** @typedef {{ name: string, kind: string, symbol?: string }} Seat */

/**
 * The names of players who have not chosen one. A browser registers such a player with `guest` in its language, so the
 * server may have this word in any language.
 */
const GUESTS = new Set(["", "Guest", "Convidat", "Host", "Invité"]);

/** Whether a player has chosen this name. @param {string} name */
export const isChosenName = (name) => !GUESTS.has(name);

/** The name of a seat inside a sentence, although another seat may have the same. @param {Seat[]} seats @param {number} at @param {Set<number>} mine the seats of this browser */
function plainName(seats, at, mine) {
  const seat = seats[at];
  if (!seat) return "";
  if (seat.kind === "open") return t("openSeat");
  if (seat.kind === "robot") return robotName(seat.name);
  const isMe = mine.size === 1 && mine.has(at);
  // A player who has not chosen a name reads "You".
  if (isMe && !(preferences().name && isChosenName(seat.name))) return t("youAsName");
  if (isChosenName(seat.name)) return seat.name;
  // Two people at one device.
  if (mine.has(at)) return t("player", { n: at + 1 });
  return mine.size === 1 && seats.length === 2 ? t("yourOpponent") : t("guest");
}

/** The name of a seat on its own, such as in the list of seats. @param {Seat[]} seats @param {number} at @param {Set<number>} mine the seats of this browser */
export function seatName(seats, at, mine) {
  const name = plainName(seats, at, mine);
  return name === t("yourOpponent") ? t("opponent") : name;
}

/** Maximum length of a name in a sentence above the board, in characters. A longer name would move the board. */
const MAX_NAME = 16;

/**
 * The name of a seat in a sentence. If others have the same name, its mark is added: "Guest (cross)".
 * @param {Seat[]} seats @param {number} at @param {Set<number>} mine the seats of this browser
 * @param {(name: string) => string} [shorten]
 */
export function nameOf(seats, at, mine, shorten = (name) => name) {
  const name = plainName(seats, at, mine);
  // This browser's only seat is "you" in sentences.
  const isShared = seats.some(
    (_, other) => other !== at && !(mine.size === 1 && mine.has(other)) && plainName(seats, other, mine) === name,
  );
  return isShared ? `${shorten(name)} (${sideName(at, seats[at]?.symbol)})` : shorten(name);
}

/** The name of a seat in a sentence above the board: long names are shortened. @param {Table} table @param {number} at @param {Set<number>} mine */
function nameInStatus({ seats }, at, mine) {
  return nameOf(seats, at, mine, (name) => {
    const letters = [...name];
    const isLong = seats[at]?.kind === "human" && letters.length > MAX_NAME;
    return isLong ? `${letters.slice(0, MAX_NAME - 1).join("")}…` : name;
  });
}

/** The name of a seat where space is short: robots have shorter names, so that no name is cut off. @param {Seat[]} seats @param {number} at @param {Set<number>} mine */
export const shortName = (seats, at, mine) => shortRobotName(seats[at], seatName(seats, at, mine));

/** @param {Seat | undefined} seat @param {string} name @returns {string} the name, shorter if it is a robot's */
function shortRobotName(seat, name) {
  const level = seat?.kind === "robot" && /^level:([1-8])$/.exec(seat.name);
  return level ? `${t("computer")} · ${level[1]}` : name;
}

/** A text that begins with a capital letter. Names that players have chosen stay as they are. @param {string} text */
function capitalize(text) {
  return text.startsWith(t("yourOpponent")) ? `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}` : text;
}

/** A sentence that may begin with the name of a seat. @param {import("./i18n.js").Key} key @param {Record<string, string | number>} values */
export const tell = (key, values) => capitalize(t(key, values));

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
  const name = nameOf(table.seats, last.seat, mine);
  const isMine = mine.has(last.seat) && mine.size === 1;
  if (last.kind === "play") {
    const place = placeName(table.variant, last.move);
    return isMine ? t("youPlay", { place }) : tell("playsAt", { name, place });
  }
  if (last.kind === "resign") return isMine ? t("youResign") : tell("resigns", { name });
  if (last.kind === "takeback") return isMine ? t("youTakeMoveBack") : tell("takesMoveBack", { name });
  const n = last.count;
  if (n === 0) return isMine ? t("youPass") : tell("passes", { name });
  return isMine ? t("youTakeBack", { n }) : tell("takesBack", { name, n });
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
  if (seat.kind !== "robot") return tell("turnOf", { name: nameInStatus(table, next, mine) });
  return t("isThinking", { name: nameOf(table.seats, next, mine, (name) => shortRobotName(seat, name)) });
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
  const names = won.map((side) => (table.seats[side] ? nameInStatus(table, side, mine) : sideName(side)));
  // A server may know more reasons than this page.
  const isMisere = outcome.reason === "line" && table.variant.misere;
  const why = t(isMisere ? "byMisere" : (WIN_REASONS[outcome.reason] ?? "byLine"));
  if (mine.size === 1) {
    const [me] = mine;
    if (me !== undefined && won.includes(me)) return join(t("youWin"), why);
    if (won.length === 1) return join(tell("youLoseTo", { name: names[0] ?? "" }), why);
    return join(t("youLose"), why);
  }
  return join(
    won.length === 1 ? tell("wins", { name: names[0] ?? "" }) : tell("win", { names: formatList(names) }),
    why,
  );
}

/** @param {string} sentence @param {string} why */
const join = (sentence, why) => (why ? `${sentence} ${why}` : sentence);
