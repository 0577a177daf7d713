// The list of seats: mark, name, presence, turn, points, clock; and the score of a series.

import { formatTimeLeft, isLow, timeLeft } from "./clock.js";
import { h, setAttribute, setText } from "./dom.js";
import { isMe, mineOf } from "./game_state.js";
import { drawMark } from "./marks.js";
import { seatName, shortName } from "./labels.js";
import { sideName } from "./places.js";
import { seriesWith } from "./series.js";
import { phaseOf, nextSeat, seatsOffering, winners } from "./table.js";
import { formatNumber, t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./api_types").Table} Table */

/** @param {GameState} state @param {Table} table the position that is shown */
export function seatList(state, table) {
  const mine = mineOf(state);
  const toMove = phaseOf(table) === "playing" && !table.outcome ? nextSeat(table) : null;
  return table.seats.map((seat, at) =>
    h(
      "li",
      {
        class: "seat",
        "data-robot": seat.kind === "robot",
        "data-turn": toMove === at,
        "data-away": seat.kind === "human" && !seat.present && !state.tokens.has(at),
        "data-won": winners(table.outcome).includes(at),
      },
      drawMark(at, seat.symbol),
      h(
        "span",
        { class: "who" },
        h(
          "span",
          { class: "name", title: seatName(table.seats, at, mine) },
          h("span", { class: "unseen" }, `${sideName(at, seat.symbol)}: `),
          shortName(table.seats, at, mine),
        ),
        h("span", { class: "says" }, says(state, table, at, toMove === at)),
      ),
      points(table, at),
      clock(table, at),
    ),
  );
}

/** Remarks about a seat, such as "to move". @param {GameState} state @param {Table} table @param {number} at @param {boolean} isUp */
function says(state, table, at, isUp) {
  const seat = table.seats[at];
  const mine = mineOf(state);
  const isOther = seat?.kind === "human" && !mine.has(at) && !table.outcome;
  const remarks = [
    isMe(state, at) && seatName(table.seats, at, mine) !== t("youAsName") ? t("you") : "",
    seat?.bot ? t("bot") : "",
    isOther ? t(seat.present ? "here" : "away") : "",
    winners(table.outcome).includes(at) ? t("won") : "",
    // Only for spectators: players see the request above their buttons.
    seatsOffering(table, "rematch").includes(at) && mine.size === 0 ? t("asksForRematch") : "",
  ].filter(Boolean);
  const text = remarks.join(" · ");
  return isUp ? [text, h("span", { class: "up" }, text ? ` · ${t("toMove")}` : t("toMove"))] : text;
}

/** The boards that a side has won. @param {Table} table @param {number} at */
function points(table, at) {
  const { score } = table;
  if (!score || at >= 2 || phaseOf(table) === "waiting") return null;
  return h(
    "span",
    { class: "points", title: t("score") },
    h("span", { class: "unseen" }, `${t("score")}: `),
    formatNumber(score[at] ?? 0),
  );
}

/** The clock of a seat. Screen readers do not announce it, because it changes all the time. @param {Table} table @param {number} at */
function clock(table, at) {
  if (!table.clock) return null;
  const left = timeLeft(table, at, performance.now());
  return h(
    "span",
    {
      class: "clock",
      role: "timer",
      "aria-live": "off",
      "data-running": table.clock.running === at && !table.outcome,
      "data-low": isLow(table, left),
    },
    formatTimeLeft(left),
  );
}

/** Shows the time that is left now. @param {HTMLElement} list @param {Table} table @param {number} now from `performance.now()` */
export function showClocks(list, table, now) {
  list.querySelectorAll(".clock").forEach((element, at) => {
    const left = timeLeft(table, at, now);
    setText(element, formatTimeLeft(left));
    setAttribute(element, "data-low", isLow(table, left));
  });
}

/** The score of the games between these players; empty before their second game. @param {GameState} state */
export function seriesLine(state) {
  const { table, series } = state;
  if (!series) return "";
  const { won, drawn } = table.outcome ? seriesWith(series, table) : series;
  const mine = mineOf(state);
  const name = (/** @type {number} */ at) => (isMe(state, at) ? t("youAsName") : seatName(table.seats, at, mine));
  const score = won.map((games, at) => `${name(at)} ${formatNumber(games)}`);
  return t("series", { score: [...score, ...(drawn ? [t("drawsCount", { n: drawn })] : [])].join(" · ") });
}
