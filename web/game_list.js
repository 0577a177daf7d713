// Rows of games in lists: a picture of the position, the players, the result.

import { clockName, clockSettings } from "./clock.js";
import { h } from "./dom.js";
import { gameName, nameOf, seatName, tell } from "./labels.js";
import { player } from "./player.js";
import { seatTokens } from "./seat_tokens.js";
import { winners } from "./table.js";
import { parseVariant } from "./variant.js";
import { formatTime, t } from "./i18n.js";

/** @typedef {import("./api_types").GameListing} GameListing */

/** The seats of this browser and of its player. @param {GameListing} game */
export function mySeats({ id, seats }) {
  const own = player()?.id;
  const mine = new Set(seatTokens(id).keys());
  seats.forEach((seat, at) => seat.player !== undefined && seat.player === own && mine.add(at));
  return mine;
}

/** One row of a list of games. @param {GameListing} game @param {string} verb @param {{ action?: HTMLElement | null, seat?: number, entry?: number | null }} [more] a button beside it; the player's seat; the entry that the picture shows */
export function gameRow(game, verb, { action, seat, entry = game.entry } = {}) {
  const variant = parseVariant(game.variant);
  const mine = seat === undefined ? mySeats(game) : new Set([seat]);
  const names = game.seats.slice(0, 4).map((one, at) => {
    const isMe = mine.size === 1 && mine.has(at);
    const name = isMe ? t("youAsName") : seatName(game.seats, at, mine);
    const isAway = !game.outcome && !isMe && one.kind === "human" && !one.present;
    if (isAway) return h("span", { class: "absent" }, `${name} (${t("away")})`);
    return winners(game.outcome).includes(at) ? h("b", {}, name) : name;
  });
  const people = names.flatMap((name, at) => (at ? [" – ", name] : [name]));
  if (game.seats.length > 4) people.push(" …");
  const when = game.ended_ms ?? game.created_ms;
  return h(
    "li",
    { "data-key": game.id },
    h(
      "a",
      { class: "table-row", href: `/game/${game.id}` },
      h("img", {
        class: "thumbnail",
        // A new address for every position: the browser shows the new picture when it has arrived.
        src: `/game/${game.id}/board.svg${entry == null ? "" : `?entry=${entry}`}`,
        alt: "",
        loading: "lazy",
        width: 56,
        height: 56,
      }),
      h(
        "span",
        { class: "what" },
        h("span", { class: "people" }, ...people),
        h(
          "small",
          {},
          mine.size && seat === undefined ? h("span", { class: "mine" }, t("mine")) : null,
          `${variant ? gameName(variant) : game.variant} · `,
          game.clock ? `${clockName(clockSettings(game.clock))} · ` : null,
          h("time", { datetime: new Date(when).toISOString() }, formatTime(when)),
          resultOf(game, mine),
          game.spectators && !game.outcome ? ` · ${t("spectators", { n: game.spectators })}` : null,
        ),
      ),
      h("span", { class: "verb", "aria-hidden": "true" }, verb),
    ),
    action,
  );
}

/** @param {GameListing} game @param {Set<number>} mine */
function resultOf({ outcome, seats }, mine) {
  if (!outcome) return "";
  if (outcome.kind === "draw") return ` · ${t("draw")}`;
  if (outcome.kind === "aborted" || outcome.kind === "abandoned") return ` · ${t("noResult")}`;
  const [winner] = outcome.sides;
  if (mine.size === 1) return ` · ${t(outcome.sides.some((side) => mine.has(side)) ? "youWin" : "youLose")}`;
  return winner === undefined ? "" : ` · ${tell("wins", { name: nameOf(seats, winner, mine) })}`;
}
