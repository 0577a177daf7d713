// The running games of the player, on the start page and on the page of the player.

import { h, patch } from "./dom.js";
import { gameRow } from "./game_list.js";
import { isWaitingForMe, myGames } from "./my_events.js";
import { t } from "./i18n.js";

/** Number of games on the start page. */
const FEW = 3;

/** One row per game. Games that wait for the player come first. @param {import("./api_types").MyGame[]} games */
export const runningRows = (games) =>
  games.map((game) => {
    const isMine = isWaitingForMe(game);
    const row = gameRow(game, t(isMine ? "yourTurnShort" : "goOn"), { seat: game.seat });
    if (isMine) row.classList.add("my-turn");
    return row;
  });

/** Fills a section of the start page with the newest running games; hides it if there are none. @param {HTMLElement} section */
export function showFew(section) {
  const games = myGames() ?? [];
  section.hidden = games.length === 0;
  patch(
    section,
    h("h2", {}, h("a", { href: "/me" }, t("myGames"))),
    h("ul", { class: "tables" }, runningRows(games.slice(0, FEW))),
  );
}
