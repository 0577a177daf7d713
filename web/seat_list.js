// The list of seats: mark, name, presence, turn, points.

import { h, replaceContents } from "./dom.js";
import { drawMark } from "./marks.js";
import { seatName, shortName, sideName } from "./labels.js";
import { phaseOf, nextSeat } from "./table.js";
import { formatNumber, t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/** @param {(seat: number) => void} onSit */
export function makeSeatList(onSit) {
  const root = h("ul", { class: "seats", "aria-label": t("seats") });
  let drawn = "";
  /** @param {Table} table @param {Set<number>} mine */
  const show = (table, mine) => {
    const { seats, score, outcome } = table;
    const toMove = phaseOf(table) === "playing" ? nextSeat(table) : null;
    const key = JSON.stringify([seats, toMove, score, outcome, [...mine], document.documentElement.lang]);
    if (key === drawn) return;
    drawn = key;
    root.setAttribute("aria-label", t("seats"));
    replaceContents(
      root,
      seats.map((seat, at) => {
        const isMine = mine.has(at);
        const canSit = seat.kind === "open" && !outcome && mine.size === 0;
        const says = [
          isMine && mine.size === 1 ? t("you") : "",
          seat.kind === "human" && !isMine && !outcome ? t(seat.present ? "here" : "away") : "",
          toMove === at && !outcome ? t("toMove") : "",
          outcome?.won?.includes(at) ? t("won") : "",
        ].filter(Boolean);
        return h(
          "li",
          {
            class: "seat",
            "data-turn": toMove === at && !outcome,
            "data-away": seat.kind === "human" && !seat.present && !isMine,
            "data-won": Boolean(outcome?.won?.includes(at)),
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
              seats.length > 2 ? shortName(seat, at) : seatName(seat, at),
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
          canSit ? h("button", { type: "button", class: "main", click: () => onSit(at) }, t("sit")) : null,
        );
      }),
    );
  };
  return { root, show };
}
