// The lobby: tables with an open seat, and games in progress.

import { Refusal, api } from "./api.js";
import { h, replaceContents, setText } from "./dom.js";
import { preferences } from "./preferences.js";
import { describeRefusal } from "./refusals.js";
import { saveSeatTokens, seatTokens } from "./seat_tokens.js";
import { labelled, select } from "./settings.js";
import { variantIcon } from "./variant_icon.js";
import { catalogTitle, gameName, seatName } from "./labels.js";
import { winners } from "./table.js";
import { parseVariant } from "./variant.js";
import { formatTime, t } from "./i18n.js";

/** @typedef {import("./api_types").GameListing} GameListing */
/** @typedef {import("./app.js").Context} Context */

const EVERY_MS = 4000;

/** @param {Context} context */
export async function show(context) {
  const page = new WatchPage(context, await api.variants());
  await page.load();
  return page;
}

class WatchPage {
  /** @param {Context} context @param {import("./api_types").OfferedVariant[]} offered */
  constructor(context, offered) {
    this.context = context;
    this.variant = "3x3k3";
    const games = offered.flatMap(({ name }) => parseVariant(name) ?? []);
    const game = select(
      games.map((variant) => [variant.name, catalogTitle(variant)]),
      this.variant,
      (chosen) => (this.variant = chosen),
    );
    this.drawn = "";
    this.isLeft = false;
    this.isBusy = false;
    this.note = h("p", { class: "note", role: "alert" });
    this.offline = h("p", { class: "note", role: "status", "data-mood": "bad" });
    this.waiting = h("ul", { class: "tables" });
    this.playing = h("ul", { class: "tables" });
    this.root = h(
      "div",
      { class: "lists" },
      h("h1", {}, t("watch")),
      this.offline,
      h(
        "section",
        {},
        h("h2", {}, t("waitingTables")),
        this.waiting,
        h(
          "div",
          { class: "filters" },
          labelled(t("filterGame"), game),
          h("button", { type: "button", class: "main", click: () => void this.open() }, t("openTable")),
        ),
        h("p", { class: "hint" }, t("openTableHint")),
        this.note,
      ),
      h("section", {}, h("h2", {}, t("livePlay")), this.playing),
    );
    this.onSight = () => document.visibilityState === "visible" && void this.tick();
  }

  begin() {
    this.context.setTitle(`${t("watch")} · ${t("title")}`);
    document.addEventListener("visibilitychange", this.onSight);
    addEventListener("offline", this.onSight);
    addEventListener("online", this.onSight);
    this.timer = setInterval(() => void this.tick(), EVERY_MS);
  }

  leave() {
    this.isLeft = true;
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.onSight);
    removeEventListener("offline", this.onSight);
    removeEventListener("online", this.onSight);
  }

  async tick() {
    if (document.visibilityState !== "visible") return;
    try {
      await this.load();
      setText(this.offline, "");
    } catch {
      // The next poll may reach the server.
      setText(this.offline, navigator.onLine ? t("lost") : t("offline"));
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
    fill(this.waiting, waiting.games, t("noWaiting"), t("look"), (game) => this.sitButton(game));
    fill(this.playing, playing.games, t("noLive"), t("look"));
  }

  /** @param {GameListing} game */
  sitButton(game) {
    const seat = game.seats.findIndex((one) => one.kind === "open");
    return h("button", { type: "button", class: "main", click: () => void this.sit(game.id, seat) }, t("sitDown"));
  }

  /** Takes a seat and goes to its table. @param {string} id @param {number} seat */
  async sit(id, seat) {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const { token, view } = await api.takeSeat(id, seat, preferences().name);
      saveSeatTokens(id, { ...Object.fromEntries(seatTokens(id)), [seat]: token });
      if (!this.isLeft) this.context.go(`/game/${id}`, view);
    } catch (error) {
      setText(this.note, error instanceof Refusal ? describeRefusal(error) : t("lostStart"));
      await this.tick();
    }
    this.isBusy = false;
  }

  async open() {
    if (this.isBusy) return;
    this.isBusy = true;
    const { createTable } = await import("./new_game.js");
    const sides = parseVariant(this.variant)?.sides ?? 2;
    const table = {
      variant: this.variant,
      seats: [{ human: preferences().name }, ...Array(sides - 1).fill({ open: "lobby" })],
      take: [0],
    };
    await createTable(this.context, table, this.note, () => this.isLeft);
    this.isBusy = false;
  }
}

/** @param {HTMLElement} list @param {GameListing[]} games @param {string} none @param {string} verb @param {(game: GameListing) => HTMLElement} [action] */
function fill(list, games, none, verb, action) {
  const rows = games.map((game) => row(game, verb, action?.(game)));
  replaceContents(list, rows.length ? rows : h("li", { class: "none" }, none));
}

/** One row of a list of games. @param {GameListing} game @param {string} verb @param {HTMLElement} [action] a button beside it */
export function row(game, verb, action) {
  const variant = parseVariant(game.variant);
  const names = game.seats.slice(0, 4).map((seat, at) => {
    const name = seatName(seat, at);
    return winners(game.outcome).includes(at) ? h("b", {}, name) : name;
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
          game.outcome?.kind === "draw" ? ` · ${t("draw")}` : "",
        ),
      ),
      h("span", { class: "verb", "aria-hidden": "true" }, verb),
    ),
    action,
  );
}
