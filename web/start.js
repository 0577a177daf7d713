// The start page: an empty board; pressing a cell starts a game against a robot.

import { Unreachable, Refusal, api } from "./api.js";
import { Board } from "./board.js";
import { h, setAttribute, setText } from "./dom.js";
import { setPreferences, preferences } from "./preferences.js";
import { saveSeatTokens } from "./seat_tokens.js";
import { select } from "./settings.js";
import { parseView, withPlay } from "./table.js";
import { moveOf, parseVariant } from "./variant.js";
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
    /** The user has left the page. */
    this.isLeft = false;
    this.isBusy = false;
    this.board = new Board((move) => void this.firstMove(move));
    this.note = h("p", { class: "note" });
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
        h(
          "nav",
          { class: "ways", "aria-label": t("startMore") },
          h(
            "button",
            { type: "button", class: "way", click: () => void this.friend() },
            h("strong", {}, t("friend")),
            h("span", {}, t("friendHint")),
          ),
          h(
            "a",
            { class: "way", href: "/watch" },
            h("strong", {}, t("playWaiting")),
            h("span", {}, t("waitingTables")),
          ),
          h("a", { class: "way", href: "/new" }, h("strong", {}, t("allGames")), h("span", {}, t("gamesList"))),
        ),
      ),
    );
    this.keys = {};
  }

  begin() {
    // Loads the game page as soon as the pointer or the focus reaches the board.
    for (const sign of ["pointerover", "focusin"]) {
      this.board.root.addEventListener(sign, () => void import("./game.js").catch(() => {}), { once: true });
    }
    this.board.show(this.table, { mine: new Set([0]) });
    this.context.setTitle(t("title"));
  }

  leave() {
    this.isLeft = true;
    this.board.leave();
  }

  /** Creates the table, plays the first move and goes to the game. @param {string} move */
  async firstMove(move) {
    if (this.table.pending) return;
    this.table = withPlay(this.table, move);
    this.board.show(this.table, { mine: new Set([0]) });
    const { name, level } = preferences();
    try {
      const created = await api.createTable({
        variant: "3x3k3",
        seats: [{ human: name }, { robot: `level:${level}` }],
        take: [0],
      });
      saveSeatTokens(created.id, created.tokens);
      const view = await api.act(created.id, created.tokens[0] ?? "", { turn: 1, play: move });
      if (!this.isLeft) this.context.go(`/game/${created.id}`, view);
    } catch (error) {
      this.undo(error);
    }
  }

  async friend() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const created = await api.createTable({
        variant: "3x3k3",
        seats: [{ human: preferences().name }, { open: "link" }],
        take: [0],
      });
      saveSeatTokens(created.id, created.tokens);
      if (!this.isLeft) this.context.go(`/game/${created.id}`, created.view);
    } catch (error) {
      this.undo(error);
    }
    this.isBusy = false;
  }

  /** @param {unknown} error */
  undo(error) {
    if (this.isLeft) return;
    this.table = blank();
    this.board.show(this.table, { mine: new Set([0]) });
    const text =
      error instanceof Refusal
        ? t("refused", { why: error.message })
        : error instanceof Unreachable
          ? t("lostStart")
          : t("broken");
    setText(this.note, text);
    setAttribute(this.note, "data-mood", "bad");
    this.context.announce(text);
  }
}

/** @param {number} level */
export function levelName(level) {
  const word = level <= 2 ? t("levelEasy") : level <= 5 ? t("levelFair") : t("levelStrong");
  return `${t("levelOf", { n: level })}, ${word}`;
}
