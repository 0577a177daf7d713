// Announces the events of a table: to screen readers, with sounds, and with notifications while the tab is hidden.

import { mineOf } from "./game_state.js";
import { describeTurn, nameOf, statusOf, tell } from "./labels.js";
import { ninth } from "./places.js";
import { notify } from "./notifications.js";
import { describeOffer } from "./offers.js";
import { sound } from "./sound.js";
import { moveOfTurn, phaseOf, winners } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./game.js").GamePage} GamePage */

/** Announces that somebody took a seat, that the game has begun, or that it ended without a turn. @param {GamePage} page @param {Table} before */
export function announceSeats(page, before) {
  // The news of a seat that this browser is taking may come before the answer, which says that the seat is its own.
  if (page.requests.isTakingSeat) return;
  const { table } = page.state;
  const mine = mineOf(page.state);
  const seated = table.seats.flatMap((seat, at) =>
    before.seats[at]?.kind === "open" && seat.kind !== "open" && !mine.has(at) ? [nameOf(table.seats, at, mine)] : [],
  );
  const hasChanged = phaseOf(before) !== phaseOf(table);
  if (!seated.length && !hasChanged) return;
  page.clearNote();
  const said = [...seated.map((name) => tell("satDown", { name })), statusOf(table, mine)].join(" ");
  page.context.announce(said);
  if (!mine.size) return;
  if (table.outcome) sound(endingOf(table, mine));
  else if (seated.length) sound("joined");
  void notify(said);
}

/** Announces new offers of other players. @param {GamePage} page @param {Table} before */
export function announceOffers(page, before) {
  const { table } = page.state;
  const mine = mineOf(page.state);
  if (!mine.size) return;
  const isNew = (/** @type {import("./api_types").OfferView} */ { seat, entry }) =>
    !mine.has(seat) && !before.offers.some((known) => known.entry === entry);
  for (const { kind, seat } of table.offers.filter(isNew)) {
    const said = describeOffer(table, mine, kind, [seat]);
    page.context.announce(said);
    sound("joined");
    void notify(said);
  }
  const wasDeclined = before.offers.some(
    ({ kind, seat }) => mine.has(seat) && !table.offers.some((offer) => offer.kind === kind && offer.seat === seat),
  );
  // An accepted offer ends the game, is a turn, or leads to the rematch.
  const isAccepted = table.turn !== before.turn || Boolean(table.outcome) !== Boolean(before.outcome) || table.rematch;
  if (wasDeclined && !isAccepted) page.showNote(t("offerGone"));
}

/** The last turn of another player, and what is next. @param {import("./game_state.js").GameState} state */
export function describeNow(state) {
  const { table } = state;
  const mine = mineOf(state);
  const said = [];
  if (table.last && !(mine.size === 1 && mine.has(table.last.seat) && table.last.kind === "play")) {
    said.push(describeTurn(table, table.last, mine));
  }
  said.push(statusOf(table, mine));
  const isUp = table.toMove !== null && mine.has(table.toMove);
  if (table.boards && isUp) {
    said.push(table.active === null ? t("nowAny") : t("nowActive", { board: ninth(table.active) }));
  }
  return said.join(" ");
}

/** Announces a completed turn and plays its sound. @param {GamePage} page @param {Table} before */
export function announceTurn(page, before) {
  const { table, note, at } = page.state;
  const mine = mineOf(page.state);
  const said = describeNow(page.state);
  const isUp = table.toMove !== null && mine.has(table.toMove);
  page.context.announce(said);
  if (isUp || table.outcome) void notify(said);
  // The message "connection is back" stays for its full time.
  if (note.mood !== "good") page.clearNote();
  const isOwn = before.pending !== null && moveOfTurn(table.last) === before.pending;
  if (table.outcome) sound(endingOf(table, mine));
  else if (!isOwn) sound(isUp ? "turn" : "mark");
  // After the player's own move the board does not scroll.
  const isMine = table.last !== null && mine.has(table.last.seat);
  if (at === null && !isMine) requestAnimationFrame(() => page.board.revealLast());
}

/** How the game ended for this browser. @param {Table} table @param {Set<number>} mine @returns {"won" | "lost" | "drawn"} */
export function endingOf({ outcome }, mine) {
  const won = winners(outcome);
  if (!won.length) return "drawn";
  return mine.size === 0 || won.some((side) => mine.has(side)) ? "won" : "lost";
}
