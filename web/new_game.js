// The page of all games. A card starts its game at once with the last opponent. Below the cards, everything can be set.

import { Refusal, api } from "./api.js";
import { CLOCKS, clockChoices } from "./clock.js";
import { h, replaceContents, setText } from "./dom.js";
import { setPreferences, preferences } from "./preferences.js";
import { describeRefusal } from "./refusals.js";
import { levelChoices } from "./robot_levels.js";
import { SeatChooser, seatRequest } from "./seat_chooser.js";
import { variantIcon } from "./variant_icon.js";
import { catalogTitle, gameDetails } from "./labels.js";
import { ninth } from "./places.js";
import { dialog, labelled, select, toggle } from "./dialogs.js";
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

/** The opponent in games that the cards start, in the form of a seat's holder. */
const lastOpponent = () => {
  const { opponent, level } = preferences();
  return ["link", "lobby", "me"].includes(opponent) ? opponent : `level:${level}`;
};

class NewGamePage {
  /** @param {Context} context @param {import("./api_types").OfferedVariant[]} offered */
  constructor(context, offered) {
    this.context = context;
    this.offered = offered.flatMap(({ name }) => parseVariant(name) ?? []);
    this.variant = known("3x3k3");
    this.isLeft = false;
    this.isBusy = false;
    this.history = 0;
    /** @type {string} */
    this.firstBoard = "random";
    this.seats = new SeatChooser(2, ["me", lastOpponent()]);
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
    // A link may name the game: `/new?game=7x6k4+gravity`. In a query a plus sign may stand for a space.
    const wanted = (new URLSearchParams(location.search).get("game") ?? "").replaceAll(" ", "+");
    const variant = parseVariant(wanted);
    const isOffered = this.offered.some(({ name }) => name === wanted);
    this.game = select(
      [
        ...this.offered.map((one) => /** @type {[string, string]} */ ([one.name, catalogTitle(one)])),
        ["own", t("gameOwn")],
      ],
      isOffered ? wanted : variant ? "own" : "3x3k3",
      (value) => this.pick(value),
    );
    this.setup = this.makeSetup();
    this.setup.open = variant !== null;
    this.root = h(
      "div",
      { class: "choose" },
      h("h1", {}, t("chooseTitle")),
      this.opponentRow(),
      this.cards(),
      this.note,
      this.setup,
    );
    if (variant) this.set(variant);
    else this.set(known("3x3k3"));
    this.buildOwn();
  }

  leave() {
    this.isLeft = true;
  }

  begin() {
    this.context.setTitle(`${t("chooseTitle")} · ${t("title")}`);
  }

  /** The fields for opponent and clock of the games that the cards start. */
  opponentRow() {
    const opponents = select(
      [...levelChoices(), ["link", t("aFriend")], ["lobby", t("anybody")], ["me", t("bothHere")]],
      lastOpponent(),
      (value) => {
        const level = /^level:(\d)$/.exec(value)?.[1];
        setPreferences(level ? { opponent: "computer", level: Number(level) } : { opponent: value });
      },
    );
    const clocks = select(clockChoices(), this.clockName(), (clock) => setPreferences({ clock }));
    return h("div", { class: "filters" }, labelled(t("opponent"), opponents), labelled(t("clock"), clocks));
  }

  clockName() {
    const { clock } = preferences();
    return clock in CLOCKS ? clock : "none";
  }

  cards() {
    const card = (/** @type {Variant} */ variant, /** @type {string} */ name, /** @type {() => void} */ onClick) =>
      h("button", { type: "button", class: "card", click: onClick }, variantIcon(variant), h("span", {}, name));
    const openSetup = () => {
      this.game.value = "own";
      this.pick("own");
      this.setup.open = true;
      this.setup.querySelector("input")?.focus();
      this.setup.scrollIntoView({ block: "nearest" });
    };
    return h(
      "div",
      { class: "cards" },
      this.offered.map((variant) => card(variant, catalogTitle(variant), () => void this.start(variant))),
      card(known("10x8k5"), t("gameOwn"), openSetup),
    );
  }

  /** Starts a game at once with the last opponent. @param {Variant} variant */
  async start(variant) {
    const opponent = lastOpponent();
    const seats = ["me", ...Array(variant.sides - 1).fill(opponent)];
    const first = variant.nine === "multi" ? Math.floor(Math.random() * 9) : null;
    await this.create({
      variant: variant.nine ? formatVariant({ ...variant, first }) : variant.name,
      seats: seats.map(seatRequest),
      take: seats.flatMap((holder, seat) => (holder === "me" ? [seat] : [])),
    });
  }

  makeSetup() {
    return h(
      "details",
      { class: "setup" },
      h("summary", {}, t("moreSettings")),
      h(
        "form",
        {
          novalidate: true,
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            void this.createTable();
          },
        },
        h("section", {}, labelled(t("filterGame"), this.game), this.about, this.own, this.historyRow),
        h(
          "section",
          {},
          h("h2", {}, t("whoSits")),
          this.seats.root,
          h("button", { type: "submit", class: "main" }, t("begin")),
        ),
      ),
    );
  }

  /** @param {string} value */
  pick(value) {
    this.set(known(value === "own" ? "10x8k5" : value));
    this.buildOwn();
  }

  /** @param {Variant} variant */
  set(variant) {
    this.variant = { ...variant, name: formatVariant(variant) };
    if (variant.sides !== this.seats.sides) this.seats.setSides(variant.sides);
    void this.seats.setVariant(this.variant.name);
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
    setText(this.historyHint, marks ? `${t("historyHint", { n: marks })} ${t("rewindCost")}` : t("historyNone"));
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
      this.firstBoard = variant.first !== null ? String(variant.first) : variant.nine === "multi" ? "random" : "any";
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
    if (this.game.value !== "own") return replaceContents(this.own);
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
    const first =
      this.firstBoard === "any"
        ? null
        : this.firstBoard === "random"
          ? Math.floor(Math.random() * 9)
          : Number(this.firstBoard);
    const name = formatVariant(this.variant.nine ? { ...this.variant, first } : this.variant);
    const seats = { seats: this.seats.seats(), take: this.seats.take() };
    await this.create({ variant: name, history: this.history, ...seats });
  }

  /** @param {import("./api_types").NewTable} table */
  async create(table) {
    if (this.isBusy) return;
    this.isBusy = true;
    const clock = CLOCKS[this.clockName()];
    // A game between robots has no clock.
    const isForPeople = table.seats?.some((seat) => !("robot" in seat));
    const timed = clock && isForPeople ? { ...table, clock } : table;
    await createTable(this.context, timed, this.note, () => this.isLeft);
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
    const seats = await import("./taking_seats.js");
    const created = await seats.createTable(table);
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
  void chooser.setVariant(table.variant.name);
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
