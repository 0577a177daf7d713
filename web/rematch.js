// What the players of a finished game have said about playing again.

import { list, seatName } from "./labels.js";
import { otherPeople, seatsOffering } from "./table.js";
import { t } from "./i18n.js";

/**
 * @typedef {object} RematchState
 * @property {boolean} hasAsked this browser has asked for a rematch, and others have not answered
 * @property {boolean} isOffered another player has asked
 * @property {string} text the same as a sentence
 */

/** @param {import("./api_types").Table} table @param {Set<number>} mine @returns {RematchState} */
export function rematchStateOf(table, mine) {
  const asking = seatsOffering(table, "rematch");
  const others = otherPeople(table, mine);
  const names = (/** @type {number[]} */ seats) =>
    list(seats.flatMap((at) => (table.seats[at] ? [seatName(table.seats[at], at)] : [])));
  if (asking.some((seat) => mine.has(seat))) {
    const missing = others.filter((seat) => !asking.includes(seat));
    const away = missing.filter((seat) => !table.seats[seat]?.present);
    const text = away.length
      ? t("rematchAway", { n: away.length, names: names(away) })
      : t("rematchAsked", { names: names(missing) });
    return { hasAsked: missing.length > 0, isOffered: false, text: missing.length ? text : "" };
  }
  const offering = others.filter((seat) => asking.includes(seat));
  const text = offering.length ? t("wantsRematch", { n: offering.length, names: names(offering) }) : "";
  return { hasAsked: false, isOffered: offering.length > 0, text };
}
