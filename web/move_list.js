// The list of turns, with the buttons and the slider that step through them.

import { h, patch, setAttribute } from "./dom.js";
import { shortPlace } from "./places.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").TurnView} TurnView */

/** Number of turns listed before and after the current one. The document does not contain all turns of a long game. */
const AROUND = 60;

/** @param {(turn: number | null) => void} onLook called with completed turns, null for the present */
export function makeMoveList(onLook) {
  const list = h("ol", { class: "moves" });
  const slider = h("input", { type: "range", min: 0, step: 1 });
  const buttons = {
    first: stepper("«", "end", () => go(0)),
    previous: stepper("‹", "", () => go(at - 1)),
    next: stepper("›", "", () => go(at + 1)),
    last: stepper("»", "end", () => go(total)),
  };
  const bar = h("div", { class: "steps" }, buttons.first, buttons.previous, slider, buttons.next, buttons.last);
  let at = 0;
  let total = 0;
  /** The turn that the list was last scrolled to. */
  let scrolledTo = "";
  /** @param {number} turn */
  const go = (turn) => {
    const to = Math.max(0, Math.min(total, turn));
    onLook(to === total ? null : to);
  };
  slider.addEventListener("input", () => go(Number(slider.value)));
  list.addEventListener("click", (event) => {
    const item = event.target instanceof Element ? event.target.closest("button") : null;
    if (item) go(Number(item.dataset.turn));
  });

  /** @param {Table} table @param {TurnView[]} turns @param {number | null} looked @param {Map<number, string>} [remarks] by turn */
  const show = (table, turns, looked, remarks) => {
    // The record is loaded after the table, so `turns` may be incomplete.
    total = Math.max(turns.length, table.turn - 1);
    at = looked ?? total;
    for (const name of /** @type {const} */ (["first", "previous", "next", "last"])) {
      setAttribute(buttons[name], "aria-label", t(name));
      setAttribute(buttons[name], "title", t(name));
    }
    for (const button of [buttons.first, buttons.previous]) setAttribute(button, "aria-disabled", at === 0 && "true");
    for (const button of [buttons.next, buttons.last]) setAttribute(button, "aria-disabled", at === total && "true");
    slider.max = String(total);
    slider.value = String(at);
    setAttribute(slider, "aria-label", t("moves"));
    setAttribute(slider, "aria-valuetext", t("position", { n: at, total }));
    slider.disabled = total === 0;
    const from = Math.max(0, Math.min(at - AROUND, total - 2 * AROUND));
    const shown = turns.slice(from, from + 2 * AROUND + 1);
    const items = shown.map((turn, offset) => item(table, turn, from + offset + 1, at, remarks));
    patch(list, total ? items : h("li", { class: "none" }, t("noMoves")));
    if (scrolledTo === `${at} ${items.length}`) return;
    scrolledTo = `${at} ${items.length}`;
    const current = list.querySelector("[aria-current]");
    list.scrollTop = current instanceof HTMLElement ? current.offsetTop - list.clientHeight / 2 : 0;
  };
  return { bar, list, show, go, step: (/** @type {number} */ by) => go(at + by), end: () => go(total) };
}

/** @param {string} sign @param {string} look @param {() => void} onClick */
const stepper = (sign, look, onClick) => h("button", { type: "button", class: `quiet ${look}`, click: onClick }, sign);

/** @param {Table} table @param {TurnView} turn @param {number} number @param {number} at @param {Map<number, string>} [remarks] */
function item(table, turn, number, at, remarks) {
  const remark = remarks?.get(number);
  return h(
    "li",
    { value: number },
    h(
      "button",
      {
        type: "button",
        "data-turn": number,
        class: `side-${turn.seat % 8}`,
        "data-remark": Boolean(remark),
        "aria-current": number === at && "step",
        title: remark ?? null,
      },
      says(table, turn),
      remark ? h("span", { class: "unseen" }, `, ${remark}`) : null,
    ),
  );
}

/** @param {Table} table @param {TurnView} turn */
function says(table, turn) {
  if (turn.kind === "play") return shortPlace(table.variant, turn.move);
  if (turn.kind === "resign") return t("moveResign");
  if (turn.kind === "takeback") return t("moveTakeback");
  return turn.count ? t("moveBack", { n: turn.count }) : t("movePass");
}
