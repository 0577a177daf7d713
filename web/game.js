// The page of one game: to play, to watch, to replay. It holds the state; other modules turn the state into elements,
// send requests and receive updates.

import { api } from "./api.js";
import { describeNow, endingOf } from "./announcements.js";
import { Board } from "./board.js";
import { LOW_MS, clockName, clockSettings, timeLeft } from "./clock.js";
import { controlsFor } from "./controls.js";
import { h, patch, setAttribute, setText } from "./dom.js";
import { gameExtras } from "./game_extras.js";
import { Requests } from "./game_requests.js";
import { isLive, isMyTurn, mineOf, titleOf } from "./game_state.js";
import { Updates } from "./game_updates.js";
import { isInvited, invitationTitle, makeInvitation } from "./invitation.js";
import { makeMoveList } from "./move_list.js";
import { player } from "./player.js";
import { Replay } from "./replay.js";
import { areTokensStored, hasUnreadableTokens, seatTokens } from "./seat_tokens.js";
import { seatList, seriesLine, showClocks } from "./seat_list.js";
import { resultsBefore, seriesBefore } from "./series.js";
import { makeSidePanel } from "./side_panel.js";
import { gameDetails, gameName, statusOf } from "./labels.js";
import { parseView, phaseOf, playsOnBoard } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./game_state.js").GameState} GameState */
/** @typedef {import("./app.js").Context} Context */

/** @param {Context} context */
export async function show(context) {
  const id = context.parts[1] ?? "";
  const tokens = seatTokens(id);
  const own = tokens.size ? null : player();
  const view = context.handover ?? (await api.view(id, undefined, own?.token));
  // A seat that this player took on another device.
  if (own && view.you !== undefined) tokens.set(view.you, own.token);
  const turn = new URLSearchParams(location.search).get("turn");
  const at = turn !== null && /^\d{1,6}$/.test(turn) ? Number(turn) : null;
  const page = new GamePage(context, {
    table: parseView(view),
    turns: [],
    at: at !== null && at < view.turn - 1 ? at : null,
    tokens,
    isTokenBad: hasUnreadableTokens(id) && tokens.size === 0,
    isLost: false,
    note: { text: "", mood: "" },
    asking: "",
    taking: 0,
    aimed: null,
    isAskingForRematch: false,
    series: seriesBefore(id),
    analysis: null,
  });
  await page.replay.fetchPast();
  return page;
}

/** The game, its rules and its clock. @param {import("./api_types").Table} table */
const describeGame = ({ variant, clock }) =>
  [`${gameName(variant)}. ${gameDetails(variant)}`, clock ? `${clockName(clockSettings(clock))}.` : ""]
    .join(" ")
    .trim();

export class GamePage {
  /** @param {Context} context @param {GameState} state */
  constructor(context, state) {
    this.context = context;
    this.state = state;
    this.pageLeft = new AbortController();
    /** Whether the player was told that their time gets short. */
    this.isWarned = false;
    /** The players whose earlier results are known. */
    this.seriesOf = "";
    this.requests = new Requests(this);
    this.updates = new Updates(this);
    this.replay = new Replay(this);

    this.board = new Board((move, isFinger) => this.requests.press(move, isFinger));
    this.status = h("h1", { class: "status", tabindex: -1 });
    this.detail = h("p", { class: "detail" });
    this.note = h("p", { class: "note" });
    this.warning = h("p", { class: "warning", role: "status", hidden: true });
    this.seats = h("ul", { class: "seats", "aria-label": t("seats") });
    this.series = h("p", { class: "series" });
    this.moves = makeMoveList((turn) => this.requests.look(turn));
    this.controls = h("div", { class: "controls" });
    this.invitation = makeInvitation(this);
    this.extra = h("div", { class: "extra" });
    this.sidePanel = makeSidePanel(this.board.root, this.moves.bar, this.moves.list, this.extra, this.detail);
    this.root = h(
      "div",
      { class: "table-page" },
      h("div", { class: "head" }, this.status, this.note, this.warning, this.seats, this.series),
      h("div", { class: "paper" }, this.board.root, this.board.zoomer),
      h("div", { class: "side" }, this.controls, this.invitation.root, this.sidePanel.root),
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
      r: () => void this.requests.takeBackByKey(),
      a: () => void this.requests.askForRematch(),
      n: () => void this.requests.newGame(),
    };
  }

  /** Called once the root is in the document. */
  async begin() {
    this.render();
    if (this.state.table.turn > 1) this.board.revealLast(true);
    // Screen readers read a document that was just loaded, but not a page that replaces another.
    if (!this.context.isFirst) this.context.announce(describeNow(this.state));
    this.updates.follow();
    const { signal } = this.pageLeft;
    this.ticker = setInterval(() => this.tick(), 100);
    addEventListener("offline", () => this.updates.onConnection("lost"), { signal });
    addEventListener("online", () => this.updates.follow(), { signal });
    // The server has the new name already, so the page only loads the view again.
    addEventListener("renamed", () => void this.updates.refetch(), { signal });
    // If the server does not have the last move yet, the browser asks, in its own words, before it closes the tab.
    addEventListener("beforeunload", (event) => this.state.table.pending !== null && event.preventDefault(), {
      signal,
    });
    addEventListener("pagehide", () => this.state.tokens.forEach((token) => api.leave(this.state.table.id, token)), {
      signal,
    });
    await this.updates.readTurns();
    if (this.state.at !== null) await this.replay.look(this.state.at);
    if (location.hash === "#analysis" && this.state.table.outcome) await this.openAnalysis();
  }

  /** Whether the user has gone to another page. If so, late answers are dropped. */
  get isLeft() {
    return this.pageLeft.signal.aborted;
  }

  leave() {
    clearInterval(this.ticker);
    this.pageLeft.abort();
    this.board.leave();
    this.state.analysis?.leave();
  }

  isLive() {
    return isLive(this.state);
  }

  /** Counts the clocks down, and warns once per turn when time gets short. */
  tick() {
    const { table, tokens } = this.state;
    if (!table.clock || table.outcome) return;
    const now = performance.now();
    showClocks(this.seats, table, now);
    const { running } = table.clock;
    const isLow = running !== null && tokens.has(running) && timeLeft(table, running, now) < LOW_MS;
    if (isLow && !this.isWarned) this.context.announce(t("lowTime", { n: Math.round(LOW_MS / 1000) }));
    this.isWarned = isLow;
  }

  escape() {
    if (this.state.aimed !== null) return this.set({ aimed: null });
    if (this.state.asking) return this.requests.ask("");
    if (this.sidePanel.close()) return;
    if (this.state.at !== null) this.requests.look(null);
  }

  /** Shows and announces a message; it disappears after 6 s unless it is bad news. @param {string} text @param {"" | "good" | "bad"} [mood] */
  showNote(text, mood = "") {
    if (this.isLeft) return;
    this.set({ note: { text, mood } });
    this.context.announce(text);
    clearTimeout(this.timer);
    if (mood !== "bad") this.timer = setTimeout(() => this.clearNote(), 6000);
  }

  clearNote() {
    if (!this.state.isLost && this.state.note.text) this.set({ note: { text: "", mood: "" } });
  }

  /** Changes the state and shows it. @param {Partial<GameState>} changed */
  set(changed) {
    Object.assign(this.state, changed);
    this.render();
  }

  render() {
    if (this.isLeft || !this.root.isConnected) return;
    const hadFocus = this.root.contains(document.activeElement);
    this.renderState();
    // A control that disappears must not take the focus to the start of the document.
    if (hadFocus && !this.root.contains(document.activeElement)) this.status.focus({ preventScroll: true });
  }

  renderState() {
    const { state } = this;
    const { table, at } = state;
    const mine = mineOf(state);
    const done = table.turn - 1;
    // A past position that is not loaded yet is rendered when it arrives.
    const shown = this.replay.position();
    if (shown) {
      const leaving = state.asking === "rewind" && state.taking ? playsOnBoard(state.turns).slice(-state.taking) : [];
      this.board.show(shown, {
        mine,
        leaving: new Set(leaving),
        isStill: at !== null,
        aimed: state.aimed,
        best: state.analysis?.best(at ?? done) ?? null,
        values: state.analysis?.values(at ?? done) ?? null,
      });
    }
    setAttribute(this.root, "data-lost", state.isLost);
    setAttribute(this.root, "data-waiting", phaseOf(table) === "waiting");
    setAttribute(this.root, "data-invited", isInvited(state));
    setAttribute(this.root, "data-ending", table.outcome && mine.size && at === null ? endingOf(table, mine) : null);
    this.renderStatus(mine);
    patch(this.seats, seatList(state, shown ?? table));
    setText(this.series, seriesLine(state));
    void this.loadSeries();
    patch(this.controls, controlsFor(state, this.requests));
    this.invitation.show(state);
    this.sidePanel.show();
    this.moves.show(table, state.turns, at, state.analysis?.remarks());
    patch(this.extra, gameExtras(this));
    setText(this.detail, describeGame(table));
    this.context.setTitle(titleOf(state));
    this.context.setTurn(isMyTurn(state), table);
  }

  /** @param {Set<number>} mine */
  renderStatus(mine) {
    const { state } = this;
    const { table, at, note } = state;
    const position = at === null ? "" : t("position", { n: at, total: table.turn - 1 });
    const status = isInvited(state)
      ? invitationTitle(table)
      : at === null || isMyTurn(state)
        ? statusOf(table, mine)
        : "";
    setText(this.status, [status, position].filter(Boolean).join(" "));
    setAttribute(this.status, "data-mine", isMyTurn(state));
    setText(this.note, note.text);
    setAttribute(this.note, "data-mood", note.mood || null);
    const isKept = state.tokens.size === 0 || areTokensStored(table.id);
    setText(this.warning, state.isTokenBad ? t("tokenBad") : isKept || table.outcome ? "" : t("notStored"));
    this.warning.hidden = !this.warning.textContent;
  }

  /** Reads the earlier results between two players, once they sit at the table. */
  async loadSeries() {
    const players = this.state.table.seats.map((seat) => seat.player).join();
    if (players === this.seriesOf) return;
    this.seriesOf = players;
    const series = await resultsBefore(this.state.table).catch(() => null);
    if (series) this.set({ series });
  }

  async openAnalysis() {
    // With this address, a reload opens the analysis again.
    history.replaceState(history.state, "", `${location.pathname}${location.search}#analysis`);
    const { AnalysisPanel } = await import("./analysis.js");
    const analysis = new AnalysisPanel(this.state.table, mineOf(this.state), (turn) => this.requests.look(turn));
    this.set({ analysis });
    // The button that had the focus is gone, so the focus moves to the analysis.
    analysis.root.focus({ preventScroll: true });
    analysis.root.scrollIntoView({ block: "nearest" });
    await analysis.load();
    this.render();
    // Now that it has its size.
    analysis.root.scrollIntoView({ block: "nearest" });
  }

  async share() {
    const [{ shareCard }, { dialog }] = await Promise.all([import("./share.js"), import("./dialogs.js")]);
    const hint = phaseOf(this.state.table) === "waiting" ? t("linkHint") : t("linkWatch");
    dialog(t("shareWatch"), shareCard(location.href, hint));
  }
}
