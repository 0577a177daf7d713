// The strokes through winning lines: the server names the cells, and this module finds the end points.

/** @typedef {{ row: number, column: number }} Place */

const DIRECTIONS = /** @type {const} */ ([
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
]);

/**
 * The end points of every run of at least `least` adjacent places.
 * @param {Place[]} places @param {number} least
 * @returns {[Place, Place][]}
 */
export function strokes(places, least) {
  const key = (/** @type {number} */ row, /** @type {number} */ column) => `${row}-${column}`;
  const there = new Set(places.map(({ row, column }) => key(row, column)));
  /** @type {[Place, Place][]} */
  const found = [];
  for (const [down, across] of DIRECTIONS) {
    for (const from of places) {
      if (there.has(key(from.row - down, from.column - across))) continue;
      let length = 1;
      while (there.has(key(from.row + length * down, from.column + length * across))) length++;
      const to = { row: from.row + (length - 1) * down, column: from.column + (length - 1) * across };
      if (length >= least) found.push([from, to]);
    }
  }
  return found;
}
