// Who sits where: a select box per seat.

import { api } from "./api.js";
import { freshId, h, replaceContents } from "./dom.js";
import { drawMark } from "./marks.js";
import { setPreferences, preferences } from "./preferences.js";
import { sideName } from "./places.js";
import { levelChoices } from "./robot_levels.js";
import { select } from "./dialogs.js";
import { t } from "./i18n.js";

/** @param {string} holder @returns {import("./api_types").SeatRequest} */
export function seatRequest(holder) {
  if (holder === "me") return { human: preferences().name };
  if (holder === "link" || holder === "lobby") return { open: holder };
  return { robot: holder };
}

/** The answers about which variants the perfect robot plays. @type {Map<string, boolean>} */
const perfectPlays = new Map();

export class SeatChooser {
  /** @param {number} sides @param {string[]} chosen @param {number} [first] who moves first */
  constructor(sides, chosen, first = 0) {
    this.chosen = chosen;
    this.first = first;
    this.isPerfect = false;
    this.root = h("div", { class: "seat-chooser" });
    this.setSides(sides);
  }

  /** @param {number} sides */
  setSides(sides) {
    this.sides = sides;
    while (this.chosen.length < sides) this.chosen.push(`level:${preferences().level}`);
    this.chosen.length = sides;
    this.render();
  }

  /** Offers only robots that can play this variant. @param {string} variant */
  async setVariant(variant) {
    this.variant = variant;
    if (!perfectPlays.has(variant)) {
      const robots = await api.strategies(variant).catch(() => []);
      perfectPlays.set(
        variant,
        robots.some(({ name }) => name === "perfect"),
      );
    }
    const isPerfect = perfectPlays.get(variant) ?? false;
    if (this.variant !== variant || this.isPerfect === isPerfect) return;
    this.isPerfect = isPerfect;
    if (!isPerfect) this.chosen = this.chosen.map((holder) => (holder === "perfect" ? "level:8" : holder));
    this.render();
  }

  /** The choices for a seat: value and label. @returns {[string, string][]} */
  holders() {
    return [
      ["me", t("me")],
      ["link", t("aFriend")],
      ["lobby", t("anybody")],
      ...levelChoices(),
      .../** @type {[string, string][]} */ (this.isPerfect ? [["perfect", t("computerPerfect")]] : []),
    ];
  }

  render() {
    // The eighth box sets all further seats.
    const shown = Math.min(this.sides ?? 2, 8);
    const rows = this.chosen.slice(0, shown).map((holder, seat) => {
      const field = select(this.holders(), holder, (value) => {
        this.chosen[seat] = value;
        if (seat === shown - 1) this.chosen.fill(value, shown);
        const level = /^level:(\d)$/.exec(value);
        if (level) setPreferences({ level: Number(level[1]) });
      });
      const id = freshId();
      field.id = id;
      const rest = seat === shown - 1 && this.chosen.length > shown ? `–${this.chosen.length}` : "";
      return h(
        "div",
        { class: "seat-row" },
        drawMark(seat, ""),
        h(
          "label",
          { for: id },
          `${sideName(seat)}${rest}`,
          seat === this.first ? h("small", {}, ` ${t("beginsFirst")}`) : null,
        ),
        field,
      );
    });
    const swap = () => {
      this.chosen.unshift(this.chosen.pop() ?? "me");
      this.render();
    };
    replaceContents(this.root, ...rows, h("button", { type: "button", class: "quiet", click: swap }, t("swap")));
  }

  seats() {
    return this.chosen.map(seatRequest);
  }

  take() {
    return this.chosen.flatMap((holder, seat) => (holder === "me" ? [seat] : []));
  }
}
