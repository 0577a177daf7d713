// A table: played at, watched, or gone through again. The same places for the same things.

import { Refusal, api, freshKey, hurry, insist } from "./api.js";
import { Board } from "./board.js";
import { button, controlsFor } from "./controls.js";
import { h, mark, refill, say } from "./dom.js";
import { makeDrawer } from "./drawer.js";
import { listen } from "./live.js";
import { keepSeats, seatsAt, wish, wishes } from "./mine.js";
import { makeMoves } from "./moves.js";
import { deed, gameDetails, gameName, ninth, seatName, statusOf } from "./place.js";
import { readRecord } from "./record.js";
import { makeSeats } from "./seats.js";
import { sound } from "./sound.js";
import {
  obstacle,
  pressed,
  readView,
  standing,
  standingOf,
  upNext,
  withChange,
  withPlay,
  withPresence,
} from "./table.js";
import { t } from "./words.js";

/** @typedef {import("./shapes").Table} Table */
/** @typedef {import("./shapes").TurnView} TurnView */
/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export async function show(context) {
  const id = context.parts[1] ?? "";
  const view = context.handover ?? (await api.look(id));
  const turn = new URLSearchParams(location.search).get("turn");
  const at = turn !== null && /^\d{1,6}$/.test(turn) ? Number(turn) : null;
  const page = new GamePage(context, readView(view), at !== null && at < view.turn - 1 ? at : null);
  await page.fetchPast();
  return page;
}

/** Positions of the past that are kept: the largest boards are half a megabyte each. */
const MOST_PAST = 64;

export class GamePage {
  /** @param {Context} context @param {Table} table @param {number | null} at */
  constructor(context, table, at) {
    this.context = context;
    this.table = table;
    /** @type {TurnView[]} */
    this.turns = [];
    /** Completed turns that are looked at; null: the present. */
    this.at = at;
    /** @type {Map<number, Table>} */
    this.past = new Map();
    this.tokens = seatsAt(table.id);
    this.enough = new AbortController();
    /** @type {"" | "rewind" | "resign"} */
    this.asking = "";
    this.taking = 0;
    this.isLost = false;
    this.hasAsked = false;
    this.isMovingOn = false;
    /** A press while the one before is under way, where both are this browser's to make. @type {string | null} */
    this.eager = null;
    // What the parts below were last drawn from.
    this.drawnControls = "";
    this.drawnInvite = "";
    this.drawnExtra = "";
    /** @type {import("./study.js").StudyPanel | null} */
    this.study = null;

    this.board = new Board((move) => this.press(move));
    this.status = h("h1", { class: "status", tabindex: -1 });
    this.detail = h("p", { class: "detail" });
    this.note = h("p", { class: "note" });
    this.seats = makeSeats((seat) => this.sit(seat));
    this.moves = makeMoves((turn) => this.look(turn));
    this.controls = h("div", { class: "controls" });
    this.invite = h("div", { class: "invite" });
    this.extra = h("div", { class: "extra" });
    this.drawer = makeDrawer(this.board.root, this.moves.bar, this.moves.list, this.extra, this.detail);
    this.root = h(
      "div",
      { class: "table-page" },
      h("div", { class: "head" }, this.status, this.note, this.seats.root),
      h("div", { class: "paper" }, this.board.root, this.board.zoomer),
      h("div", { class: "side" }, this.controls, this.invite, this.drawer.root),
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
      a: () => this.again(),
      n: () => context.go("/"),
    };
  }

  /** Called once the root is in the document. */
  async begin() {
    this.render();
    if (this.table.turn > 1) this.board.revealLast(true);
    this.follow();
    await this.readTurns();
    if (this.at !== null) await this.look(this.at);
  }

  /** Somebody has gone on to another page; what comes late is not shown. */
  get isLeft() {
    return this.enough.signal.aborted;
  }

  leave() {
    this.enough.abort();
    this.board.leave();
    this.study?.leave();
  }

  get mine() {
    return new Set(this.tokens.keys());
  }

  title() {
    const names = this.table.seats.map((seat, at) => seatName(seat, at));
    const versus = names.length > 3 ? gameName(this.table.variant) : names.join(" – ");
    return `${this.isMyTurn() ? "● " : ""}${versus}`;
  }

  // What comes from the server.

  follow() {
    const token = [...this.tokens.values()][0] ?? null;
    this.line?.abort();
    this.line = new AbortController();
    this.enough.signal.addEventListener("abort", () => this.line?.abort());
    void listen(
      this.table.id,
      token,
      {
        view: (view) => this.receive(readView(view)),
        change: (change) => {
          // The answer to a move was quicker.
          if (change.turn <= this.table.turn) return;
          if (change.turn !== this.table.turn + 1) return void this.refetch();
          this.receive(withChange(this.table, change));
        },
        presence: (presence) => {
          const before = standingOf(this.table);
          this.table = withPresence(this.table, presence);
          this.render();
          if (before === "waiting") void this.refetch();
        },
        line: (line) => this.onLine(line),
      },
      this.line.signal,
    );
  }

  /** @param {import("./live.js").Line} line */
  onLine(line) {
    if (this.isLeft) return;
    if (line === "gone") return this.tell(t("noSuchGame"), "bad");
    if (line === "open") hurry();
    if (line === "lost" && !this.isLost) {
      this.isLost = true;
      mark(this.root, "data-lost", true);
      this.tell(navigator.onLine ? t("lost") : t("offline"), "bad");
    } else if (line === "open" && this.isLost) {
      this.isLost = false;
      mark(this.root, "data-lost", false);
      this.tell(t("back"), "good");
    }
  }

  async refetch() {
    try {
      this.receive(readView(await api.look(this.table.id)));
    } catch {
      // The stream says when it is lost, and brings the view when it is back.
    }
  }

  /** A newer state of the table. @param {Table} table */
  receive(table) {
    const before = this.table;
    // Answers and the stream overtake one another.
    if (table.turn < before.turn || this.isLeft) return;
    // A play that is under way stays on the board until its own answer comes.
    const isUnderWay = before.pending !== null && table.turn === before.turn && !table.outcome;
    this.table = isUnderWay && before.pending ? withPlay(table, before.pending) : table;
    const done = table.turn - 1;
    if (table.last && done === this.turns.length + 1) this.turns.push(table.last);
    else if (done !== this.turns.length) void this.readTurns();
    if (table.turn > before.turn) this.onTurn(before);
    else if (standingOf(before) === "waiting" && standingOf(table) === "playing") {
      this.context.announce(statusOf(table, this.mine));
      this.quiet();
    }
    if (table.rematch && this.hasAsked) void this.moveOn();
    this.render();
    const { eager } = this;
    if (eager === null || this.table.pending !== null) return;
    this.eager = null;
    if (!table.outcome) this.press(eager);
  }

  /** A turn was completed: it is said, and heard. @param {Table} before */
  onTurn(before) {
    const { table, mine } = this;
    if (!table.outcome) this.hasAsked = false;
    this.asking = "";
    const said = [];
    if (table.last && !(mine.size === 1 && mine.has(table.last.by) && table.last.play)) {
      said.push(deed(table, table.last, mine));
    }
    said.push(statusOf(table, mine));
    const isUp = table.toMove !== null && mine.has(table.toMove);
    if (table.boards && isUp) {
      said.push(table.active === null ? t("nowAny") : t("nowActive", { board: ninth(table.active) }));
    }
    this.context.announce(said.join(" "));
    // That one is back is worth reading to its end.
    if (this.note.dataset.mood !== "good") this.quiet();
    const isOwn = before.pending !== null && table.last?.play === before.pending;
    if (table.outcome) sound("end");
    else if (!isOwn) sound("mark");
    // Whoever made a move knows where it is.
    const isMine = table.last !== null && mine.has(table.last.by);
    if (this.at === null && !isMine) requestAnimationFrame(() => this.board.revealLast());
  }

  /** The turns so far, from the record. */
  async readTurns() {
    try {
      const record = readRecord(await api.record(this.table.id));
      if (record.turns.length >= this.turns.length) this.turns = record.turns;
      this.render();
    } catch {
      // The moves are missing from the list; the board is there.
    }
  }

  // What is asked of the server.

  /** Until it answers, or somebody leaves. @template T @param {() => Promise<T>} request */
  insist(request) {
    return insist(request, { signal: this.enough.signal, onAway: () => this.onLine("lost") });
  }

  /** @param {string} move */
  press(move) {
    if (this.at !== null) return this.tell(t("lookingBack", { n: this.at }));
    if (this.table.pending !== null && this.mine.has(upNext(this.table) ?? -1)) {
      this.eager = move;
      return;
    }
    const why = obstacle(this.table, move, this.mine);
    if (why) return this.tell(this.explain(why));
    const play = pressed(this.table, move);
    const { turn } = this.table;
    const by = this.table.toMove ?? 0;
    this.table = withPlay(this.table, play);
    this.quiet();
    this.render();
    sound("mark");
    void this.send(by, { turn, play });
  }

  /** @param {import("./table.js").Obstacle} why */
  explain(why) {
    switch (why) {
      case "over":
        return t("over");
      case "waiting":
        return t("waitingToBegin");
      case "notYours":
        return this.mine.size ? t("notYourTurn") : t("watching");
      case "taken":
        return t("taken");
      case "full":
        return t("columnFull");
      case "closedBoard":
        return t("closedBoard");
      case "wrongBoard":
        return t("wrongBoard", { board: ninth(this.table.active ?? 0) });
    }
  }

  /** @param {number} by @param {object} act */
  async send(by, act) {
    const token = this.tokens.get(by);
    if (!token) return;
    const key = freshKey();
    try {
      const view = await this.insist(() => api.act(this.table.id, token, act, key));
      this.receive(readView(view));
      if (this.isLost) this.onLine("open");
    } catch (error) {
      if (this.isLeft) return;
      this.eager = null;
      this.table = { ...this.table, pending: null };
      await this.refetch();
      if (error instanceof Refusal) this.tell(this.refusalIn(error));
    }
  }

  /** @param {Refusal} refusal */
  refusalIn(refusal) {
    switch (refusal.kind) {
      case "stale":
        return t("moved");
      case "occupied":
        return t("taken");
      case "not-your-turn":
        return t("notYourTurn");
      case "over":
        return t("over");
      case "rewind-too-far":
        return t("cantRewind");
      case "too-many":
        return t("tooMuch");
      case "seat-taken":
        return t("seatGone");
      default:
        return t("refused", { why: refusal.message });
    }
  }

  /** @param {number} seat */
  async sit(seat) {
    const field = this.root.querySelector("input.name");
    if (field instanceof HTMLInputElement) wish({ name: field.value.trim() });
    const key = freshKey();
    try {
      const { token, view } = await this.insist(() => api.sit(this.table.id, seat, wishes().name, key));
      keepSeats(this.table.id, { [seat]: token });
      this.tokens = seatsAt(this.table.id);
      // Where others are still waited for, nothing else will be said.
      const isWaiting = view.seats.some(({ kind }) => kind === "open");
      this.receive(readView(view));
      this.follow();
      if (isWaiting) this.context.announce(statusOf(this.table, this.mine));
    } catch (error) {
      if (error instanceof Refusal) this.tell(this.refusalIn(error));
      await this.refetch();
    }
  }

  /** Everybody of this browser wants to play again. */
  async again() {
    if (!this.table.outcome || !this.tokens.size || this.hasAsked) return;
    this.hasAsked = true;
    this.render();
    try {
      for (const token of this.tokens.values()) {
        const answer = await this.insist(() => api.again(this.table.id, token));
        this.receive(readView(answer));
      }
      this.context.announce(this.table.rematch ? "" : t("rematchAsked"));
    } catch (error) {
      this.hasAsked = false;
      this.render();
      if (error instanceof Refusal) this.tell(this.refusalIn(error));
    }
  }

  /** To the new table, with the seats there. */
  async moveOn() {
    const next = this.table.rematch;
    if (!next || this.isMovingOn) return;
    this.isMovingOn = true;
    try {
      /** @type {Record<string, string>} */
      const tokens = {};
      for (const token of this.tokens.values()) {
        const answer = await this.insist(() => api.again(this.table.id, token));
        if (answer.token && answer.seat !== undefined) tokens[answer.seat] = answer.token;
      }
      if (Object.keys(tokens).length) keepSeats(next, tokens);
      if (!this.isLeft) this.context.go(`/game/${next}`);
    } catch {
      this.isMovingOn = false;
    }
  }

  // Looking back.

  /** @param {number | null} turn completed turns; null: the present */
  async look(turn) {
    const total = this.table.turn - 1;
    this.at = turn === null || turn >= total ? null : Math.max(0, turn);
    if (this.at === null) this.quiet();
    const address = this.at === null ? location.pathname : `${location.pathname}?turn=${this.at}`;
    history.replaceState(history.state, "", address);
    await this.fetchPast();
    this.render();
    // The neighbours, so that keys held down find them.
    if (this.at !== null) for (const near of [this.at + 1, this.at - 1]) void this.fetchPast(near);
  }

  /** @param {number | null} [turn] */
  async fetchPast(turn = this.at) {
    if (turn === null || turn < 0 || turn >= this.table.turn - 1 || this.past.has(turn)) return;
    try {
      this.past.set(turn, readView(await api.look(this.table.id, turn)));
      const [oldest] = this.past.keys();
      if (this.past.size > MOST_PAST && oldest !== undefined) this.past.delete(oldest);
    } catch (error) {
      if (turn === this.at && error instanceof Refusal) this.at = null;
    }
  }

  escape() {
    if (this.asking) return this.ask("");
    if (this.drawer.close()) return;
    if (this.at !== null) void this.look(null);
  }

  // What is shown.

  /** @param {"" | "rewind" | "resign"} what */
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
    return standingOf(this.table) === "playing" && toMove !== null && !pending && this.mine.has(toMove);
  }

  /** Says something for a while, to everybody. @param {string} text @param {"" | "good" | "bad"} [mood] */
  tell(text, mood = "") {
    if (this.isLeft) return;
    say(this.note, text);
    mark(this.note, "data-mood", mood || null);
    this.context.announce(text);
    clearTimeout(this.timer);
    if (mood !== "bad") this.timer = setTimeout(() => this.quiet(), 6000);
  }

  quiet() {
    if (this.isLost) return;
    say(this.note, "");
    mark(this.note, "data-mood", null);
  }

  render() {
    if (this.isLeft) return;
    const { table, mine } = this;
    const done = table.turn - 1;
    // What is not there yet is shown when it comes.
    const looked = this.at === null || this.at >= done ? table : this.past.get(this.at);
    const leaving = this.asking === "rewind" ? standing(this.turns).slice(-this.taking || Infinity) : [];
    if (looked) {
      this.board.show(looked, {
        mine,
        leaving: new Set(this.taking ? leaving : []),
        isStill: this.at !== null,
        best: this.study?.best(this.at ?? done) ?? null,
      });
    }
    for (const button of this.board.zoomer.querySelectorAll("button")) {
      mark(button, "aria-label", t(button.dataset.word === "zoomIn" ? "zoomIn" : "zoomOut"));
    }
    mark(this.root, "data-waiting", standingOf(table) === "waiting");
    const status = this.at === null ? statusOf(table, mine) : t("position", { n: this.at, total: done });
    say(this.status, status);
    mark(this.status, "data-mine", this.at === null && this.isMyTurn());
    this.seats.show(looked ?? table, mine);
    this.drawer.show();
    this.moves.show(table, this.turns, this.at, this.study?.remarks());
    say(this.detail, `${gameName(table.variant)}. ${gameDetails(table.variant)}`);
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
      asking,
      this.taking,
      table.rewind,
      this.isMyTurn(),
      table.rematch,
      this.hasAsked,
      this.tokens.size,
      this.at === null,
      standingOf(table),
      document.documentElement.lang,
    ]);
    if (key === this.drawnControls) return;
    this.drawnControls = key;
    refill(this.controls, ...controlsFor(this));
  }

  renderInvite() {
    const { table } = this;
    const state = standingOf(table);
    const key = `${state} ${this.tokens.size} ${document.documentElement.lang}`;
    if (key === this.drawnInvite) return;
    this.drawnInvite = key;
    this.invite.replaceChildren();
    if (state !== "waiting") return;
    if (this.tokens.size === 0) {
      const field = h("input", {
        type: "text",
        class: "name",
        value: wishes().name,
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
    const key = `${isOver} ${Boolean(this.study)} ${this.at === null} ${hasTurns} ${document.documentElement.lang}`;
    if (key === this.drawnExtra) return;
    this.drawnExtra = key;
    refill(
      this.extra,
      h(
        "div",
        { class: "row" },
        isOver && !this.study && hasTurns ? button(t("analyse"), () => void this.openStudy()) : null,
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
      this.study?.root,
    );
  }

  async openStudy() {
    const { StudyPanel } = await import("./study.js");
    this.study = new StudyPanel(
      this.table,
      (turn) => void this.look(turn),
      () => this.render(),
    );
    this.render();
    // Its button is gone: whoever pressed it is where the answer will be.
    this.study.root.focus({ preventScroll: true });
    this.study.root.scrollIntoView({ block: "nearest" });
    await this.study.load();
    this.render();
  }

  async share() {
    const [{ shareCard }, { dialog }] = await Promise.all([import("./share.js"), import("./settings.js")]);
    dialog(
      t("shareWatch"),
      shareCard(location.href, standingOf(this.table) === "waiting" ? t("linkHint") : t("linkWatch")),
    );
  }

  async playOn() {
    const { playOn } = await import("./choose.js");
    const done = this.table.turn - 1;
    playOn(this.context, this.past.get(this.at ?? -1) ?? this.table, this.at ?? done, done);
  }
}
