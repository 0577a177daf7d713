// A table with an open seat: the host sends its link, a guest sits down.

import { labelled } from "./dialogs.js";
import { button, h, keep, patch } from "./dom.js";
import { gameName, isChosenName } from "./labels.js";
import { setPreferences, preferences } from "./preferences.js";
import { shareCard } from "./share.js";
import { phaseOf } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./api_types").Table} Table */

/** Whether somebody who looks at this table can sit down. @param {GameState} state */
export const isInvited = ({ table, tokens }) => phaseOf(table) === "waiting" && tokens.size === 0;

/** A title that says who invites, and to which game. @param {Table} table */
export function invitationTitle(table) {
  const host = table.seats.find(({ kind, name }) => kind === "human" && isChosenName(name));
  const game = gameName(table.variant);
  return host ? t("invites", { name: host.name, game }) : t("invited", { game });
}

/** @param {import("./game.js").GamePage} page */
export function makeInvitation(page) {
  const root = h("div", { class: "invite" });
  /** @type {HTMLElement | null} */
  let card = null;
  /** The guest's name and the button. @type {HTMLElement | null} */
  let row = null;
  const name = keep(nameField());
  /** Whether the host is asked for a name: once, if there is none. */
  const isAsking = !preferences().name;
  /** @param {GameState} state */
  const show = (state) => {
    if (isInvited(state)) {
      row ??= keep(
        h(
          "div",
          { class: "row" },
          name,
          button(t("sit"), () => void page.requests.sit(), "main"),
        ),
      );
      patch(root, row, h("p", { class: "hint" }, t("sitHint")));
    } else if (phaseOf(state.table) === "waiting") {
      card ??= keep(shareCard(location.origin + location.pathname, t("linkHint")));
      patch(root, card, isAsking ? name : null);
    } else patch(root);
  };
  return { root, show };
}

/** The name that the others see. */
function nameField() {
  const field = h("input", {
    type: "text",
    class: "name",
    value: preferences().name,
    maxlength: 64,
    autocomplete: "nickname",
    change: () => {
      setPreferences({ name: field.value.trim() });
      void import("./player.js").then(({ renamePlayer }) => renamePlayer(preferences().name)).catch(() => {});
    },
  });
  return labelled(t("yourNameOptional"), field);
}
