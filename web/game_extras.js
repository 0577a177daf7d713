// Controls of a game besides playing: level, analysis, sharing, record.

import { button, h } from "./dom.js";
import { isWithPeople } from "./game_state.js";
import { select } from "./dialogs.js";
import { levelName } from "./robot_levels.js";
import { t } from "./i18n.js";

/** @param {import("./game.js").GamePage} page */
export function gameExtras(page) {
  const { state } = page;
  const { table, analysis, at } = state;
  const isOver = Boolean(table.outcome);
  const hasTurns = table.turn > 1;
  return [
    levelField(page),
    h(
      "div",
      { class: "row" },
      isOver && !analysis && hasTurns ? button(t("analyse"), () => void page.openAnalysis()) : null,
      isOver && at === null && hasTurns ? button(t("playOn"), () => page.requests.playOn()) : null,
      button(t("shareWatch"), () => void page.share(), "quiet"),
      hasTurns
        ? h(
            "a",
            {
              class: "button quiet",
              href: `/api/games/${table.id}/record`,
              download: `noughts-${table.variant.name}.txt`,
            },
            t("exportText"),
          )
        : null,
    ),
    analysis?.root,
  ];
}

/** The level of the robots, in a game against robots alone. @param {import("./game.js").GamePage} page */
function levelField({ state, requests }) {
  const { table } = state;
  const robots = table.seats.filter(({ kind }) => kind === "robot");
  const level = /^level:([1-8])$/.exec(robots[0]?.name ?? "")?.[1];
  const isSame = robots.every(({ name }) => name === robots[0]?.name);
  if (!level || !isSame || !state.tokens.size || isWithPeople(state) || state.at !== null) return null;
  const levels = Array.from({ length: 8 }, (_, at) => String(at + 1));
  const field = select(
    levels.map((name) => [name, levelName(Number(name))]),
    level,
    (chosen) => void requests.setLevel(Number(chosen)),
  );
  field.id = "table-level";
  return h("div", { class: "field-row inline" }, h("label", { for: "table-level" }, t("level")), field);
}
