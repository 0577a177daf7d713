// The lobby: quick matches, tables with an open seat, and games in progress.

import { Refusal, api } from "./api.js";
import { CLOCKS, clockChoices } from "./clock.js";
import { button, h, patch, setText } from "./dom.js";
import { gameRow } from "./game_list.js";
import { describeRefusal } from "./refusals.js";
import { labelled, select } from "./dialogs.js";
import { catalogTitle } from "./labels.js";
import { parseVariant } from "./variant.js";
import { t } from "./i18n.js";

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
    this.clock = "none";
    const clock = select(clockChoices(), this.clock, (chosen) => (this.clock = chosen));
    this.count = h("p", { class: "hint", role: "status" });
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
        h("h2", {}, t("playAnyone")),
        h(
          "div",
          { class: "filters" },
          labelled(t("filterGame"), game),
          labelled(t("clock"), clock),
          button(t("quickMatch"), () => void this.quickMatch(), "main"),
          button(t("openTable"), () => void this.open()),
        ),
        this.count,
        h("p", { class: "hint" }, t("openTableHint")),
        this.note,
      ),
      h("section", {}, h("h2", {}, t("waitingTables")), this.waiting),
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
    const [waiting, playing, matches] = await Promise.all([
      api.list({ status: "waiting", limit: "50" }),
      api.list({ status: "playing", limit: "100" }),
      api.waitingMatches(),
    ]);
    fill(this.waiting, waiting.games, t("noWaiting"), (game) => this.sitButton(game));
    fill(this.playing, playing.games, t("noLive"));
    setText(this.count, matches.waiting ? t("waitingCount", { n: matches.waiting }) : t("nobodyWaiting"));
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
      const { takeSeat } = await import("./taking_seats.js");
      const view = await takeSeat(id, seat);
      if (!this.isLeft) this.context.go(`/game/${id}`, view);
    } catch (error) {
      setText(this.note, error instanceof Refusal ? describeRefusal(error) : t("lostStart"));
      await this.tick();
    }
    this.isBusy = false;
  }

  /** The clock, if one is chosen. */
  timed() {
    const clock = CLOCKS[this.clock];
    return clock ? { clock } : {};
  }

  async quickMatch() {
    const { findOpponent } = await import("./quick_match.js");
    await findOpponent(this.context, { variant: this.variant, ...this.timed() }).catch(() =>
      setText(this.note, t("lostStart")),
    );
  }

  async open() {
    if (this.isBusy) return;
    this.isBusy = true;
    const { createTable } = await import("./new_game.js");
    const sides = parseVariant(this.variant)?.sides ?? 2;
    const table = {
      variant: this.variant,
      seats: [{ human: "" }, ...Array(sides - 1).fill({ open: "lobby" })],
      take: [0],
      ...this.timed(),
    };
    await createTable(this.context, table, this.note, () => this.isLeft);
    this.isBusy = false;
  }
}

/** @param {HTMLElement} list @param {GameListing[]} games @param {string} none @param {(game: GameListing) => HTMLElement} [action] */
function fill(list, games, none, action) {
  const rows = games.map((game) => gameRow(game, t("look"), action ? { action: action(game) } : {}));
  patch(list, rows.length ? rows : h("li", { class: "none" }, none));
}
