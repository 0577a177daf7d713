// The controls that choose how many marks a rewind takes back, with the cost of the rewind.

import { button, h } from "./dom.js";
import { t } from "./i18n.js";

/** @param {import("./game_state.js").GameState} state @param {import("./game_requests.js").Requests} requests */
export function rewindControls({ table, taking }, requests) {
  const most = table.rewind ?? 0;
  const least = table.boards ? 1 : 0;
  const step = (/** @type {number} */ by) => () => requests.setTaking(Math.max(least, Math.min(most, taking + by)));
  return [
    h("p", { class: "hint" }, t("rewindCost")),
    h(
      "div",
      { class: "stepper", role: "group", "aria-label": t("rewindHow") },
      button("−", step(-1), "quiet", taking <= least),
      h("output", {}, String(taking)),
      button("+", step(1), "quiet", taking >= most),
    ),
    button(taking ? t("rewindDo", { n: taking }) : t("passDo"), () => void requests.rewind(), "main"),
    button(t("cancel"), () => requests.ask("")),
  ];
}
