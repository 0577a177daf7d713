// Variants as text, `7x6k4+gravity`, parsed and formatted. The server checks them.

/** @typedef {import("./api_types").Variant} Variant */

/** The ranges of the numbers in a variant; the server checks them again. */
export const MIN_SIZE = 3;
export const MAX_SIZE = 255;
export const MAX_SIDES = 64;

/**
 * @param {string} name
 * @returns {Variant | null} null if this page does not know the variant
 */
export function parseVariant(name) {
  const nested = /^(multi|ultimate)(?:@([0-8]))?$/.exec(name);
  if (nested) {
    const nine = /** @type {"multi" | "ultimate"} */ (nested[1]);
    const first = nested[2] === undefined ? null : Number(nested[2]);
    return {
      name,
      columns: 9,
      rows: 9,
      line: 3,
      sides: 2,
      misere: false,
      gravity: false,
      exact: false,
      nine,
      first,
    };
  }
  const grid = /^(\d+)x(\d+)k(\d+)(?:p(\d+))?((?:\+[a-z]+)*)$/.exec(name);
  if (!grid) return null;
  const extras = (grid[5] ?? "").split("+");
  return {
    name,
    columns: Number(grid[1]),
    rows: Number(grid[2]),
    line: Number(grid[3]),
    sides: Number(grid[4] ?? 2),
    misere: extras.includes("misere"),
    gravity: extras.includes("gravity"),
    exact: extras.includes("exact"),
    nine: null,
    first: null,
  };
}

/** @param {Omit<Variant, "name">} variant */
export function formatVariant(variant) {
  if (variant.nine) return variant.first === null ? variant.nine : `${variant.nine}@${variant.first}`;
  const { columns, rows, line, sides } = variant;
  return [
    `${columns}x${rows}k${line}`,
    sides === 2 ? "" : `p${sides}`,
    variant.misere ? "+misere" : "",
    variant.gravity ? "+gravity" : "",
    variant.exact ? "+exact" : "",
  ].join("");
}

/** The number of cells. @param {Variant} variant */
export const cellCount = (variant) => variant.columns * variant.rows;

/** The index of a move in the list of cells.
 * @param {Variant} variant @param {string} move */
export function cellOf(variant, move) {
  const [first, second] = move.split("-").map(Number);
  return (first ?? 0) * variant.columns + (second ?? 0);
}

/** @param {Variant} variant @param {number} cell */
export const moveOf = (variant, cell) => `${Math.floor(cell / variant.columns)}-${cell % variant.columns}`;
