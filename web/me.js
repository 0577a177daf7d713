// The page of the player: running and finished games, and the profile.

import { Refusal, api } from "./api.js";
import { h, patch } from "./dom.js";
import { gameRow, mySeats } from "./game_list.js";
import { myGames, waitingFirst } from "./my_events.js";
import { runningRows } from "./my_games.js";
import { player, setPlayer } from "./player.js";
import { profileSection } from "./profile.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export async function show(context) {
  const page = new MePage(context);
  await page.load();
  return page;
}

class MePage {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.left = new AbortController();
    /** @type {import("./api_types").Me | null} */
    this.me = null;
    this.isNewPlayer = true;
    /** The ids of the running games that are shown. */
    this.shown = new Set();
    this.running = h("ul", { class: "tables" });
    this.finished = h("ul", { class: "tables" });
    this.older = h("button", { type: "button", hidden: true, click: () => void this.load(true) }, t("older"));
    this.profile = h("section", { class: "profile" });
    this.root = h(
      "div",
      { class: "lists" },
      h("h1", {}, t("myGames")),
      h("section", {}, h("h2", {}, t("running")), this.running),
      h("section", {}, h("h2", {}, t("finished")), this.finished, h("p", {}, this.older)),
      this.profile,
    );
  }

  begin() {
    this.context.setTitle(`${t("myGames")} · ${t("title")}`);
    const { signal } = this.left;
    addEventListener("gameover", (event) => this.finish(/** @type {CustomEvent} */ (event).detail), { signal });
    addEventListener("mygames", () => this.update(), { signal });
    const onPlayer = () => {
      this.isNewPlayer = true;
      void this.load();
    };
    addEventListener("player", onPlayer, { signal });
  }

  leave() {
    this.left.abort();
  }

  /** Moves a game to the finished ones. @param {import("./api_types").MyGame} game */
  finish(game) {
    if (!this.me || !game.outcome) return;
    const { finished } = this.me;
    const others = finished.games.filter(({ id }) => id !== game.id);
    this.me = { ...this.me, finished: { ...finished, games: [game, ...others] } };
  }

  /** Shows the running games. If one ended while there was no connection, reads the finished games again. */
  update() {
    const known = [...(myGames() ?? []), ...(this.me?.finished.games ?? [])];
    const ids = new Set(known.map(({ id }) => id));
    const isMissing = myGames() !== null && [...this.shown].some((id) => !ids.has(id));
    this.render();
    if (isMissing) void this.load().catch(() => {});
  }

  /** @param {boolean} [isMore] the next page of finished games */
  async load(isMore = false) {
    const own = player();
    if (!own) this.me = null;
    else {
      try {
        const me = await api.me(own.token, isMore ? (this.me?.finished.before ?? null) : null);
        const known = isMore ? (this.me?.finished.games ?? []) : [];
        this.me = { ...me, finished: { ...me.finished, games: [...known, ...me.finished.games] } };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // The player was deleted or signed out on another device.
        if (error.problem.status === 401) setPlayer(null);
        this.me = null;
      }
    }
    this.render();
    // The section is built only once per player, so that its fields keep what is being typed.
    if (!this.isNewPlayer) return;
    this.isNewPlayer = false;
    this.profile.replaceChildren(...profileSection(this.context, this.me));
  }

  render() {
    const { me } = this;
    const running = myGames() ?? waitingFirst(me?.running ?? []);
    this.shown = new Set(running.map(({ id }) => id));
    const none = (/** @type {string} */ text) => h("li", { class: "none" }, text);
    patch(this.running, running.length ? runningRows(running) : none(t("noRunning")));
    const finished = me?.finished.games ?? [];
    patch(
      this.finished,
      finished.length ? finished.map((game) => gameRow(game, t("look"), seatIn(game))) : none(t("noArchive")),
    );
    this.older.hidden = !me?.finished.before;
  }
}

/** The player's seat, if there is only one. @param {import("./api_types").GameListing} game @returns {{ seat?: number }} */
function seatIn(game) {
  const [seat, ...others] = mySeats(game);
  return seat === undefined || others.length ? {} : { seat };
}
