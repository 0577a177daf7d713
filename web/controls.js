// The buttons of a game: everything that the player can do now.

import { claimControls } from "./claims.js";
import { button, h } from "./dom.js";
import { hasEachSidePlayed, isMyTurn, isWithPeople, mineOf } from "./game_state.js";
import { offerState, openOffers } from "./offers.js";
import { rewindControls } from "./rewind.js";
import { phaseOf, seatsOffering } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./game_requests.js").Requests} Requests */

/** @param {GameState} state @param {Requests} requests @returns {(HTMLElement | null)[]} */
export function controlsFor(state, requests) {
  const { table } = state;
  if (state.asking === "rewind") return rewindControls(state, requests);
  if (state.at !== null) {
    return [button(t("toNow"), () => requests.look(null), "main"), button(t("playOn"), () => requests.playOn())];
  }
  if (table.outcome) return controlsAfterGame(state, requests);
  if (!state.tokens.size) {
    const isForPeople = table.seats.some((seat) => seat.kind === "human");
    return phaseOf(table) === "playing" && isForPeople ? [h("p", { class: "hint" }, t("seatsTaken"))] : [];
  }
  const callOff = button(t("callOff"), () => void requests.abort(), "quiet resign");
  if (phaseOf(table) === "waiting") return [callOff];
  return [
    firstMoveHint(state),
    ...confirmation(state, requests),
    ...openOffers(state, requests),
    ...claimControls(state, requests),
    ...takingBack(state, requests),
    drawButton(state, requests),
    isWithPeople(state) && !hasEachSidePlayed(state)
      ? callOff
      : button(t("resign"), () => void requests.resign(), "quiet resign"),
  ];
}

/** The button that plays the chosen cell. On a small screen the first tap only chooses a cell. @param {GameState} state @param {Requests} requests */
function confirmation({ aimed }, requests) {
  if (aimed === null) return [];
  return [button(t("playHere"), () => requests.confirmAim(), "main confirm")];
}

/** A hint that the first move of a side must come soon, although its clock does not run yet. @param {GameState} state */
function firstMoveHint(state) {
  const { clock } = state.table;
  const isFirst = clock && !clock.days && clock.running === null && isMyTurn(state);
  return isFirst ? h("p", { class: "hint" }, t("firstMoveLimit", { n: 30 })) : null;
}

/** @param {GameState} state @param {Requests} requests */
function takingBack(state, requests) {
  const { table } = state;
  const mine = mineOf(state);
  const hasPlayed = state.turns.some((turn) => turn.kind === "play" && mine.has(turn.seat));
  const isOpen = seatsOffering(table, "takeback").length > 0;
  const word = isWithPeople(state) ? "askTakeback" : "undo";
  return [
    isOpen ? null : button(t(word), () => void requests.takeBack(), "", !hasPlayed || table.turn < 2),
    table.history > 0
      ? button(t("rewind"), () => requests.ask("rewind"), "", !isMyTurn(state) || table.rewind === null)
      : null,
  ];
}

/** @param {GameState} state @param {Requests} requests */
function drawButton(state, requests) {
  // The server accepts a draw offer of a seat only after its first turn.
  const isPossible = isWithPeople(state) && hasEachSidePlayed(state) && !seatsOffering(state.table, "draw").length;
  return isPossible ? button(t("offerDraw"), () => void requests.offerDraw()) : null;
}

/** @param {GameState} state @param {Requests} requests */
function controlsAfterGame(state, requests) {
  const { table } = state;
  const newGame = button(t("newGame"), () => void requests.newGame());
  if (table.rematch) return [button(t("rematchGo"), () => void requests.goToRematch(), "main"), newGame];
  if (!state.tokens.size) return [newGame];
  const { hasAsked, isOffered, text } = offerState(table, mineOf(state), "rematch");
  const verb = t(isOffered ? "accept" : "rematch");
  return [
    text ? h("p", {}, text) : null,
    hasAsked ? null : button(verb, () => void requests.askForRematch(), "main", state.isAskingForRematch),
    isOffered ? button(t("decline"), () => void requests.answer("rematch", "decline")) : null,
    newGame,
  ];
}
