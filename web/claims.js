// The buttons for a player whose opponents are away: claim the win or a draw, or call the game off.

import { button, h } from "./dom.js";
import { hasEachSidePlayed, mineOf } from "./game_state.js";
import { tell } from "./labels.js";
import { namesOf } from "./offers.js";
import { otherPeople } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./game_requests.js").Requests} Requests */

/** The buttons when all others are away. @param {GameState} state @param {Requests} requests */
export function claimControls(state, requests) {
  const { table } = state;
  const mine = mineOf(state);
  const others = otherPeople(table, mine);
  const isDeserted = others.length > 0 && others.every((seat) => !table.seats[seat]?.present);
  // In a correspondence game everybody is away most of the time.
  if (!isDeserted || table.clock?.days || !hasEachSidePlayed(state)) return [];
  const limit = table.clock ? t("claimAfterMinute") : t("claimAfterMinutes");
  return [
    h(
      "div",
      { class: "offer", "data-key": "claim" },
      h("p", {}, `${tell("isAway", { n: others.length, names: namesOf(table, mine, others) })} ${limit}`),
      button(t("claimWin"), () => void requests.claim("win")),
      button(t("claimDraw"), () => void requests.claim("draw")),
    ),
  ];
}
