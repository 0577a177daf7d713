// Every turn in a list, and the keys and the slider that go through them.

import { h, mark, refill, say } from "./dom.js";
import { placeName } from "./place.js";
import { t } from "./words.js";

/** @typedef {import("./shapes").Table} Table */
/** @typedef {import("./shapes").Last} Last */

/** A list shows so many turns around the one that is looked at; a long game is not all in the document. */
const AROUND = 60;

/** @param {(turn: number | null) => void} onLook called with completed turns, null for the present */
export function makeMoves(onLook) {
  const list = h("ol", { class: "moves" });
  const slider = h("input", { type: "range", min: 0, step: 1 });
  const buttons = {
    first: stepper("«", () => go(0)),
    previous: stepper("‹", () => go(at - 1)),
    next: stepper("›", () => go(at + 1)),
    last: stepper("»", () => go(total)),
  };
  const bar = h("div", { class: "steps" }, buttons.first, buttons.previous, slider, buttons.next, buttons.last);
  const title = h("h2", {});
  const root = h("section", { class: "history" }, title, bar, list);
  let at = 0;
  let total = 0;
  let drawn = "";
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

  /** @param {Table} table @param {Last[]} turns @param {number | null} looked @param {Map<number, string>} [remarks] by turn */
  const show = (table, turns, looked, remarks) => {
    total = turns.length;
    at = looked ?? total;
    say(title, t("moves"));
    for (const name of /** @type {const} */ (["first", "previous", "next", "last"])) {
      mark(buttons[name], "aria-label", t(name));
      mark(buttons[name], "title", t(name));
    }
    buttons.first.disabled = buttons.previous.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === total;
    slider.max = String(total);
    slider.value = String(at);
    mark(slider, "aria-label", t("moves"));
    mark(slider, "aria-valuetext", t("position", { n: at, total }));
    slider.disabled = total === 0;
    const key = `${total} ${at} ${document.documentElement.lang} ${remarks?.size ?? 0} ${table.id}`;
    if (key === drawn) return;
    drawn = key;
    if (total === 0) {
      refill(list, h("li", { class: "none" }, t("noMoves")));
      return;
    }
    const from = Math.max(0, Math.min(at - AROUND, total - 2 * AROUND));
    const shown = turns.slice(from, from + 2 * AROUND + 1);
    refill(
      list,
      shown.map((turn, offset) => {
        const number = from + offset + 1;
        const remark = remarks?.get(number);
        return h(
          "li",
          { value: number },
          h(
            "button",
            {
              type: "button",
              "data-turn": number,
              class: `side-${turn.by % 8}`,
              "aria-current": number === at ? "step" : null,
              "data-remark": Boolean(remark),
              title: remark ?? null,
            },
            says(table, turn),
            remark ? h("span", { class: "unseen" }, `, ${remark}`) : null,
          ),
        );
      }),
    );
    const current = list.querySelector("[aria-current]");
    if (current instanceof HTMLElement) list.scrollTop = current.offsetTop - list.clientHeight / 2;
  };
  return { root, list, show, go, step: (/** @type {number} */ by) => go(at + by), end: () => go(total) };
}

/** @param {string} sign @param {() => void} onClick */
const stepper = (sign, onClick) => h("button", { type: "button", class: "quiet", click: onClick }, sign);

/** @param {Table} table @param {Last} turn */
function says(table, turn) {
  if (turn.play !== undefined) {
    const isSmall = table.variant.columns === 3 && table.variant.rows === 3;
    return isSmall ? placeName(table.variant, turn.play) : turn.play;
  }
  if (turn.resign) return t("moveResign");
  return turn.rewind ? t("moveBack", { n: turn.rewind }) : t("movePass");
}
