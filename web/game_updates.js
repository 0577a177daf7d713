// Updates from the server about a game: views, turns, seats, offers, and the state of the connection.

import { announceOffers, announceSeats, announceTurn } from "./announcements.js";
import { api, wakeRetries } from "./api.js";
import { followGame } from "./event_stream.js";
import { saveSeatTokens } from "./seat_tokens.js";
import { parseRecord } from "./record.js";
import { parseView, phaseOf, seatsOffering, withChange, withOffers, withPlay, withPresence } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/** A robot's reply is shown this long after the player's move: an instant reply is easily missed. */
const BEAT_MS = 350;

export class Updates {
  /** @param {import("./game.js").GamePage} page */
  constructor(page) {
    this.page = page;
    /** The number of the latest request for the view. */
    this.refetches = 0;
    /** The log entry of a robot's reply that is shown after `BEAT_MS`. */
    this.heldEntry = 0;
  }

  get state() {
    return this.page.state;
  }

  /** Opens the event stream, with the token of a seat if this browser has one. */
  follow() {
    const { table, tokens } = this.state;
    const token = [...tokens.values()][0] ?? null;
    this.connection?.abort();
    this.connection = new AbortController();
    const { signal } = this.connection;
    this.page.pageLeft.signal.addEventListener("abort", () => this.connection?.abort());
    void followGame(
      table.id,
      token,
      {
        view: (view) => {
          if (token !== null && view.you !== undefined) this.correctSeat(token, view.you);
          this.receive(parseView(view));
        },
        change: (change) => {
          const { table } = this.state;
          // The answer to a move has already brought this change.
          if (change.entry <= table.entry) return;
          if (change.turn !== table.turn + 1) return void this.refetch();
          this.receive(withChange(table, change));
        },
        presence: (presence) => {
          const before = this.state.table;
          this.page.set({ table: withPresence(before, presence) });
          announceSeats(this.page, before);
          // The game has begun. Only its view has the legal moves.
          if (phaseOf(before) === "waiting") void this.refetch();
        },
        offers: (offers) => {
          const before = this.state.table;
          this.page.set({ table: withOffers(before, offers) });
          announceOffers(this.page, before);
        },
        connection: (state) => this.onConnection(state),
      },
      signal,
    );
  }

  /** @param {import("./event_stream.js").ConnectionState} connection */
  onConnection(connection) {
    const { page } = this;
    if (page.isLeft) return;
    if (connection === "gone") return page.showNote(t("noSuchGame"), "bad");
    if (connection === "refused") return this.dropTokens();
    if (connection === "open") wakeRetries();
    if (connection === "lost" && !this.state.isLost) {
      page.set({ isLost: true });
      page.showNote(navigator.onLine ? t("lost") : t("offline"), "bad");
    } else if (connection === "open" && this.state.isLost) {
      page.set({ isLost: false });
      page.showNote(t("back"), "good");
    }
  }

  /** Loads the view. Of several requests only the latest counts: answers may arrive in any order. */
  async refetch() {
    const number = ++this.refetches;
    try {
      const view = await this.page.requests.retry(() => api.view(this.state.table.id));
      if (number === this.refetches) this.receive(parseView(view));
    } catch {
      // The server refused the request. The event stream reports what is wrong.
    }
  }

  /** Stores a token for the right seat, because it may have been stored for another seat. @param {string} token @param {number} seat */
  correctSeat(token, seat) {
    if (this.state.tokens.get(seat) === token) return;
    const tokens = new Map([...this.state.tokens].filter(([, stored]) => stored !== token)).set(seat, token);
    saveSeatTokens(this.state.table.id, Object.fromEntries(tokens));
    this.page.set({ tokens });
  }

  /** The server does not accept the tokens of this browser: the player becomes a spectator and is told why. */
  dropTokens() {
    this.page.requests.queuedMove = null;
    this.page.set({ tokens: new Map(), isTokenBad: true, table: { ...this.state.table, pending: null } });
    this.follow();
    this.page.context.announce(t("tokenBad"));
  }

  /** Shows a newer state of the table. @param {Table} table */
  receive(table) {
    const { page } = this;
    const { table: before, turns } = this.state;
    // Answers and events can arrive in any order. A robot's reply that is not shown yet is newer than the answer to
    // the move before it.
    if (table.entry < Math.max(before.entry, this.heldEntry) || page.isLeft) return;
    clearTimeout(this.held);
    this.heldEntry = 0;
    const early = page.requests.playedAt + BEAT_MS - performance.now();
    const isReply = table.turn > before.turn && table.last && table.seats[table.last.seat]?.kind === "robot";
    if (isReply && early > 0) {
      this.held = setTimeout(() => this.receive(table), early);
      this.heldEntry = table.entry;
      return;
    }
    // A move that was sent stays on the board until the server answers it.
    const isUnderWay = before.pending !== null && table.turn === before.turn && !table.outcome;
    const done = table.turn - 1;
    const isNext = table.last !== null && done === turns.length + 1;
    if (!isNext && done !== turns.length) void this.readTurns();
    const hasAsked =
      this.state.isAskingForRematch || seatsOffering(before, "rematch").some((seat) => this.state.tokens.has(seat));
    page.set({
      table: isUnderWay && before.pending ? withPlay(table, before.pending) : table,
      turns: isNext && table.last ? [...turns, table.last] : turns,
      ...(table.turn > before.turn ? { asking: "", aimed: null } : {}),
    });
    if (table.turn > before.turn) announceTurn(page, before);
    else announceSeats(page, before);
    announceOffers(page, before);
    if (table.rematch && !before.rematch && hasAsked) void page.requests.goToRematch();
    page.requests.playQueued();
  }

  /** Loads the turns so far from the record. */
  async readTurns() {
    try {
      const { turns } = parseRecord(await api.record(this.state.table.id));
      if (turns.length >= this.state.turns.length) this.page.set({ turns });
    } catch {
      // The record cannot be loaded. The board works, but the list of moves is incomplete.
    }
  }
}
