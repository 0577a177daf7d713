// The page where a game is set up: variant, seats, history.

import { Refusal, api } from "./api.js";
import { freshId, h, replaceContents, setText } from "./dom.js";
import { drawMark } from "./marks.js";
import { setPreferences, preferences } from "./preferences.js";
import { describeRefusal } from "./refusals.js";
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
    // A link may name the game: `/new?game=7x6k4+gravity`. In a query a plus sign may stand for a space.
    const wanted = (new URLSearchParams(location.search).get("game") ?? "").replaceAll(" ", "+");
    const variant = parseVariant(wanted);
    const isOffered = this.offered.some(({ name }) => name === wanted);
    this.buildCards(isOffered || !variant ? wanted || "3x3k3" : "own");
    this.pick(isOffered ? wanted : "3x3k3");
    if (variant && !isOffered) this.pickOwn(variant);
  }

  leave() {
    this.isLeft = true;
  }

  begin() {
    this.context.setTitle(`${t("chooseTitle")} · ${t("title")}`);
  }

  /** @param {string} chosen */
  buildCards(chosen) {
    const card = (/** @type {string} */ value, /** @type {Variant} */ variant, /** @type {string} */ name) =>
      h(
        "label",
        { class: "card" },
        h("input", { type: "radio", name: "game", value, checked: value === chosen, change: () => this.pick(value) }),
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

  /** A variant that is not in the catalogue. @param {Variant} variant */
  pickOwn(variant) {
    this.isOwn = true;
    this.set(variant);
    this.buildOwn();
  }

  /** @param {Variant} variant */
  set(variant) {
    this.variant = { ...variant, name: formatVariant(variant) };
    if (variant.sides !== this.seats.sides) this.seats.setSides(variant.sides);
    setText(this.about, gameDetails(this.variant));
    this.historyField.max = String(this.mostTakenBack());
    this.readHistory();
    setText(this.note, "");
  }

  /** How many marks a rewind can take back at most. */
  mostTakenBack() {
    return cellCount(this.variant) - 2;
  }

  /** The field is the number of marks that can be taken back; a history of `h` allows fewer than `h`. */
  readHistory() {
    const marks = Math.max(0, Math.min(this.mostTakenBack(), Math.floor(Number(this.historyField.value) || 0)));
    this.history = marks ? marks + 1 : 0;
    this.historyField.value = String(marks);
    setText(this.historyHint, marks ? t("historyHint", { n: marks }) : t("historyNone"));
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
      this.numberRow(t("inALine"), "line", 3, this.longestLine()),
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

  longestLine() {
    return Math.max(this.variant.columns, this.variant.rows);
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
        const wanted = Number(field.value);
        const value = Math.max(least, Math.min(most, Math.floor(wanted) || least));
        field.value = String(value);
        const before = this.longestLine();
        this.set({ ...this.variant, [what]: value });
        if (before !== this.longestLine()) {
          this.set({ ...this.variant, line: Math.min(this.variant.line, this.longestLine()) });
          this.buildOwn();
        }
        if (value !== wanted) setText(this.note, `${name}: ${t("fromTo", { from: least, to: most })}.`);
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
    setText(note, error instanceof Refusal ? describeRefusal(error) : t("lostStart"));
  }
}

/**
 * Opens the dialog that starts a new game from a position of this one.
 * @param {Context} context @param {import("./api_types").Table} table at that position
 * @param {number} from completed turns @param {Set<number>} mine the seats of this browser
 */
export function playOn(context, table, from, mine) {
  const toMove = table.toMove ?? 0;
  const me = mine.size ? mine : new Set([toMove]);
  const chooser = new SeatChooser(
    table.seats.length,
    table.seats.map(({ kind, name }, seat) => {
      if (me.has(seat)) return "me";
      return kind === "robot" && /^level:[1-8]$/.test(name) ? name : `level:${preferences().level}`;
    }),
    toMove,
  );
  const note = h("p", { class: "note", role: "alert" });
  let isBusy = false;
  const begin = async () => {
    if (isBusy) return;
    isBusy = true;
    const seats = { seats: chooser.seats(), take: chooser.take() };
    const wanted = { from: { game: table.id, after: from }, history: table.history, ...seats };
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
