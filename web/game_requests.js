// The requests of a player at a table: moves, offers, claims, taking a seat, playing again.

import { Refusal, api, freshKey, retry } from "./api.js";
import { clockSettings } from "./clock.js";
import { actingSeat, isMyTurn, isWithPeople, mineOf } from "./game_state.js";
import { offerState } from "./offers.js";
import { setPreferences } from "./preferences.js";
import { describeNotPlayable, describeRefusal } from "./refusals.js";
import { saveSeatTokens, seatTokens } from "./seat_tokens.js";
import { keepSeries } from "./series.js";
import { confirm } from "./dialogs.js";
import { statusOf } from "./labels.js";
import { sound } from "./sound.js";
import { nextSeat, otherPeople, parseView, phaseOf, targetOf, whyNotPlayable, winners, withPlay } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/**
 * The number of turns that are kept when a game is played on. While the game runs: all turns. After its end: the turns
 * before the last position in which a side that did not win was to move.
 * @param {Table} table
 */
export function turnToPlayOnFrom({ outcome, last, turn }) {
  if (!outcome) return turn - 1;
  const isLastByLoser = last !== null && !winners(outcome).includes(last.seat);
  return Math.max(0, turn - (isLastByLoser ? 2 : 3));
}

export class Requests {
  /** @param {import("./game.js").GamePage} page */
  constructor(page) {
    this.page = page;
    /** A cell that was pressed before the server has answered the previous move, if this browser plays both sides. @type {string | null} */
    this.queuedMove = null;
    /** When this browser last played, from `performance.now()`. */
    this.playedAt = -Infinity;
    this.isLeavingForRematch = false;
    this.isBusy = false;
    this.isTakingSeat = false;
  }

  get state() {
    return this.page.state;
  }

  /** Repeats a request until the server answers or the user leaves the page. @template T @param {() => Promise<T>} send */
  retry(send) {
    const { signal } = this.page.pageLeft;
    return retry(send, { signal, onUnreachable: () => this.page.updates.onConnection("lost") });
  }

  // Moves.

  /** @param {string} move @param {boolean} [isFinger] pressed by a finger that may have missed */
  press(move, isFinger = false) {
    const { table, tokens, at, aimed } = this.state;
    if (at !== null) return this.page.showNote(t("lookingBack", { n: at }));
    if (phaseOf(table) === "waiting" && !tokens.size) return void this.sit();
    if (table.pending !== null && tokens.has(nextSeat(table) ?? -1)) {
      this.queuedMove = move;
      return;
    }
    const why = whyNotPlayable(table, move, mineOf(this.state));
    if (why) {
      this.page.set({ aimed: null });
      return this.page.showNote(describeNotPlayable(why, table, tokens.size === 0));
    }
    const play = targetOf(table, move);
    if (isFinger && aimed !== play) {
      this.page.set({ aimed: play });
      return this.page.context.announce(t("aimed"));
    }
    this.play(play);
  }

  /** Plays the cell that was aimed at. */
  confirmAim() {
    const { aimed } = this.state;
    if (aimed !== null && isMyTurn(this.state)) this.play(aimed);
  }

  /** @param {string} play */
  play(play) {
    const { table } = this.state;
    const by = table.toMove ?? 0;
    this.playedAt = performance.now();
    this.page.clearNote();
    this.page.set({ table: withPlay(table, play), aimed: null });
    sound("mark");
    void this.send(by, { turn: table.turn, play });
  }

  /** Plays the queued move, after the server has answered the previous one. */
  playQueued() {
    const { queuedMove } = this;
    if (queuedMove === null || this.state.table.pending !== null) return;
    this.queuedMove = null;
    if (!this.state.table.outcome) this.press(queuedMove);
  }

  /** @param {number} by @param {object} act @returns {Promise<boolean>} whether the server accepted it */
  async send(by, act) {
    const { page } = this;
    const token = this.state.tokens.get(by);
    if (!token) return false;
    const key = freshKey();
    try {
      const view = await this.retry(() => api.act(this.state.table.id, token, act, key));
      page.updates.receive(parseView(view));
      if (this.state.isLost) page.updates.onConnection("open");
      return true;
    } catch (error) {
      if (page.isLeft) return false;
      this.queuedMove = null;
      page.set({ table: { ...this.state.table, pending: null } });
      await page.updates.refetch();
      if (!(error instanceof Refusal)) return false;
      if (error.problem.status === 401 || error.problem.status === 403) page.updates.dropTokens();
      else page.showNote(describeRefusal(error));
      return false;
    }
  }

  // Taking back.

  /** Starts or stops choosing. @param {"" | "rewind"} what */
  ask(what) {
    const { table, asking } = this.state;
    if (what === "rewind" && !(isMyTurn(this.state) && table.rewind !== null && table.history > 0)) return;
    const next = asking === what ? "" : what;
    this.page.set({ asking: next, taking: Math.min(1, table.rewind ?? 0) });
    if (next) this.page.controls.querySelector("button")?.focus();
  }

  /** @param {number} taking */
  setTaking(taking) {
    this.page.set({ taking });
  }

  async rewind() {
    const { table, taking } = this.state;
    this.page.set({ asking: "" });
    await this.send(table.toMove ?? 0, { turn: table.turn, rewind: taking });
  }

  /** Takes back the player's last move: at once against robots, otherwise with the consent of the others. */
  async takeBack() {
    const mine = mineOf(this.state);
    const last = this.state.turns.findLast((turn) => turn.kind === "play" && mine.has(turn.seat));
    if (!last || this.state.table.outcome) return;
    if (!(await this.send(last.seat, { offer: "takeback" }))) return;
    await this.agree(last.seat, "takeback");
  }

  /** Lets the other seats of this browser accept an offer of one of them. @param {number} seat @param {"draw" | "takeback"} kind */
  async agree(seat, kind) {
    for (const other of this.state.tokens.keys()) {
      if (other === seat || !this.state.table.offers.some((offer) => offer.kind === kind)) continue;
      await this.send(other, { accept: kind });
    }
    if (!isWithPeople(this.state)) return;
    this.page.context.announce(offerState(this.state.table, mineOf(this.state), kind).text);
  }

  /** `r`: a rewind where the game has one, otherwise a takeback. */
  async takeBackByKey() {
    if (this.state.table.history > 0) this.ask("rewind");
    else await this.takeBack();
  }

  // Offers and ends.

  async offerDraw() {
    const seat = actingSeat(this.state);
    if (await this.send(seat, { offer: "draw" })) await this.agree(seat, "draw");
  }

  /** Accepts, declines or withdraws an offer. @param {"draw" | "takeback" | "rematch"} kind @param {"accept" | "decline"} verb */
  async answer(kind, verb) {
    const own = this.state.table.offers.find((offer) => offer.kind === kind && this.state.tokens.has(offer.seat));
    if (own) return void (await this.send(own.seat, { [verb]: kind }));
    for (const seat of this.state.tokens.keys()) {
      if (!this.state.table.offers.some((offer) => offer.kind === kind)) return;
      await this.send(seat, { [verb]: kind });
    }
  }

  /** @param {"win" | "draw"} what */
  async claim(what) {
    await this.send(actingSeat(this.state), { claim: what });
  }

  async abort() {
    const isWaiting = phaseOf(this.state.table) === "waiting";
    if (isWaiting || (await confirm(t("callOffSure"), t("callOff"), t("callOffMore")))) {
      await this.send(actingSeat(this.state), { abort: true });
    }
  }

  async resign() {
    if (!(await confirm(t("resignSure"), t("resign")))) return;
    await this.send(actingSeat(this.state), { turn: this.state.table.turn, resign: true });
  }

  // Seats.

  /** Takes the first open seat. */
  async sit() {
    const seat = this.state.table.seats.findIndex(({ kind }) => kind === "open");
    if (seat >= 0) await this.takeSeat(seat);
  }

  /** @param {number} seat */
  async takeSeat(seat) {
    if (this.isTakingSeat) return;
    this.isTakingSeat = true;
    const { page } = this;
    const { id } = this.state.table;
    const field = page.root.querySelector("input.name");
    if (field instanceof HTMLInputElement) setPreferences({ name: field.value.trim() });
    const key = freshKey();
    try {
      const { takeSeat } = await import("./taking_seats.js");
      const view = await this.retry(() => takeSeat(id, seat, key));
      page.set({ tokens: seatTokens(id) });
      page.updates.receive(parseView(view));
      page.updates.follow();
      // The button that had the focus is gone.
      page.status.focus({ preventScroll: true });
      page.context.announce(statusOf(this.state.table, mineOf(this.state)));
    } catch (error) {
      if (error instanceof Refusal) page.showNote(describeRefusal(error));
      await page.updates.refetch();
    }
    this.isTakingSeat = false;
  }

  // Other games.

  /** Asks for a rematch for every seat of this browser. */
  async askForRematch() {
    const { table, tokens, isAskingForRematch } = this.state;
    if (!table.outcome || !tokens.size || isAskingForRematch) return;
    this.page.set({ isAskingForRematch: true });
    try {
      for (const token of tokens.values()) {
        const answer = await this.retry(() => api.rematch(table.id, token));
        this.page.updates.receive(parseView(answer));
      }
      const { text } = offerState(this.state.table, mineOf(this.state), "rematch");
      if (!this.state.table.rematch) this.page.context.announce(text);
    } catch (error) {
      if (error instanceof Refusal) this.page.showNote(describeRefusal(error));
    }
    this.page.set({ isAskingForRematch: false });
  }

  /** Goes to the rematch with the tokens of the seats there. */
  async goToRematch() {
    const { table, tokens, series } = this.state;
    const next = table.rematch;
    if (!next || this.isLeavingForRematch) return;
    this.isLeavingForRematch = true;
    try {
      /** @type {Record<string, string>} */
      const seats = {};
      for (const token of tokens.values()) {
        const answer = await this.retry(() => api.rematch(table.id, token));
        if (answer.token && answer.seat !== undefined) seats[answer.seat] = answer.token;
      }
      if (Object.keys(seats).length) saveSeatTokens(next, seats);
      keepSeries(next, series, table);
      if (!this.page.isLeft) this.page.context.go(`/game/${next}`);
    } catch {
      this.isLeavingForRematch = false;
    }
  }

  /** Starts the same game again. Against robots it starts at once; with people the page for new games opens. */
  async newGame() {
    const { table, tokens } = this.state;
    const isAlone = tokens.size > 0 && otherPeople(table, mineOf(this.state)).length === 0;
    const hasOpenSeat = table.seats.some(({ kind }) => kind === "open");
    if (!isAlone || hasOpenSeat) {
      const path = `/new?${new URLSearchParams({ game: table.variant.name })}`;
      return void this.page.context.leaveTo(path);
    }
    await this.again(table.seats.map(({ kind, name }) => (kind === "robot" ? name : "")));
  }

  /**
   * Creates a table like this one with these robots. An empty name means a seat of this browser.
   * @param {string[]} robots @param {boolean} [isFromHere] from the present position
   */
  async again(robots, isFromHere = false) {
    if (this.isBusy) return;
    this.isBusy = true;
    const { table } = this.state;
    const { createTable } = await import("./taking_seats.js");
    const start = isFromHere && table.turn > 1 ? { from: { game: table.id, after: table.turn - 1 } } : null;
    try {
      const created = await this.retry(() =>
        createTable({
          ...(start ?? { variant: table.variant.name }),
          history: table.history,
          seats: robots.map((robot) => (robot ? { robot } : { human: "" })),
          take: robots.flatMap((robot, seat) => (robot ? [] : [seat])),
          ...(table.clock ? { clock: clockSettings(table.clock) } : {}),
        }),
      );
      if (!this.page.isLeft) this.page.context.go(`/game/${created.id}`, created.view);
    } catch (error) {
      if (error instanceof Refusal) this.page.showNote(describeRefusal(error));
    }
    this.isBusy = false;
  }

  /** Goes on with a robot of another level. @param {number} level */
  async setLevel(level) {
    setPreferences({ level });
    const robots = this.state.table.seats.map(({ kind }) => (kind === "robot" ? `level:${level}` : ""));
    await this.again(robots, !this.state.table.outcome);
  }

  /** Looks at a position of the game; null: the present. @param {number | null} turn */
  look(turn) {
    void this.page.replay.look(turn);
  }

  playOn() {
    void this.page.replay.playOn();
  }
}
