// The page of one game: to play, to watch, to replay.

import { Refusal, api, freshKey, wakeRetries, retry } from "./api.js";
import { Board } from "./board.js";
import { LOW_MS, timeLeft } from "./clock.js";
import { button, controlsFor } from "./controls.js";
import { rematchStateOf } from "./rematch.js";
import { h, setAttribute, replaceContents, setText } from "./dom.js";
import { makeSidePanel } from "./side_panel.js";
import { followGame } from "./event_stream.js";
import { notify } from "./notifications.js";
import { setPreferences, preferences } from "./preferences.js";
import { describeNotPlayable, describeRefusal } from "./refusals.js";
import { areTokensStored, hasUnreadableTokens, saveSeatTokens, seatTokens } from "./seat_tokens.js";
import { confirm } from "./settings.js";
import { makeMoveList } from "./move_list.js";
import { describeTurn, gameDetails, gameName, list, ninth, seatName, statusOf } from "./labels.js";
import { parseRecord } from "./record.js";
import { makeSeatList } from "./seat_list.js";
import { sound } from "./sound.js";
import {
  whyNotPlayable,
  targetOf,
  moveOfTurn,
  parseView,
  otherPeople,
  playsOnBoard,
  phaseOf,
  nextSeat,
  seatsOffering,
  winners,
  withChange,
  withOffers,
  withPlay,
  withPresence,
} from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/** @typedef {import("./api_types").TurnView} TurnView */
/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export async function show(context) {
  const id = context.parts[1] ?? "";
  const view = context.handover ?? (await api.view(id));
  const turn = new URLSearchParams(location.search).get("turn");
  const at = turn !== null && /^\d{1,6}$/.test(turn) ? Number(turn) : null;
  const page = new GamePage(context, parseView(view), at !== null && at < view.turn - 1 ? at : null);
  await page.fetchPast();
  return page;
}

/**
 * The position of a game from which to play on: the present one; after the end the last one in which a side that did
 * not win was to move.
 * @param {Table} table
 */
export function turnToPlayOnFrom({ outcome, last, turn }) {
  if (!outcome) return turn - 1;
  const isLastByLoser = last !== null && !winners(outcome).includes(last.seat);
  return Math.max(0, turn - (isLastByLoser ? 2 : 3));
}

/** Maximum number of cached past positions: the largest boards take half a megabyte each. */
const MAX_PAST = 64;

export class GamePage {
  /** @param {Context} context @param {Table} table @param {number | null} at */
  constructor(context, table, at) {
    this.context = context;
    this.table = table;
    /** @type {TurnView[]} */
    this.turns = [];
    /** Number of completed turns of the position shown; null: the present. */
    this.at = at;
    /** @type {Map<number, Table>} */
    this.past = new Map();
    this.tokens = seatTokens(table.id);
    this.pageLeft = new AbortController();
    /** The server does not accept the stored tokens. */
    this.isTokenBad = hasUnreadableTokens(table.id) && this.tokens.size === 0;
    /** @type {"" | "rewind"} */
    this.asking = "";
    this.taking = 0;
    this.isLost = false;
    /** The player has been told that their time gets short. */
    this.isWarned = false;
    /** The number of the latest request for the view. */
    this.refetches = 0;
    this.isAskingForRematch = false;
    this.isLeavingForRematch = false;
    /** A cell pressed before the server has answered the previous move, when this browser plays both. @type {string | null} */
    this.queuedMove = null;
    // The inputs of the last rendering of each part.
    this.drawnControls = "";
    this.drawnInvite = "";
    this.drawnExtra = "";
    /** @type {import("./analysis.js").AnalysisPanel | null} */
    this.analysis = null;

    this.board = new Board((move) => this.press(move));
    this.status = h("h1", { class: "status", tabindex: -1 });
    this.detail = h("p", { class: "detail" });
    this.note = h("p", { class: "note" });
    this.warning = h("p", { class: "warning", role: "status", hidden: true });
    this.seats = makeSeatList((seat) => this.takeSeat(seat));
    this.moves = makeMoveList((turn) => this.look(turn));
    this.controls = h("div", { class: "controls" });
    this.invite = h("div", { class: "invite" });
    this.extra = h("div", { class: "extra" });
    this.sidePanel = makeSidePanel(this.board.root, this.moves.bar, this.moves.list, this.extra, this.detail);
    this.root = h(
      "div",
      { class: "table-page" },
      h("div", { class: "head" }, this.status, this.note, this.warning, this.seats.root),
      h("div", { class: "paper" }, this.board.root, this.board.zoomer),
      h("div", { class: "side" }, this.controls, this.invite, this.sidePanel.root),
    );
    this.keys = {
      ",": () => this.moves.step(-1),
      ".": () => this.moves.step(1),
      "<": () => this.moves.go(0),
      ">": () => this.moves.end(),
      ArrowLeft: () => this.moves.step(-1),
      ArrowRight: () => this.moves.step(1),
      Home: () => this.moves.go(0),
      End: () => this.moves.end(),
      Escape: () => this.escape(),
      r: () => this.ask("rewind"),
      a: () => this.askForRematch(),
      n: () => void context.leaveTo(this.newGamePath()),
    };
  }

  /** Called once the root is in the document. */
  async begin() {
    this.render();
    if (this.table.turn > 1) this.board.revealLast(true);
    this.follow();
    const { signal } = this.pageLeft;
    this.ticker = setInterval(() => this.tick(), 100);
    addEventListener("offline", () => this.onConnection("lost"), { signal });
    addEventListener("online", () => this.follow(), { signal });
    // The browser asks in its own words before it closes a tab with a move that the server does not have.
    addEventListener("beforeunload", (event) => this.table.pending !== null && event.preventDefault(), { signal });
    addEventListener("pagehide", () => this.tokens.forEach((token) => api.leave(this.table.id, token)), { signal });
    await this.readTurns();
    if (this.at !== null) await this.look(this.at);
    if (location.hash === "#analysis" && this.table.outcome) await this.openAnalysis();
  }

  /** The user has gone to another page: late answers are dropped. */
  get isLeft() {
    return this.pageLeft.signal.aborted;
  }

  leave() {
    clearInterval(this.ticker);
    this.pageLeft.abort();
    this.board.leave();
    this.analysis?.leave();
  }

  /** Counts the clocks down, and warns once per turn when time gets short. */
  tick() {
    const { table } = this;
    if (!table.clock || table.outcome) return;
    this.seats.showClocks(table);
    const { running } = table.clock;
    const isLow = running !== null && this.mine.has(running) && timeLeft(table, running, performance.now()) < LOW_MS;
    if (isLow && !this.isWarned) this.context.announce(t("lowTime", { n: Math.round(LOW_MS / 1000) }));
    this.isWarned = isLow;
  }

  get mine() {
    return new Set(this.tokens.keys());
  }

  /** People wait for this player. */
  isLive() {
    return phaseOf(this.table) === "playing" && this.mine.size > 0 && otherPeople(this.table, this.mine).length > 0;
  }

  /** The page where the same game starts again. */
  newGamePath() {
    const { name } = this.table.variant;
    return name === "3x3k3" ? "/" : `/new?${new URLSearchParams({ game: name })}`;
  }

  title() {
    const names = this.table.seats.map((seat, at) => seatName(seat, at, this.isMe(at)));
    const versus = names.length > 3 ? gameName(this.table.variant) : names.join(" – ");
    return `${this.isMyTurn() ? "● " : ""}${versus}`;
  }

  // Messages from the server.

  follow() {
    const token = [...this.tokens.values()][0] ?? null;
    this.connection?.abort();
    this.connection = new AbortController();
    this.pageLeft.signal.addEventListener("abort", () => this.connection?.abort());
    void followGame(
      this.table.id,
      token,
      {
        view: (view) => {
          if (token !== null && view.you !== undefined) this.correctSeat(token, view.you);
          this.receive(parseView(view));
        },
        change: (change) => {
          // Already known from the answer to a move.
          if (change.entry <= this.table.entry) return;
          if (change.turn !== this.table.turn + 1) return void this.refetch();
          this.receive(withChange(this.table, change));
        },
        presence: (presence) => {
          const before = this.table;
          this.table = withPresence(before, presence);
          this.onSeats(before);
          this.render();
          // The moves of a game that has begun are only in its view.
          if (phaseOf(before) === "waiting") void this.refetch();
        },
        offers: (offers) => {
          const before = this.table;
          this.table = withOffers(before, offers);
          this.onOffers(before);
          this.render();
        },
        connection: (state) => this.onConnection(state),
      },
      this.connection.signal,
    );
  }

  /** @param {import("./event_stream.js").ConnectionState} state */
  onConnection(state) {
    if (this.isLeft) return;
    if (state === "gone") return this.showNote(t("noSuchGame"), "bad");
    if (state === "refused") return this.dropTokens();
    if (state === "open") wakeRetries();
    if (state === "lost" && !this.isLost) {
      this.isLost = true;
      setAttribute(this.root, "data-lost", true);
      this.showNote(navigator.onLine ? t("lost") : t("offline"), "bad");
    } else if (state === "open" && this.isLost) {
      this.isLost = false;
      setAttribute(this.root, "data-lost", false);
      this.showNote(t("back"), "good");
    }
  }

  /** Loads the view. Of several requests only the latest counts: answers may arrive in any order. */
  async refetch() {
    const number = ++this.refetches;
    try {
      const view = await this.retry(() => api.view(this.table.id));
      if (number === this.refetches) this.receive(parseView(view));
    } catch {
      // Refused: the event stream reports what is wrong.
    }
  }

  /** A stored token may belong to another seat than it was stored for. @param {string} token @param {number} seat */
  correctSeat(token, seat) {
    const known = this.tokens.get(seat);
    if (known === token) return;
    for (const [wrong, stored] of this.tokens) if (stored === token) this.tokens.delete(wrong);
    this.tokens.set(seat, token);
    saveSeatTokens(this.table.id, Object.fromEntries(this.tokens));
  }

  /** The server does not accept the tokens of this browser: the player becomes a spectator and is told why. */
  dropTokens() {
    this.tokens = new Map();
    this.isTokenBad = true;
    this.table = { ...this.table, pending: null };
    this.queuedMove = null;
    this.follow();
    this.render();
    this.context.announce(t("tokenBad"));
  }

  /** Shows a newer state of the table. @param {Table} table */
  receive(table) {
    const before = this.table;
    // Answers and the event stream can arrive in any order.
    if (table.entry < before.entry || this.isLeft) return;
    // A move that was sent stays on the board until its own answer comes.
    const isUnderWay = before.pending !== null && table.turn === before.turn && !table.outcome;
    this.table = isUnderWay && before.pending ? withPlay(table, before.pending) : table;
    const done = table.turn - 1;
    if (table.last && done === this.turns.length + 1) this.turns.push(table.last);
    else if (done !== this.turns.length) void this.readTurns();
    if (table.turn > before.turn) this.onTurn(before);
    else this.onSeats(before);
    this.onOffers(before);
    const hasAsked = this.isAskingForRematch || seatsOffering(before, "rematch").some((seat) => this.mine.has(seat));
    if (table.rematch && !before.rematch && hasAsked) void this.goToRematch();
    this.render();
    const { queuedMove } = this;
    if (queuedMove === null || this.table.pending !== null) return;
    this.queuedMove = null;
    if (!table.outcome) this.press(queuedMove);
  }

  /** Tells that somebody sat down, and that the game has begun. @param {Table} before */
  onSeats(before) {
    const { table, mine } = this;
    const seated = table.seats.flatMap((seat, at) =>
      before.seats[at]?.kind === "open" && seat.kind !== "open" && !mine.has(at) ? [seatName(seat, at)] : [],
    );
    const hasBegun = phaseOf(before) === "waiting" && phaseOf(table) === "playing";
    if (!seated.length && !hasBegun) return;
    this.clearNote();
    const said = [...seated.map((name) => t("satDown", { name })), statusOf(table, mine)].join(" ");
    this.context.announce(said);
    if (!seated.length || !mine.size) return;
    sound("joined");
    void notify(said);
  }

  /** Tells about new offers of others. @param {Table} before */
  onOffers(before) {
    const { table, mine } = this;
    const isNew = (/** @type {import("./api_types").OfferView} */ { kind, seat, entry }) =>
      kind === "rematch" && !mine.has(seat) && !before.offers.some((known) => known.entry === entry);
    const names = table.offers.filter(isNew).map(({ seat }) => this.nameOf(seat));
    if (!names.length || !mine.size) return;
    const said = t("wantsRematch", { n: names.length, names: list(names) });
    this.context.announce(said);
    void notify(said);
  }

  /** Whether a seat is the only one of this browser. @param {number} seat */
  isMe(seat) {
    return this.mine.size === 1 && this.mine.has(seat);
  }

  /** @param {number} at */
  nameOf(at) {
    const seat = this.table.seats[at];
    return seat ? seatName(seat, at) : "";
  }

  /** Announces a completed turn and plays its sound. @param {Table} before */
  onTurn(before) {
    const { table, mine } = this;
    this.asking = "";
    const said = [];
    if (table.last && !(mine.size === 1 && mine.has(table.last.seat) && table.last.kind === "play")) {
      said.push(describeTurn(table, table.last, mine));
    }
    said.push(statusOf(table, mine));
    const isUp = table.toMove !== null && mine.has(table.toMove);
    if (table.boards && isUp) {
      said.push(table.active === null ? t("nowAny") : t("nowActive", { board: ninth(table.active) }));
    }
    this.context.announce(said.join(" "));
    if (isUp || table.outcome) void notify(said.join(" "));
    // The message "connection is back" stays for its full time.
    if (this.note.dataset.mood !== "good") this.clearNote();
    const isOwn = before.pending !== null && moveOfTurn(table.last) === before.pending;
    if (table.outcome) sound(this.ending());
    else if (!isOwn) sound("mark");
    // After the player's own move the board does not scroll.
    const isMine = table.last !== null && mine.has(table.last.seat);
    if (this.at === null && !isMine) requestAnimationFrame(() => this.board.revealLast());
  }

  /** How the game ended for this browser. @returns {"won" | "lost" | "drawn"} */
  ending() {
    const won = winners(this.table.outcome);
    if (!won.length) return "drawn";
    return this.mine.size === 0 || won.some((side) => this.mine.has(side)) ? "won" : "lost";
  }

  /** Loads the turns so far from the record. */
  async readTurns() {
    try {
      const record = parseRecord(await api.record(this.table.id));
      if (record.turns.length >= this.turns.length) this.turns = record.turns;
      this.render();
    } catch {
      // The moves are missing from the list; the board is there.
    }
  }

  // Requests to the server.

  /** Until the server answers, or the user leaves the page. @template T @param {() => Promise<T>} send */
  retry(send) {
    return retry(send, { signal: this.pageLeft.signal, onUnreachable: () => this.onConnection("lost") });
  }

  /** @param {string} move */
  press(move) {
    if (this.at !== null) return this.showNote(t("lookingBack", { n: this.at }));
    if (this.table.pending !== null && this.mine.has(nextSeat(this.table) ?? -1)) {
      this.queuedMove = move;
      return;
    }
    const why = whyNotPlayable(this.table, move, this.mine);
    if (why) return this.showNote(describeNotPlayable(why, this.table, this.mine.size === 0));
    const play = targetOf(this.table, move);
    const { turn } = this.table;
    const by = this.table.toMove ?? 0;
    this.table = withPlay(this.table, play);
    this.clearNote();
    this.render();
    sound("mark");
    void this.send(by, { turn, play });
  }

  /** @param {number} by @param {object} act */
  async send(by, act) {
    const token = this.tokens.get(by);
    if (!token) return;
    const key = freshKey();
    try {
      const view = await this.retry(() => api.act(this.table.id, token, act, key));
      this.receive(parseView(view));
      if (this.isLost) this.onConnection("open");
    } catch (error) {
      if (this.isLeft) return;
      this.queuedMove = null;
      this.table = { ...this.table, pending: null };
      await this.refetch();
      if (!(error instanceof Refusal)) return;
      if (error.problem.status === 401 || error.problem.status === 403) return this.dropTokens();
      this.showNote(describeRefusal(error));
    }
  }

  async resign() {
    const { toMove, turn } = this.table;
    const seat = toMove !== null && this.mine.has(toMove) ? toMove : ([...this.mine][0] ?? 0);
    if (await confirm(t("resignSure"), t("resign"))) await this.send(seat, { turn, resign: true });
  }

  /** @param {number} seat */
  async takeSeat(seat) {
    const field = this.root.querySelector("input.name");
    if (field instanceof HTMLInputElement) setPreferences({ name: field.value.trim() });
    const key = freshKey();
    try {
      const { token, view } = await this.retry(() => api.takeSeat(this.table.id, seat, preferences().name, key));
      saveSeatTokens(this.table.id, { ...Object.fromEntries(this.tokens), [seat]: token });
      this.tokens = seatTokens(this.table.id);
      // While other seats are open, no turn will be announced.
      const isWaiting = view.seats.some(({ kind }) => kind === "open");
      this.receive(parseView(view));
      this.follow();
      // The button that had the focus is gone.
      this.status.focus({ preventScroll: true });
      if (isWaiting) this.context.announce(statusOf(this.table, this.mine));
    } catch (error) {
      if (error instanceof Refusal) this.showNote(describeRefusal(error));
      await this.refetch();
    }
  }

  /** Asks for a rematch for every seat of this browser. */
  async askForRematch() {
    if (!this.table.outcome || !this.tokens.size || this.isAskingForRematch) return;
    this.isAskingForRematch = true;
    this.render();
    try {
      for (const token of this.tokens.values()) {
        const answer = await this.retry(() => api.rematch(this.table.id, token));
        this.receive(parseView(answer));
      }
      this.isAskingForRematch = false;
      if (!this.table.rematch) this.context.announce(rematchStateOf(this.table, this.mine).text);
      this.render();
    } catch (error) {
      this.isAskingForRematch = false;
      this.render();
      if (error instanceof Refusal) this.showNote(describeRefusal(error));
    }
  }

  /** Goes to the rematch with the tokens of the seats there. */
  async goToRematch() {
    const next = this.table.rematch;
    if (!next || this.isLeavingForRematch) return;
    this.isLeavingForRematch = true;
    try {
      /** @type {Record<string, string>} */
      const tokens = {};
      for (const token of this.tokens.values()) {
        const answer = await this.retry(() => api.rematch(this.table.id, token));
        if (answer.token && answer.seat !== undefined) tokens[answer.seat] = answer.token;
      }
      if (Object.keys(tokens).length) saveSeatTokens(next, tokens);
      if (!this.isLeft) this.context.go(`/game/${next}`);
    } catch {
      this.isLeavingForRematch = false;
    }
  }

  // Replay.

  /** @param {number | null} turn completed turns; null: the present */
  async look(turn) {
    const total = this.table.turn - 1;
    this.at = turn === null || turn >= total ? null : Math.max(0, turn);
    if (this.at === null) this.clearNote();
    const address = this.at === null ? location.pathname : `${location.pathname}?turn=${this.at}`;
    history.replaceState(history.state, "", address + location.hash);
    // At once: further presses of a key count from here.
    this.render();
    await this.fetchPast();
    this.render();
    // Loads the neighbouring positions for keys held down.
    if (this.at !== null) for (const near of [this.at + 1, this.at - 1]) void this.fetchPast(near);
  }

  /** @param {number | null} [turn] */
  async fetchPast(turn = this.at) {
    if (turn === null || turn < 0 || turn >= this.table.turn - 1 || this.past.has(turn)) return;
    try {
      this.past.set(turn, parseView(await api.view(this.table.id, turn)));
      const [oldest] = this.past.keys();
      if (this.past.size > MAX_PAST && oldest !== undefined) this.past.delete(oldest);
    } catch (error) {
      if (turn === this.at && error instanceof Refusal) this.at = null;
    }
  }

  escape() {
    if (this.asking) return this.ask("");
    if (this.sidePanel.close()) return;
    if (this.at !== null) void this.look(null);
  }

  // Rendering.

  /** @param {"" | "rewind"} what */
  ask(what) {
    const canRewind = this.isMyTurn() && this.table.rewind !== null && this.table.history > 0;
    if (what === "rewind" && !canRewind) return;
    this.asking = this.asking === what ? "" : what;
    this.taking = Math.min(1, this.table.rewind ?? 0);
    this.render();
    if (this.asking) this.controls.querySelector("button")?.focus();
  }

  isMyTurn() {
    const { toMove, pending } = this.table;
    return phaseOf(this.table) === "playing" && toMove !== null && !pending && this.mine.has(toMove);
  }

  /** Shows and announces a message; it disappears after 6 s unless it is bad news. @param {string} text @param {"" | "good" | "bad"} [mood] */
  showNote(text, mood = "") {
    if (this.isLeft) return;
    setText(this.note, text);
    setAttribute(this.note, "data-mood", mood || null);
    this.context.announce(text);
    clearTimeout(this.timer);
    if (mood !== "bad") this.timer = setTimeout(() => this.clearNote(), 6000);
  }

  clearNote() {
    if (this.isLost) return;
    setText(this.note, "");
    setAttribute(this.note, "data-mood", null);
  }

  render() {
    if (this.isLeft) return;
    const { table, mine } = this;
    const done = table.turn - 1;
    // A past position that is not loaded yet is rendered when it arrives.
    const looked = this.at === null || this.at >= done ? table : this.past.get(this.at);
    const leaving = this.asking === "rewind" ? playsOnBoard(this.turns).slice(-this.taking || Infinity) : [];
    if (looked) {
      this.board.show(looked, {
        mine,
        leaving: new Set(this.taking ? leaving : []),
        isStill: this.at !== null,
        best: this.analysis?.best(this.at ?? done) ?? null,
      });
    }
    for (const button of this.board.zoomer.querySelectorAll("button")) {
      setAttribute(button, "aria-label", t(button.dataset.word === "zoomIn" ? "zoomIn" : "zoomOut"));
    }
    setAttribute(this.root, "data-waiting", phaseOf(table) === "waiting");
    const position = this.at === null ? "" : t("position", { n: this.at, total: done });
    const status = this.at === null || this.isMyTurn() ? statusOf(table, mine) : "";
    setText(this.status, [status, position].filter(Boolean).join(" "));
    setAttribute(this.status, "data-mine", this.isMyTurn());
    const isKept = this.tokens.size === 0 || areTokensStored(table.id);
    setText(this.warning, this.isTokenBad ? t("tokenBad") : isKept || table.outcome ? "" : t("notStored"));
    this.warning.hidden = !this.warning.textContent;
    this.seats.show(looked ?? table, mine);
    this.sidePanel.show();
    this.moves.show(table, this.turns, this.at, this.analysis?.remarks());
    setText(this.detail, `${gameName(table.variant)}. ${gameDetails(table.variant)}`);
    this.renderControls();
    this.renderInvite();
    this.renderExtra();
    this.context.setTitle(this.title());
  }

  renderControls() {
    const { table, asking } = this;
    const isOver = Boolean(table.outcome);
    const key = JSON.stringify([
      isOver,
      table.offers,
      table.seats,
      asking,
      this.taking,
      table.rewind,
      this.isMyTurn(),
      table.rematch,
      this.isAskingForRematch,
      this.tokens.size,
      this.at === null,
      phaseOf(table),
      document.documentElement.lang,
    ]);
    if (key === this.drawnControls) return;
    this.drawnControls = key;
    replaceContents(this.controls, ...controlsFor(this));
  }

  renderInvite() {
    const { table } = this;
    const state = phaseOf(table);
    const key = `${state} ${this.tokens.size} ${document.documentElement.lang}`;
    if (key === this.drawnInvite) return;
    this.drawnInvite = key;
    this.invite.replaceChildren();
    if (state !== "waiting") return;
    if (this.tokens.size === 0) {
      const field = h("input", {
        type: "text",
        class: "name",
        value: preferences().name,
        maxlength: 64,
        autocomplete: "nickname",
        id: "sit-name",
      });
      this.invite.append(h("div", { class: "field-row" }, h("label", { for: "sit-name" }, t("yourName")), field));
      return;
    }
    void import("./share.js").then(({ shareCard }) => {
      if (this.drawnInvite === key)
        this.invite.replaceChildren(shareCard(location.origin + location.pathname, t("linkHint")));
    });
  }

  renderExtra() {
    const isOver = Boolean(this.table.outcome);
    const hasTurns = this.table.turn > 1;
    const key = `${isOver} ${Boolean(this.analysis)} ${this.at === null} ${hasTurns} ${document.documentElement.lang}`;
    if (key === this.drawnExtra) return;
    this.drawnExtra = key;
    replaceContents(
      this.extra,
      h(
        "div",
        { class: "row" },
        isOver && !this.analysis && hasTurns ? button(t("analyse"), () => void this.openAnalysis()) : null,
        isOver && this.at === null && hasTurns ? button(t("playOn"), () => void this.playOn()) : null,
        button(t("shareWatch"), () => void this.share(), "quiet"),
        hasTurns
          ? h(
              "a",
              {
                class: "button quiet",
                href: `/api/games/${this.table.id}/record`,
                download: `noughts-${this.table.variant.name}.txt`,
              },
              t("exportText"),
            )
          : null,
      ),
      this.analysis?.root,
    );
  }

  async openAnalysis() {
    // A reload opens it again.
    history.replaceState(history.state, "", `${location.pathname}${location.search}#analysis`);
    const { AnalysisPanel } = await import("./analysis.js");
    this.analysis = new AnalysisPanel(
      this.table,
      (turn) => void this.look(turn),
      () => this.render(),
    );
    this.render();
    // Its button is gone: the focus moves to where the answer will be.
    this.analysis.root.focus({ preventScroll: true });
    this.analysis.root.scrollIntoView({ block: "nearest" });
    await this.analysis.load();
    this.render();
  }

  async share() {
    const [{ shareCard }, { dialog }] = await Promise.all([import("./share.js"), import("./settings.js")]);
    dialog(
      t("shareWatch"),
      shareCard(location.href, phaseOf(this.table) === "waiting" ? t("linkHint") : t("linkWatch")),
    );
  }

  async playOn() {
    const { playOn } = await import("./new_game.js");
    const from = this.at ?? turnToPlayOnFrom(this.table);
    await this.fetchPast(from);
    playOn(this.context, this.past.get(from) ?? this.table, from, this.mine);
  }
}
