// A quick match: the server looks for an opponent, and a dialog waits until there is one.

import { Refusal, Unreachable, api, wait } from "./api.js";
import { h, setText } from "./dom.js";
import { startMyEvents } from "./my_events.js";
import { ensurePlayer } from "./player.js";
import { gameName } from "./labels.js";
import { notify } from "./notifications.js";
import { describeRefusal } from "./refusals.js";
import { dialog } from "./dialogs.js";
import { sound } from "./sound.js";
import { parseVariant } from "./variant.js";
import { t } from "./i18n.js";

/** How often the page asks for the state of the match, in case the event is lost, and for the number of waiting players. */
const ASK_MS = 3000;

/** Looks for an opponent until one is found or the user closes the dialog. @param {import("./app.js").Context} context @param {import("./api_types").NewMatch} wanted */
export async function findOpponent(context, wanted) {
  const variant = parseVariant(wanted.variant);
  const closed = new AbortController();
  const count = h("p", { class: "hint", role: "status" });
  const note = h("p", { class: "note", role: "alert" });
  const box = dialog(
    t("quickMatch"),
    h("p", { class: "searching" }, t("searching", { game: variant ? gameName(variant) : wanted.variant })),
    count,
    note,
    h("button", { type: "button", click: () => box.close() }, t("cancel")),
  );
  box.addEventListener("close", () => closed.abort());
  const player = await ensurePlayer();
  if (!player) return setText(note, t("noPlayer"));
  const { token } = player;
  /** @type {string | null} */
  let id = null;
  let isFound = false;
  const found = (/** @type {string | undefined} */ game) => {
    if (!game || isFound || closed.signal.aborted) return;
    isFound = true;
    sound("joined");
    void notify(t("opponentFound"));
    context.announce(t("opponentFound"));
    box.close();
    context.go(`/game/${game}`);
  };
  closed.signal.addEventListener("abort", () => {
    if (id && !isFound) void api.cancelMatch(token, id).catch(() => {});
  });
  addEventListener("match", (event) => found(/** @type {CustomEvent} */ (event).detail.id), { signal: closed.signal });
  startMyEvents();
  while (!closed.signal.aborted) {
    try {
      /** @type {import("./api_types").QuickMatchView} */
      const match = id === null ? await api.requestMatch(token, wanted) : await api.match(token, id);
      id = match.id;
      if (closed.signal.aborted) return void api.cancelMatch(token, match.id).catch(() => {});
      found(match.game);
      const { games } = await api.waitingMatches();
      const same = games.find((game) => game.variant === wanted.variant && isSameClock(game.clock, wanted.clock));
      const others = Math.max(0, (same?.waiting ?? 1) - 1);
      setText(count, others ? t("othersWaiting", { n: others }) : t("nobodyWaiting"));
      setText(note, "");
    } catch (error) {
      // The server forgets a match whose player was away, so request it again.
      if (error instanceof Refusal && error.kind === "no-such-match") id = null;
      else if (error instanceof Refusal) return setText(note, describeRefusal(error));
      else if (error instanceof Unreachable) setText(note, t("lost"));
    }
    await wait(ASK_MS, closed.signal);
  }
}

/** @param {object | undefined} a @param {object | undefined} b */
const isSameClock = (a, b) =>
  JSON.stringify(Object.entries(a ?? {}).sort()) === JSON.stringify(Object.entries(b ?? {}).sort());
