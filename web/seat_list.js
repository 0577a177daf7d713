// The list of seats: mark, name, presence, turn, points.

import { h, replaceContents } from "./dom.js";
import { makeClock } from "./clock.js";
import { drawMark } from "./marks.js";
import { seatName, shortName, sideName } from "./labels.js";
import { phaseOf, nextSeat, seatsOffering, winners } from "./table.js";
import { formatNumber, t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/** @param {(seat: number) => void} onSit */
export function makeSeatList(onSit) {
  const root = h("ul", { class: "seats", "aria-label": t("seats") });
  let drawn = "";
  /** @type {ReturnType<typeof makeClock>[]} */
  let clocks = [];
  /** @param {Table} table */
  const showClocks = (table) => {
    for (const clock of clocks) clock.show(table);
  };
  /** @param {Table} table @param {Set<number>} mine */
  const show = (table, mine) => {
    const { seats, score, outcome } = table;
    const won = winners(outcome);
    const offers = seatsOffering(table, "rematch");
    const toMove = phaseOf(table) === "playing" ? nextSeat(table) : null;
    const hasClock = table.clock !== null;
    const key = JSON.stringify([
      seats,
      toMove,
      score,
      outcome,
      offers,
      hasClock,
      [...mine],
      document.documentElement.lang,
    ]);
    if (key === drawn) return showClocks(table);
    drawn = key;
    root.setAttribute("aria-label", t("seats"));
    clocks = hasClock ? seats.map((_, at) => makeClock(at)) : [];
    replaceContents(
      root,
      seats.map((seat, at) => {
        const isMine = mine.has(at);
        const isMe = isMine && mine.size === 1;
        const canSit = seat.kind === "open" && !outcome && mine.size === 0;
        const says = [
          isMe && seat.name ? t("you") : "",
          seat.kind === "human" && !isMine && !outcome ? t(seat.present ? "here" : "away") : "",
          toMove === at && !outcome ? t("toMove") : "",
          won.includes(at) ? t("won") : "",
          // The players read it above their buttons.
          offers.includes(at) && mine.size === 0 ? t("asksForRematch") : "",
        ].filter(Boolean);
        return h(
          "li",
          {
            class: "seat",
            "data-turn": toMove === at && !outcome,
            "data-away": seat.kind === "human" && !seat.present && !isMine,
            "data-won": won.includes(at),
          },
          drawMark(at, seat.symbol),
          h(
            "span",
            { class: "who" },
            h(
              "span",
              { class: "name" },
              h("span", { class: "unseen" }, `${sideName(at, seat.symbol)}: `),
              // Short names where there are many seats.
              seats.length > 2 ? shortName(seat, at, isMe) : seatName(seat, at, isMe),
            ),
            h("span", { class: "says" }, says.join(" · ")),
          ),
          score && at < 2
            ? h(
                "span",
                { class: "points", title: t("score") },
                h("span", { class: "unseen" }, `${t("score")}: `),
                formatNumber(score[at] ?? 0),
              )
            : null,
          clocks[at]?.root,
          canSit ? h("button", { type: "button", class: "main", click: () => onSit(at) }, t("sit")) : null,
        );
      }),
    );
    showClocks(table);
  };
  return { root, show, showClocks };
}
