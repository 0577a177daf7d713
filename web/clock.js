// The clocks of a table. The server sends the time left; between its messages the page counts down by itself, with a
// clock that does not depend on the date of the device.

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

/** Whether a clock is to be marked. @param {Table} table @param {number} left */
export const isLow = ({ clock, outcome }, left) => !outcome && !clock?.days && left < LOW_MS;

/** The clocks to choose from: settings, or null for none. @type {Record<string, import("./api_types").ClockForm | null>} */
export const CLOCKS = {
  none: null,
  "1+1": { base: 60, increment: 1 },
  "3+2": { base: 180, increment: 2 },
  "10+5": { base: 600, increment: 5 },
  move: { move: 30 },
  days: { days: 3 },
};

/** The settings of the clock of a table, as for a new table. @param {import("./api_types").ListedClock} clock @returns {import("./api_types").ClockForm} */
export const clockSettings = ({ base, increment, move, days }) =>
  base ? { base, increment: increment ?? 0 } : move ? { move } : { days: days ?? 1 };

/** A clock in words. @param {import("./api_types").ClockForm | null} clock */
export function clockName(clock) {
  if (!clock) return t("clockNone");
  if ("days" in clock) return t("clockDays", { n: clock.days });
  if ("move" in clock) return t("clockMove", { n: clock.move });
  const base = clock.base % 60 ? t("seconds", { n: clock.base }) : t("minutes", { n: clock.base / 60 });
  return clock.increment ? t("clockIncrement", { base, n: clock.increment }) : base;
}

/** The choices of a select box. @returns {[string, string][]} */
export const clockChoices = () => Object.entries(CLOCKS).map(([name, clock]) => [name, clockName(clock)]);
