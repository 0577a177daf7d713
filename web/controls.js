// The buttons of a game: take back, resign, rematch, new game.

import { h } from "./dom.js";
import { rematchStateOf } from "./rematch.js";
import { phaseOf } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game.js").GamePage} GamePage */

/**
 * The buttons for what can be done now.
 * @param {GamePage} page @returns {(HTMLElement | null)[]}
 */
export function controlsFor(page) {
  const { table } = page;
  if (page.asking === "rewind") return rewindControls(page);
  if (page.at !== null) {
    return [button(t("toNow"), () => void page.look(null), "main"), button(t("playOn"), () => void page.playOn())];
  }
  if (table.outcome) return controlsAfterGame(page);
  const newGame = button(t("newGame"), () => void page.context.leaveTo(page.newGamePath()));
  if (!page.tokens.size) {
    const isForPeople = table.seats.some((seat) => seat.kind === "human");
    return phaseOf(table) === "playing" && isForPeople ? [h("p", { class: "hint" }, t("seatsTaken"))] : [];
  }
  if (phaseOf(table) === "waiting") return [newGame];
  const canRewind = page.isMyTurn() && table.rewind !== null;
  return [
    table.history > 0 ? button(t("rewind"), () => page.ask("rewind"), "", !canRewind) : null,
    button(t("resign"), () => void page.resign(), "quiet resign"),
  ];
}

/** @param {GamePage} page */
function controlsAfterGame(page) {
  const { table } = page;
  const newGame = button(t("newGame"), () => page.context.go(page.newGamePath()));
  if (table.rematch) return [button(t("rematchGo"), () => void page.goToRematch(), "main"), newGame];
  if (!page.tokens.size) return [newGame];
  const { hasAsked, isOffered, text } = rematchStateOf(table, page.mine);
  const verb = t(isOffered ? "rematchAccept" : "rematch");
  return [
    text ? h("p", {}, text) : null,
    hasAsked ? null : button(verb, () => void page.askForRematch(), "main", page.isAskingForRematch),
    newGame,
  ];
}

/** @param {GamePage} page */
function rewindControls(page) {
  const most = page.table.rewind ?? 0;
  const least = page.table.boards ? 1 : 0;
  const step = (/** @type {number} */ by) => () => {
    page.taking = Math.max(least, Math.min(most, page.taking + by));
    page.render();
  };
  const name = page.taking ? t("rewindDo", { n: page.taking }) : t("passDo");
  return [
    h(
      "div",
      { class: "stepper", role: "group", "aria-label": t("rewindHow") },
      button("−", step(-1), "quiet", page.taking <= least),
      h("output", {}, String(page.taking)),
      button("+", step(1), "quiet", page.taking >= most),
    ),
    button(
      name,
      () => {
        const { turn, toMove } = page.table;
        page.asking = "";
        void page.send(toMove ?? 0, { turn, rewind: page.taking });
        page.render();
      },
      "main",
    ),
    button(t("cancel"), () => page.ask("")),
  ];
}

/** @param {string} name @param {() => void} onClick @param {string} [look] @param {boolean} [isOff] */
export function button(name, onClick, look = "", isOff = false) {
  // Not `disabled`: that would take the focus away from a button that was just pressed.
  return h(
    "button",
    { type: "button", class: look, click: isOff ? null : onClick, "aria-disabled": isOff && "true" },
    name,
  );
}
