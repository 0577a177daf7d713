// The lobby: quick matches, tables with an open seat, and games in progress.

import { Refusal, api } from "./api.js";
import { CLOCKS, clockChoices } from "./clock.js";
import { button, h, patch, setText } from "./dom.js";
import { gameRow, mySeats } from "./game_list.js";
import { followLobby } from "./lobby_events.js";
import { describeRefusal } from "./refusals.js";
import { labelled, select } from "./dialogs.js";
import { catalogTitle } from "./labels.js";
import { parseVariant } from "./variant.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").GameListing} GameListing */
/** @typedef {import("./app.js").Context} Context */

/** Minimum time between two pictures of a game: pictures count for the rate limit of the address. */
export const PICTURE_MS = 5_000;

/**
 * The entries of the games that their pictures show, and since when.
 * @typedef {Map<string, { entry: number | null, sinceMs: number }>} Pictures
 */

/**
 * Which position each picture shows now: the latest, unless the picture has changed less than PICTURE_MS ago.
 * @param {Pictures} before @param {Pick<GameListing, "id" | "entry">[]} games @param {number} nowMs
 * @returns {{ pictures: Pictures, dueMs: number }} `dueMs`: when the next picture may change; Infinity if none is late
 */
export function nextPictures(before, games, nowMs) {
  let dueMs = Infinity;
  /** @type {Pictures} */
  const pictures = new Map();
  for (const { id, entry } of games) {
    const shown = before.get(id);
    const isLate = shown !== undefined && shown.entry !== entry;
    const isTooSoon = shown !== undefined && nowMs - shown.sinceMs < PICTURE_MS;
    if (isLate && isTooSoon) dueMs = Math.min(dueMs, shown.sinceMs + PICTURE_MS);
    pictures.set(id, shown && (!isLate || isTooSoon) ? shown : { entry, sinceMs: nowMs });
  }
  return { pictures, dueMs };
}

/** @param {Context} context */
export async function show(context) {
  const page = new WatchPage(context, await api.variants());
  await page.follow();
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
    /** @type {GameListing[]} */
    this.games = [];
    /** @type {Pictures} */
    this.pictures = new Map();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.pictureTimer = undefined;
    this.isStale = false;
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
    this.left = new AbortController();
  }

  begin() {
    this.context.setTitle(`${t("watch")} · ${t("title")}`);
    const { signal } = this.left;
    addEventListener("offline", () => this.showConnection(true), { signal });
    addEventListener("online", () => this.showConnection(false), { signal });
  }

  leave() {
    clearTimeout(this.pictureTimer);
    this.left.abort();
  }

  get isLeft() {
    return this.left.signal.aborted;
  }

  /** Shows the lobby as it changes. Resolves with the first list, or when the server can't be reached. */
  follow() {
    return new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      const handlers = {
        games: (/** @type {GameListing[]} */ games) => {
          this.games = games;
          this.render();
          resolve();
        },
        matches: (/** @type {import("./api_types").WaitingMatches} */ { waiting }) =>
          setText(this.count, waiting ? t("waitingCount", { n: waiting }) : t("nobodyWaiting")),
        connection: (/** @type {boolean} */ isLost) => {
          this.showConnection(isLost);
          if (isLost) resolve();
        },
      };
      void followLobby(handlers, this.left.signal);
    });
  }

  /** @param {boolean} isLost */
  showConnection(isLost) {
    setText(this.offline, isLost ? (navigator.onLine ? t("lost") : t("offline")) : "");
  }

  /** Renders once for all changes that arrive together. */
  render() {
    if (this.isStale) return;
    this.isStale = true;
    queueMicrotask(() => {
      this.isStale = false;
      this.updatePictures();
      const waiting = this.games.filter(({ status }) => status === "waiting");
      const playing = this.games.filter(({ status }) => status === "playing");
      this.fill(this.waiting, waiting, t("noWaiting"), (game) => this.sitButton(game));
      this.fill(this.playing, playing, t("noLive"));
    });
  }

  /** Renders again when the next picture may change. */
  updatePictures() {
    clearTimeout(this.pictureTimer);
    if (this.isLeft) return;
    const nowMs = performance.now();
    const { pictures, dueMs } = nextPictures(this.pictures, this.games, nowMs);
    this.pictures = pictures;
    if (dueMs !== Infinity) this.pictureTimer = setTimeout(() => this.render(), dueMs - nowMs);
  }

  /** @param {HTMLElement} list @param {GameListing[]} games @param {string} none @param {(game: GameListing) => HTMLElement | null} [action] */
  fill(list, games, none, action) {
    const rows = games.map((game) => {
      const entry = this.pictures.get(game.id)?.entry ?? null;
      return gameRow(game, t("look"), { action: action?.(game) ?? null, entry });
    });
    patch(list, rows.length ? rows : h("li", { class: "none" }, none));
  }

  /** The button that takes a seat; null at a table of this player. @param {GameListing} game */
  sitButton(game) {
    if (mySeats(game).size) return null;
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
