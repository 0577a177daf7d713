// The clocks of a table. The server sends the time left; between its messages the page counts down by itself, with a
// clock that does not depend on the date of the device.

import { h, setAttribute, setText } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/** Below this much time a clock is marked, and its player is told once. */
export const LOW_MS = 20_000;
const HOUR_MS = 3_600_000;

/** The time left of a seat, in milliseconds. @param {Table} table @param {number} seat @param {number} now from `performance.now()` */
export function timeLeft({ clock, clockAt }, seat, now) {
  if (!clock) return Infinity;
  const left = clock.left_ms[seat] ?? 0;
  return Math.max(0, clock.running === seat ? left - (now - clockAt) : left);
}

/** `3 d 4 h`, `1:02:03`, `2:05`, and tenths of a second below ten seconds: `0:09.4`. @param {number} ms */
export function formatTimeLeft(ms) {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours >= 24) return t("daysHours", { days: Math.floor(hours / 24), hours: hours % 24 });
  if (ms < 10_000) return `0:0${(Math.floor(ms / 100) / 10).toFixed(1)}`;
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [minutes, seconds] = [Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** The clock beside a seat. It is not announced: it would never stop talking. @param {number} seat */
export function makeClock(seat) {
  const root = h("span", { class: "clock", role: "timer", "aria-live": "off" });
  /** @param {Table} table */
  const show = (table) => {
    const left = timeLeft(table, seat, performance.now());
    setText(root, formatTimeLeft(left));
    const isRunning = table.clock?.running === seat && !table.outcome;
    setAttribute(root, "data-running", isRunning);
    setAttribute(root, "data-low", left < LOW_MS && !table.outcome);
  };
  return { root, show };
}
