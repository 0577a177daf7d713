// Offers between people: a draw, a takeback, another game. Shows each unanswered offer as a sentence with buttons.

import { button, h } from "./dom.js";
import { mineOf } from "./game_state.js";
import { nameOf, tell } from "./labels.js";
import { otherPeople, seatsOffering } from "./table.js";
import { formatList, t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./game_requests.js").Requests} Requests */
/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").OfferView["kind"]} Kind */

/** The sentence for an offer of another player. */
const OFFERED = /** @type {const} */ ({ draw: "offersDraw", takeback: "offersTakeback", rematch: "wantsRematch" });
/** The sentence for an offer of this browser. */
const WAITING = /** @type {const} */ ({ draw: "drawOffered", takeback: "takebackAsked", rematch: "rematchAsked" });

/** The names of seats as a list. @param {Table} table @param {Set<number>} mine @param {number[]} seats */
export const namesOf = (table, mine, seats) => formatList(seats.map((at) => nameOf(table.seats, at, mine)));

/** The offer of others as a sentence. @param {Table} table @param {Set<number>} mine @param {Kind} kind @param {number[]} seats */
export const describeOffer = (table, mine, kind, seats) =>
  tell(OFFERED[kind], { n: seats.length, names: namesOf(table, mine, seats) });

/**
 * @typedef {object} OfferState
 * @property {boolean} hasAsked this browser has offered it, and others have not answered
 * @property {boolean} isOffered another player has offered it
 * @property {string} text the state as a sentence
 */

/** Who has offered something, and who has not answered. @param {Table} table @param {Set<number>} mine @param {Kind} kind @returns {OfferState} */
export function offerState(table, mine, kind) {
  const asking = seatsOffering(table, kind);
  const others = otherPeople(table, mine);
  if (asking.some((seat) => mine.has(seat))) {
    const missing = others.filter((seat) => !asking.includes(seat));
    const away = missing.filter((seat) => !table.seats[seat]?.present);
    const text =
      kind === "rematch" && away.length
        ? tell("rematchAway", { n: away.length, names: namesOf(table, mine, away) })
        : tell(WAITING[kind], { names: namesOf(table, mine, missing) });
    return { hasAsked: missing.length > 0, isOffered: false, text: missing.length ? text : "" };
  }
  const offering = others.filter((seat) => asking.includes(seat));
  return {
    hasAsked: false,
    isOffered: offering.length > 0,
    text: offering.length ? describeOffer(table, mine, kind, offering) : "",
  };
}

/** The offers that wait for an answer during a game. @param {GameState} state @param {Requests} requests */
export function openOffers(state, requests) {
  return /** @type {const} */ (["draw", "takeback"]).flatMap((kind) => {
    const { hasAsked, isOffered, text } = offerState(state.table, mineOf(state), kind);
    if (!hasAsked && !isOffered) return [];
    const answer = (/** @type {"accept" | "decline"} */ verb) => () => void requests.answer(kind, verb);
    return [
      h(
        "div",
        { class: "offer", "data-key": kind },
        h("p", {}, text),
        isOffered ? button(t("accept"), answer("accept"), "main") : null,
        button(t(isOffered ? "decline" : "withdraw"), answer("decline")),
      ),
    ];
  });
}
