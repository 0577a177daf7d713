// Going through the positions of a game, and playing on from one of them.

import { Refusal, api } from "./api.js";
import { mineOf } from "./game_state.js";
import { turnToPlayOnFrom } from "./game_requests.js";
import { parseView } from "./table.js";

/** @typedef {import("./api_types").Table} Table */

/** Maximum number of cached past positions: the largest boards take half a megabyte each. */
const MAX_PAST = 64;

export class Replay {
  /** @param {import("./game.js").GamePage} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<number, Table>} */
    this.past = new Map();
  }

  /** The position that is shown; undefined if it is not loaded yet. @returns {Table | undefined} */
  position() {
    const { at, table } = this.page.state;
    return at === null || at >= table.turn - 1 ? table : this.past.get(at);
  }

  /** @param {number | null} turn completed turns; null: the present */
  async look(turn) {
    const { page } = this;
    const total = page.state.table.turn - 1;
    const at = turn === null || turn >= total ? null : Math.max(0, turn);
    if (at === null) page.clearNote();
    const address = at === null ? location.pathname : `${location.pathname}?turn=${at}`;
    history.replaceState(history.state, "", address + location.hash);
    // The state changes at once, so that further presses of a key count from this turn.
    page.set({ at, aimed: null });
    await this.fetchPast();
    page.render();
    // Loads the neighbouring positions for keys held down.
    if (at !== null) for (const near of [at + 1, at - 1]) void this.fetchPast(near);
  }

  /** @param {number | null} [turn] */
  async fetchPast(turn = this.page.state.at) {
    const { table } = this.page.state;
    if (turn === null || turn < 0 || turn >= table.turn - 1 || this.past.has(turn)) return;
    try {
      this.past.set(turn, parseView(await api.view(table.id, turn)));
      const [oldest] = this.past.keys();
      if (this.past.size > MAX_PAST && oldest !== undefined) this.past.delete(oldest);
    } catch (error) {
      if (turn === this.page.state.at && error instanceof Refusal) this.page.set({ at: null });
    }
  }

  /** Opens the dialog that starts a new game from the position shown. */
  async playOn() {
    const { table, at } = this.page.state;
    const { playOn } = await import("./new_game.js");
    const from = at ?? turnToPlayOnFrom(table);
    await this.fetchPast(from);
    playOn(this.page.context, this.past.get(from) ?? table, from, mineOf(this.page.state));
  }
}
