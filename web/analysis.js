// The analysis of a finished game: value of each position, best moves, mistakes.

import { Unreachable, Refusal, api } from "./api.js";
import { h, keep, replaceContents, s } from "./dom.js";
import { nameOf, tell } from "./labels.js";
import { placeName, shortPlace, sideName } from "./places.js";
import { describeRefusal } from "./refusals.js";
import { moveOfTurn, winners } from "./table.js";
import { formatList, t } from "./i18n.js";

/** @typedef {import("./api_types").GameAnalysis} GameAnalysis */
/** @typedef {import("./api_types").TurnAnalysis} TurnAnalysis */
/** @typedef {import("./api_types").Table} Table */

/** Maximum number of moves in a line of best play that is written in words. */
const MAX_LINE = 8;

export class AnalysisPanel {
  /** @param {Table} table @param {Set<number>} mine the seats of this browser @param {(turn: number) => void} onLook */
  constructor(table, mine, onLook) {
    this.table = table;
    this.mine = mine;
    this.onLook = onLook;
    /** @type {GameAnalysis | null} */
    this.analysis = null;
    this.isLeft = false;
    /** The number of turns whose position is described. @type {number | null | undefined} */
    this.shownAt = undefined;
    this.root = keep(
      h(
        "section",
        { class: "analysis", tabindex: -1 },
        h("h2", {}, t("analysis")),
        h("p", { role: "status" }, t("analysing")),
      ),
    );
  }

  async load() {
    try {
      this.analysis = await api.analysis(this.table.id);
    } catch (error) {
      const why =
        error instanceof Refusal ? describeRefusal(error) : error instanceof Unreachable ? t("lost") : t("broken");
      if (!this.isLeft) replaceContents(this.root, h("h2", {}, t("analysis")), h("p", { role: "alert" }, why));
      return;
    }
    this.render(null);
  }

  leave() {
    this.isLeft = true;
  }

  /** The best move after this many turns. @param {number} turns */
  best(turns) {
    this.render(turns);
    return this.analysis?.turns[turns]?.best ?? null;
  }

  /** The exact value of each move after this many turns, where it is known. @param {number} turns */
  values(turns) {
    const known = this.analysis?.turns[turns]?.moves ?? [];
    return new Map(known.map((evaluation) => [evaluation.move, moveValue(evaluation)]));
  }

  /** A remark for each mistake, by turn. */
  remarks() {
    /** @type {Map<number, string>} */
    const remarks = new Map();
    for (const turn of this.analysis?.turns ?? []) if (isMistake(turn)) remarks.set(turn.turn, gave(turn));
    return remarks;
  }

  /** @param {number | null} at */
  render(at) {
    const { analysis, table } = this;
    if (!analysis || at === this.shownAt) return;
    this.shownAt = at;
    const values = analysis.turns.map((turn) => valueFor(turn, table.seats.length));
    values.push(endValue(table));
    const here = at === null ? analysis.turns.length : Math.min(at, analysis.turns.length);
    const mistakes = analysis.turns.filter(isMistake);
    replaceContents(
      this.root,
      h("h2", {}, t("analysis")),
      table.seats.length === 2 ? meter(values[here] ?? 0) : null,
      h("p", { class: "worth" }, this.words(analysis.turns[here])),
      moveValues(table, analysis.turns[here]),
      table.seats.length === 2 ? this.chart(values, here, mistakes) : null,
      h("h3", {}, t("mistakes")),
      mistakes.length
        ? h(
            "ul",
            { class: "mistakes" },
            mistakes.map((turn) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "quiet", click: () => this.onLook(turn.turn - 1) },
                  this.says(turn),
                ),
              ),
            ),
          )
        : h("p", {}, t(analysis.turns.every(isJudged) ? "noMistakes" : "noMistakesFound")),
    );
  }

  /** The value of a position, its best move, and the reason, in words. @param {TurnAnalysis | undefined} turn */
  words(turn) {
    if (!turn?.worth) return turn ? t("worthUnknown") : "";
    const { table } = this;
    const mover = turn.done.seat;
    const other = table.seats.length === 2 ? 1 - mover : mover;
    const { value, plies, estimate } = turn.worth;
    const column = turn.best && table.variant.gravity && value !== "unknown" ? columnOf(turn.best) : null;
    const best = turn.best && !column ? [`${t("bestWas", { place: placeName(table.variant, turn.best) })}.`] : [];
    const using = column ? ` ${t("withColumn", { column })}` : "";
    const wins = (/** @type {number} */ side) =>
      plies ? t("worthWinIn", { side: sideName(side), n: plies }) : t("worthWin", { side: sideName(side) });
    const worth = () => {
      if (value === "win") return `${wins(mover)}${using}`;
      if (value === "loss") return wins(other);
      if (value === "draw") return `${t("worthDraw")}${using}`;
      return estimate ? t("worthBetter", { side: sideName(estimate > 0 ? mover : other) }) : t("worthUnknown");
    };
    return [sentence(worth()), ...best, ...this.reason(turn), ...this.line(turn)].join(" ");
  }

  /** Why the best move is good: a fork, a blocked line, a threat. @param {TurnAnalysis} turn */
  reason({ turn, best, best_threats: threats = [] }) {
    if (!best) return [];
    const places = this.places(threats);
    if (threats.length > 1) return [t("bestForks", { places })];
    const before = this.analysis?.turns[turn - 2];
    if (before?.threats?.includes(best)) return [t("bestBlocks")];
    return threats.length ? [t("bestThreatens", { places })] : [];
  }

  /** The line of best play in words, if it has several moves. @param {TurnAnalysis} turn */
  line({ line = [] }) {
    if (line.length < 2) return [];
    const { variant } = this.table;
    const moves = line.slice(0, MAX_LINE).map((move) => (variant.gravity ? columnOf(move) : shortPlace(variant, move)));
    if (line.length > MAX_LINE) moves.push("…");
    return [t(variant.gravity ? "lineOfColumns" : "lineIs", { moves: moves.join(", ") }).replace("….", "…")];
  }

  /** @param {string[]} moves */
  places(moves) {
    return formatList(moves.map((move) => placeName(this.table.variant, move)));
  }

  /** @param {TurnAnalysis} turn */
  says(turn) {
    const move = moveOfTurn(turn.done);
    const place = move ? placeName(this.table.variant, move) : "…";
    const name = nameOf(this.table.seats, turn.done.seat, this.mine);
    const key = this.isMe(turn.done.seat) ? "yourMistakeAt" : "mistakeAt";
    return [t(key, { n: turn.turn, name, place, what: gave(turn) }), ...this.why(turn)].join(" ");
  }

  /** Whether a seat is the only one of this browser. @param {number} seat */
  isMe(seat) {
    return this.mine.size === 1 && this.mine.has(seat);
  }

  /** Says which move would have been better, and how the opponent could have answered the mistake: a win at once, a fork, a line. @param {TurnAnalysis} turn */
  why(turn) {
    const { variant, seats } = this.table;
    const answer = this.analysis?.turns[turn.turn];
    const better = turn.best ? [t("betterWas", { place: placeName(variant, turn.best) })] : [];
    if (answer?.worth?.value !== "win" || !answer.best) return better;
    const { seat } = answer.done;
    const values = {
      name: nameOf(seats, seat, this.mine),
      place: placeName(variant, answer.best),
      n: answer.worth.plies ?? 0,
    };
    if (values.n === 1) return [...better, tell(this.isMe(seat) ? "youCouldWinNow" : "answerWinsNow", values)];
    // The opening book of Connect Four does not know the number of moves.
    const inMoves = this.isMe(seat) ? "youCouldWinIn" : "answerWinsIn";
    const wins = tell(values.n ? inMoves : this.isMe(seat) ? "youCouldWin" : "answerWins", values);
    const threats = answer.best_threats ?? [];
    const fork = threats.length > 1 ? [t("answerForks", { ...values, places: this.places(threats) })] : [];
    return [...better, wins, ...fork.map(sentence), ...this.line(answer)];
  }

  /** @param {number[]} values @param {number} here @param {TurnAnalysis[]} mistakes */
  chart(values, here, mistakes) {
    const width = Math.max(1, values.length - 1);
    const x = (/** @type {number} */ at) => (at / width) * 300;
    const y = (/** @type {number} */ value) => 50 - value * 44;
    const d = values.map((value, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    const svg = s(
      "svg",
      {
        class: "chart",
        viewBox: "-6 0 312 100",
        role: "img",
        "aria-label": `${t("chart")}, ${t("chartHigh", { side: sideName(0) })}`,
      },
      s("path", { class: "zero", d: "M0 50H300" }),
      s("path", { class: "curve", d }),
      ...mistakes.map((turn) => s("circle", { class: "slip", cx: x(turn.turn), cy: y(values[turn.turn] ?? 0), r: 4 })),
      s("path", { class: "now", d: `M${x(here)} 0V100` }),
    );
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      this.onLook(Math.round(((event.clientX - box.left) / box.width) * width));
    });
    return svg;
  }
}

/** The number of a move's column, from 1. @param {string} move */
const columnOf = (move) => Number(move.split("-")[1]) + 1;

/** Makes a text begin with a capital letter and end with a full stop. @param {string} text */
const sentence = (text) => `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;

/** The exact value of every column; on other boards the cells show the values. @param {Table} table @param {TurnAnalysis | undefined} turn */
function moveValues({ variant }, turn) {
  if (!variant.gravity) return null;
  const moves = [...(turn?.moves ?? [])].sort((a, b) => columnOf(a.move) - columnOf(b.move));
  if (!moves.length) return null;
  const item = (/** @type {import("./api_types").MoveEvaluation} */ known) =>
    h("li", {}, `${t("columnNumber", { column: columnOf(known.move) })}: ${moveValue(known).words}`);
  return h("ul", { class: "move-values" }, moves.map(item));
}

/** @param {import("./api_types").MoveEvaluation} known @returns {import("./board.js").MoveValue} */
function moveValue({ value, plies }) {
  if (value === "draw" || value === "unknown") return { kind: "draw", sign: "=", words: t("moveDraws") };
  const isWin = value === "win";
  if (!plies) return { kind: value, sign: isWin ? "+" : "−", words: t(isWin ? "moveWins" : "moveLoses") };
  const words = t(isWin ? "moveWinsIn" : "moveLosesIn", { n: plies });
  return { kind: value, sign: `${isWin ? "+" : "−"}${plies}`, words };
}

/** Whether a turn is a mistake. Giving up is a decision, not a mistake on the board. @param {TurnAnalysis} turn */
export const isMistake = (turn) => turn.mistake !== null && turn.done.kind === "play";

/** Whether the value of the position before this turn is known. @param {TurnAnalysis} turn */
export const isJudged = (turn) => turn.done.kind !== "play" || (turn.worth !== null && turn.worth.value !== "unknown");

/** @param {TurnAnalysis} turn */
const gave = (turn) => t(turn.mistake?.had === "win" ? "gaveWin" : "gaveDraw");

/** The value of a position for the first side, from -1 to 1. @param {TurnAnalysis} turn @param {number} sides */
export function valueFor(turn, sides) {
  if (!turn.worth || sides !== 2) return 0;
  const sign = turn.done.seat === 0 ? 1 : -1;
  const { value, plies, estimate } = turn.worth;
  if (value === "win") return sign * (1 - Math.min(plies ?? 0, 30) / 100);
  if (value === "loss") return -sign * (1 - Math.min(plies ?? 0, 30) / 100);
  if (value === "draw" || !estimate) return 0;
  return sign * Math.tanh(estimate / 400) * 0.6;
}

/** @param {Table} table */
function endValue(table) {
  const won = winners(table.outcome);
  if (!won.length) return 0;
  return won.includes(0) ? 1 : -1;
}

/** @param {number} value */
function meter(value) {
  const share = Math.round((value + 1) * 50);
  const bar = h("div", { class: "meter", "aria-hidden": "true" }, h("span", {}));
  bar.style.setProperty("--share", `${share}%`);
  return bar;
}
