// The lobby: tables with an open seat, and games in progress.

import { api } from "./api.js";
import { h, replaceContents } from "./dom.js";
import { preferences } from "./preferences.js";
import { variantIcon } from "./variant_icon.js";
import { gameName, seatName } from "./labels.js";
import { parseVariant } from "./variant.js";
import { formatTime, t } from "./i18n.js";

/** @typedef {import("./api_types").GameListing} GameListing */
/** @typedef {import("./app.js").Context} Context */

const EVERY_MS = 4000;

/** @param {Context} context */
export async function show(context) {
  const page = new WatchPage(context);
  await page.load();
  return page;
}

class WatchPage {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.drawn = "";
    this.isLeft = false;
    this.isBusy = false;
    this.note = h("p", { class: "note", role: "alert" });
    this.waiting = h("ul", { class: "tables" });
    this.playing = h("ul", { class: "tables" });
    this.root = h(
      "div",
      { class: "lists" },
      h("h1", {}, t("watch")),
      h(
        "section",
        {},
        h("h2", {}, t("waitingTables")),
        this.waiting,
        h("p", {}, h("button", { type: "button", class: "main", click: () => void this.open() }, t("openTable"))),
        this.note,
      ),
      h("section", {}, h("h2", {}, t("livePlay")), this.playing),
    );
    this.onSight = () => document.visibilityState === "visible" && void this.tick();
  }

  begin() {
    this.context.setTitle(`${t("watch")} · ${t("title")}`);
    document.addEventListener("visibilitychange", this.onSight);
    this.timer = setInterval(() => void this.tick(), EVERY_MS);
  }

  leave() {
    this.isLeft = true;
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.onSight);
  }

  async tick() {
    if (document.visibilityState !== "visible") return;
    try {
      await this.load();
    } catch {
      // The next poll may reach the server.
    }
  }

  async load() {
    const [waiting, playing] = await Promise.all([
      api.list({ status: "waiting", limit: "50" }),
      api.list({ status: "playing", limit: "100" }),
    ]);
    const text = JSON.stringify([waiting, playing]);
    // Renders only if something changed.
    if (text === this.drawn) return;
    this.drawn = text;
    fill(this.waiting, waiting.games, t("noWaiting"), t("sitDown"));
    fill(this.playing, playing.games, t("noLive"), t("look"));
  }

  async open() {
    if (this.isBusy) return;
    this.isBusy = true;
    const { createTable } = await import("./new_game.js");
    const table = {
      variant: "3x3k3",
      seats: [{ human: preferences().name }, { open: /** @type {const} */ ("lobby") }],
      take: [0],
    };
    await createTable(this.context, table, this.note, () => this.isLeft);
    this.isBusy = false;
  }
}

/** @param {HTMLElement} list @param {GameListing[]} games @param {string} none @param {string} verb */
function fill(list, games, none, verb) {
  replaceContents(list, games.length ? games.map((game) => row(game, verb)) : h("li", { class: "none" }, none));
}

/** One row of a list of games. @param {GameListing} game @param {string} verb */
export function row(game, verb) {
  const variant = parseVariant(game.variant);
  const names = game.seats.slice(0, 4).map((seat, at) => {
    const name = seatName(seat, at);
    return game.outcome?.won?.includes(at) ? h("b", {}, name) : name;
  });
  const people = names.flatMap((name, at) => (at ? [" – ", name] : [name]));
  if (game.seats.length > 4) people.push(" …");
  return h(
    "li",
    {},
    h(
      "a",
      { class: "table-row", href: `/game/${game.id}` },
      variant ? variantIcon(variant) : null,
      h(
        "span",
        { class: "what" },
        h("span", { class: "people" }, ...people),
        h(
          "small",
          {},
          `${variant ? gameName(variant) : game.variant} · `,
          h("time", { datetime: new Date(game.created_ms).toISOString() }, formatTime(game.created_ms)),
          game.outcome?.draw ? ` · ${t("draw")}` : "",
        ),
      ),
      h("span", { class: "verb", "aria-hidden": "true" }, verb),
    ),
  );
}
