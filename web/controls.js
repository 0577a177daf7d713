// The buttons of a game: take back, resign, rematch.

import { h } from "./dom.js";
import { phaseOf } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game.js").GamePage} GamePage */

/**
 * The buttons for what can be done now.
 * @param {GamePage} page @returns {(HTMLElement | null)[]}
 */
export function controlsFor(page) {
  const { table } = page;
  if (page.asking === "resign") {
    return [
      h("p", {}, t("resignSure")),
      button(
        t("resign"),
        () => {
          page.asking = "";
          const isUp = table.toMove !== null && page.mine.has(table.toMove);
          void page.send(isUp ? (table.toMove ?? 0) : ([...page.mine][0] ?? 0), { turn: table.turn, resign: true });
          page.render();
        },
        "main bad",
      ),
      button(t("cancel"), () => page.ask("")),
    ];
  }
  if (page.asking === "rewind") return rewindControls(page);
  if (page.at !== null) {
    return [button(t("toNow"), () => void page.look(null), "main"), button(t("playOn"), () => void page.playOn())];
  }
  if (table.outcome) {
    const again =
      table.rematch && !page.tokens.size
        ? button(t("rematchGo"), () => page.context.go(`/game/${table.rematch}`), "main")
        : table.rematch
          ? button(t("rematchGo"), () => void page.goToRematch(), "main")
          : page.tokens.size
            ? button(t("rematch"), () => void page.askForRematch(), "main", page.hasAskedForRematch)
            : null;
    return [
      again,
      page.hasAskedForRematch && !table.rematch ? h("p", {}, t("rematchAsked")) : null,
      button(t("newGame"), () => page.context.go("/")),
    ];
  }
  const canRewind = table.history > 0;
  return [
    canRewind ? button(t("rewind"), () => page.ask("rewind"), "", !(page.isMyTurn() && table.rewind !== null)) : null,
    page.tokens.size && phaseOf(table) === "playing" ? button(t("resign"), () => page.ask("resign")) : null,
    page.tokens.size && phaseOf(table) === "waiting" ? button(t("newGame"), () => page.context.go("/")) : null,
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
