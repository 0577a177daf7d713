// The page where a game is set up: variant, seats, history.

import { Refusal, api } from "./api.js";
import { freshId, h, replaceContents, setText } from "./dom.js";
import { drawMark } from "./marks.js";
import { setPreferences, preferences } from "./preferences.js";
import { saveSeatTokens } from "./seat_tokens.js";
import { variantIcon } from "./variant_icon.js";
import { catalogTitle, gameDetails, ninth, sideName } from "./labels.js";
import { dialog, labelled, select, toggle } from "./settings.js";
import { levelName } from "./start.js";
import { MIN_SIZE, MAX_SIZE, MAX_SIDES, cellCount, parseVariant, formatVariant } from "./variant.js";
import { t } from "./i18n.js";

/** @typedef {import("./app.js").Context} Context */
/** @typedef {import("./api_types").Variant} Variant */

/** @param {Context} context */
export async function show(context) {
  return new NewGamePage(context, await api.variants());
}

/** @param {string} name @returns {Variant} */
function known(name) {
  const variant = parseVariant(name);
  if (!variant) throw new Error(`${name} is no game`);
  return variant;
}

/** The choices for a seat: value and label. @param {boolean} isPerfect */
function holders(isPerfect) {
  /** @type {[string, string][]} */
  const all = [
    ["me", t("me")],
    ["link", t("aFriend")],
    ["lobby", t("anybody")],
  ];
  for (let level = 1; level <= 8; level++) all.push([`level:${level}`, `${t("computer")}: ${levelName(level)}`]);
  if (isPerfect) all.push(["perfect", t("computerPerfect")]);
  return all;
}

/** @param {string} holder @returns {import("./api_types").SeatRequest} */
function seatRequest(holder) {
  if (holder === "me") return { human: preferences().name };
  if (holder === "link" || holder === "lobby") return { open: holder };
  return { robot: holder };
}

/** A select box per seat. */
class SeatChooser {
  /** @param {number} sides @param {string[]} chosen @param {number} [first] who moves first */
  constructor(sides, chosen, first = 0) {
    this.chosen = chosen;
    this.first = first;
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

  render() {
    // The eighth box sets all further seats.
    const shown = Math.min(this.sides ?? 2, 8);
    const rows = this.chosen.slice(0, shown).map((holder, seat) => {
      const field = select(holders(this.sides === 2), holder, (value) => {
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
    replaceContents(
      this.root,
      ...rows,
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          click: () => {
            this.chosen.unshift(this.chosen.pop() ?? "me");
            this.render();
          },
        },
        t("swap"),
      ),
    );
  }

  seats() {
    return this.chosen.map(seatRequest);
  }

  take() {
    return this.chosen.flatMap((holder, seat) => (holder === "me" ? [seat] : []));
  }
}

class NewGamePage {
  /** @param {Context} context @param {import("./api_types").OfferedVariant[]} offered */
  constructor(context, offered) {
    this.context = context;
    this.offered = offered.flatMap(({ name }) => parseVariant(name) ?? []);
    this.variant = known("3x3k3");
    this.isOwn = false;
    this.isLeft = false;
    this.isBusy = false;
    this.history = 0;
    /** @type {string} */
    this.firstBoard = "random";
    this.seats = new SeatChooser(2, ["me", `level:${preferences().level}`]);
    this.cards = h("div", { class: "cards", role: "radiogroup", "aria-label": t("chooseTitle") });
    this.own = h("div", { class: "own" });
    this.about = h("p", { class: "about" });
    this.note = h("p", { class: "note", role: "alert" });
    this.historyField = h("input", {
      type: "number",
      min: 0,
      value: 0,
      inputmode: "numeric",
      change: () => this.readHistory(),
    });
    this.historyRow = labelled(t("history"), this.historyField, "");
    this.historyHint = h("small", {});
    this.historyRow.append(this.historyHint);
    this.root = h(
      "form",
      {
        class: "choose",
        novalidate: true,
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void this.createTable();
        },
      },
      h("h1", {}, t("chooseTitle")),
      this.cards,
      h(
        "div",
        { class: "setup" },
        h("section", {}, this.about, this.own, this.historyRow),
        h(
          "section",
          {},
          h("h2", {}, t("whoSits")),
          this.seats.root,
          this.note,
          h("button", { type: "submit", class: "main" }, t("begin")),
        ),
      ),
    );
    this.buildCards();
    this.pick("3x3k3");
  }

  leave() {
    this.isLeft = true;
  }

  begin() {
    this.context.setTitle(`${t("chooseTitle")} · ${t("title")}`);
  }

  buildCards() {
    const card = (/** @type {string} */ value, /** @type {Variant} */ variant, /** @type {string} */ name) =>
      h(
        "label",
        { class: "card" },
        h("input", { type: "radio", name: "game", value, checked: value === "3x3k3", change: () => this.pick(value) }),
        variantIcon(variant),
        h("span", {}, name),
      );
    replaceContents(
      this.cards,
      ...this.offered.map((variant) => card(variant.name, variant, catalogTitle(variant))),
      card("own", known("10x8k5"), t("gameOwn")),
    );
  }

  /** @param {string} value */
  pick(value) {
    this.isOwn = value === "own";
    this.set(known(this.isOwn ? "10x8k5" : value));
    this.buildOwn();
  }

  /** @param {Variant} variant */
  set(variant) {
    this.variant = { ...variant, name: formatVariant(variant) };
    if (variant.sides !== this.seats.sides) this.seats.setSides(variant.sides);
    setText(this.about, gameDetails(this.variant));
    const most = cellCount(this.variant) - 1;
    this.historyField.max = String(most);
    this.readHistory();
    setText(this.note, "");
  }

  readHistory() {
    const most = cellCount(this.variant) - 1;
    this.history = Math.max(0, Math.min(most, Math.floor(Number(this.historyField.value) || 0)));
    this.historyField.value = String(this.history);
    setText(this.historyHint, this.history < 2 ? t("historyNone") : t("historyHint", { n: this.history - 1 }));
  }

  buildOwn() {
    const { variant } = this;
    if (variant.nine) {
      /** @type {[string, string][]} */
      const boards = [
        ["random", t("firstRandom")],
        ["any", t("firstAny")],
      ];
      for (let at = 0; at < 9; at++) boards.push([String(at), ninth(at)]);
      this.firstBoard = variant.nine === "multi" ? "random" : "any";
      replaceContents(
        this.own,
        labelled(
          t("firstBoardField"),
          select(boards, this.firstBoard, (chosen) => {
            this.firstBoard = chosen;
          }),
        ),
      );
      return;
    }
    if (!this.isOwn) return replaceContents(this.own);
    replaceContents(
      this.own,
      this.numberRow(t("columns"), "columns", MIN_SIZE, MAX_SIZE),
      this.numberRow(t("rows"), "rows", MIN_SIZE, MAX_SIZE),
      this.numberRow(t("inALine"), "line", 3, MAX_SIZE),
      this.numberRow(t("players"), "sides", 2, MAX_SIDES),
      .../** @type {const} */ ([
        ["misere", "ruleMisere"],
        ["gravity", "ruleGravity"],
        ["exact", "ruleExact"],
      ]).map(([rule, word]) =>
        toggle(t(word), this.variant[rule], (isOn) => this.set({ ...this.variant, [rule]: isOn })),
      ),
    );
  }

  /** @param {string} name @param {"columns" | "rows" | "line" | "sides"} what @param {number} least @param {number} most */
  numberRow(name, what, least, most) {
    const field = h("input", {
      type: "number",
      min: least,
      max: most,
      value: this.variant[what],
      inputmode: "numeric",
      change: () => {
        const longest = what === "line" ? Math.max(this.variant.columns, this.variant.rows) : most;
        const value = Math.max(least, Math.min(longest, Math.floor(Number(field.value) || least)));
        field.value = String(value);
        this.set({ ...this.variant, [what]: value });
        const line = Math.min(this.variant.line, Math.max(this.variant.columns, this.variant.rows));
        if (line !== this.variant.line) {
          this.set({ ...this.variant, line });
          this.buildOwn();
        }
      },
    });
    return labelled(name, field, t("fromTo", { from: least, to: most }));
  }

  async createTable() {
    if (this.isBusy) return;
    this.isBusy = true;
    const first =
      this.firstBoard === "any"
        ? null
        : this.firstBoard === "random"
          ? Math.floor(Math.random() * 9)
          : Number(this.firstBoard);
    const name = formatVariant(this.variant.nine ? { ...this.variant, first } : this.variant);
    const table = { variant: name, history: this.history, seats: this.seats.seats(), take: this.seats.take() };
    await createTable(this.context, table, this.note, () => this.isLeft);
    this.isBusy = false;
  }
}

/**
 * Creates a table and goes there, unless the user has left the page.
 * @param {Context} context @param {import("./api_types").NewTable} table @param {HTMLElement} note shows a refusal
 * @param {() => boolean} isLeft
 */
export async function createTable(context, table, note, isLeft) {
  try {
    const created = await api.createTable(table);
    saveSeatTokens(created.id, created.tokens);
    if (!isLeft()) context.go(`/game/${created.id}`, created.view);
  } catch (error) {
    setText(note, error instanceof Refusal ? t("refused", { why: error.message }) : t("lostStart"));
  }
}

/**
 * Opens the dialog that starts a new game from a position of this one.
 * @param {Context} context @param {import("./api_types").Table} table at that position
 * @param {number} turn completed turns @param {number} total
 */
export function playOn(context, table, turn, total) {
  const isEnd = Boolean(table.outcome) && turn === total;
  const from = isEnd ? Math.max(0, turn - 1) : turn;
  const toMove = isEnd ? (table.last?.by ?? 0) : (table.toMove ?? 0);
  const chooser = new SeatChooser(
    table.seats.length,
    table.seats.map((_, seat) => (seat === toMove ? "me" : `level:${preferences().level}`)),
    toMove,
  );
  const note = h("p", { class: "note", role: "alert" });
  let isBusy = false;
  const begin = async () => {
    if (isBusy) return;
    isBusy = true;
    const seats = { seats: chooser.seats(), take: chooser.take() };
    const wanted = { from: { game: table.id, turn: from }, history: table.history, ...seats };
    await createTable(context, wanted, note, () => !box.isConnected);
    isBusy = false;
  };
  const box = dialog(
    t("playOnTitle"),
    h("p", {}, `${t("turnAt", { n: from + 1 })}. ${t("playOnMore")}`),
    chooser.root,
    note,
    h("button", { type: "button", class: "main", click: () => void begin() }, t("begin")),
  );
}
