// The start page: an empty board; pressing a cell starts a game against a robot. Beside the
// board are the other ways to play, and the player's running games.

import { Unreachable, Refusal, api } from "./api.js";
import { Board } from "./board.js";
import { h, setAttribute, setText } from "./dom.js";
import { setPreferences, preferences } from "./preferences.js";
import { select } from "./dialogs.js";
import { parseView, withPlay } from "./table.js";
import { moveOf, parseVariant } from "./variant.js";
import { levelName } from "./robot_levels.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export function show(context) {
  return new StartPage(context);
}

/** The view of a table that does not exist on the server yet. */
function blank() {
  const variant = parseVariant("3x3k3");
  if (!variant) throw new Error("3x3k3 is a game");
  const cells = Array.from({ length: 9 }, (_, cell) => moveOf(variant, cell));
  const seat = { name: "", present: true };
  return parseView({
    id: "",
    variant: variant.name,
    history: 0,
    turn: 1,
    entry: 0,
    to_move: 0,
    seats: [
      { ...seat, kind: "human", symbol: "x" },
      { ...seat, kind: "robot", symbol: "o" },
    ],
    marks: cells.map(() => null),
    legal: cells,
    rewind: null,
    last: null,
    offers: [],
    clock: null,
    outcome: null,
    rematch: null,
  });
}

class StartPage {
  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    this.table = blank();
    /** Whether the user has left the page. */
    this.isLeft = false;
    this.isBusy = false;
    this.board = new Board((move) => void this.firstMove(move));
    this.note = h("p", { class: "note" });
    this.waiting = h("span", {}, t("quickMatchHint"));
    /** The running games of the player; hidden if there are none. */
    this.games = h("section", { class: "my-games", hidden: true });
    const levels = Array.from({ length: 8 }, (_, at) => String(at + 1));
    const level = select(
      levels.map((name) => [name, levelName(Number(name))]),
      String(preferences().level),
      (chosen) => setPreferences({ level: Number(chosen) }),
    );
    level.id = "level";
    this.root = h(
      "div",
      { class: "table-page start" },
      h(
        "div",
        { class: "head" },
        h("h1", { class: "status" }, t("startTitle")),
        h("p", { class: "hint" }, t("startHint")),
        this.note,
      ),
      h("div", { class: "paper" }, this.board.root),
      h(
        "div",
        { class: "side" },
        h("div", { class: "field-row inline" }, h("label", { for: "level" }, t("level")), level),
        this.games,
        h(
          "nav",
          { class: "ways", "aria-label": t("startMore") },
          way(t("friend"), t("friendHint"), () => void this.friend()),
          way(t("quickMatch"), this.waiting, () => void this.quickMatch()),
          h("a", { class: "way", href: "/new" }, h("strong", {}, t("allGames")), h("span", {}, t("gamesList"))),
        ),
      ),
    );
    this.keys = {};
  }

  begin() {
    // Loads the game page as soon as the pointer or the focus reaches the board.
    const load = () => void Promise.all([import("./game.js"), import("./taking_seats.js")]).catch(() => {});
    for (const sign of ["pointerover", "focusin"]) this.board.root.addEventListener(sign, load, { once: true });
    this.board.show(this.table, { mine: new Set([0]) });
    this.context.setTitle(t("title"));
    void this.countWaiting();
    void this.context.showRunning(this.games);
  }

  leave() {
    this.isLeft = true;
    this.board.leave();
  }

  /** Shows how many people wait for a quick match. */
  async countWaiting() {
    const { waiting } = await api.waitingMatches().catch(() => ({ waiting: 0 }));
    if (waiting) setText(this.waiting, t("waitingCount", { n: waiting }));
  }

  /** Creates the table, plays the first move and goes to the game. @param {string} move */
  async firstMove(move) {
    if (this.table.pending) return;
    this.table = withPlay(this.table, move);
    this.board.show(this.table, { mine: new Set([0]) });
    const robot = `level:${preferences().level}`;
    await this.attempt(async () => {
      const { createTable } = await import("./taking_seats.js");
      const created = await createTable({ variant: "3x3k3", seats: [{ human: "" }, { robot }], take: [0] });
      const view = await api.act(created.id, created.tokens[0] ?? "", { turn: 1, play: move });
      if (!this.isLeft) this.context.go(`/game/${created.id}`, view);
    });
  }

  friend() {
    return this.attempt(async () => {
      const { createTable } = await import("./taking_seats.js");
      const seats = [{ human: "" }, { open: /** @type {const} */ ("link") }];
      const created = await createTable({ variant: "3x3k3", seats, take: [0] });
      if (!this.isLeft) this.context.go(`/game/${created.id}`, created.view);
    });
  }

  quickMatch() {
    return this.attempt(async () => {
      const { findOpponent } = await import("./quick_match.js");
      await findOpponent(this.context, { variant: "3x3k3" });
    });
  }

  /** Sends a request. Shows the reason if it fails. @param {() => Promise<void>} send */
  async attempt(send) {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await send();
    } catch (error) {
      await this.undo(error);
    }
    this.isBusy = false;
  }

  /** @param {unknown} error */
  async undo(error) {
    if (this.isLeft) return;
    this.table = blank();
    this.board.show(this.table, { mine: new Set([0]) });
    let text = error instanceof Unreachable ? t("lostStart") : t("broken");
    if (error instanceof Refusal) text = (await import("./refusals.js")).describeRefusal(error);
    setText(this.note, text);
    setAttribute(this.note, "data-mood", "bad");
    this.context.announce(text);
  }
}

/** One of the other ways to play. @param {string} name @param {import("./dom.js").Child} hint @param {() => void} onClick */
const way = (name, hint, onClick) =>
  h(
    "button",
    { type: "button", class: "way", click: onClick },
    h("strong", {}, name),
    typeof hint === "string" ? h("span", {}, hint) : hint,
  );
