// Names of cells, boards and sides.

import { SHAPED } from "./marks.js";
import { cellOf } from "./variant.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Variant} Variant */

const NINTHS = /** @type {const} */ ([
  "topLeft",
  "top",
  "topRight",
  "left",
  "centre",
  "right",
  "bottomLeft",
  "bottom",
  "bottomRight",
]);

/** The name of one of nine cells or boards. @param {number} at */
export const ninth = (at) => t(NINTHS[at] ?? "centre");

/**
 * The place of a move in a sentence: on a small board in words, with gravity the column, otherwise the letter of the
 * column and the number of the row, which the edge of the board shows.
 * @param {Variant} variant @param {string} move
 */
export function placeName(variant, move) {
  const cell = cellOf(variant, move);
  if (variant.nine) return t("onBoard", { board: ninth(Math.floor(cell / 9)), place: ninth(cell % 9) });
  if (variant.columns === 3 && variant.rows === 3) return ninth(cell);
  const column = cell % variant.columns;
  if (variant.gravity) return t("columnPlace", { column: column + 1 });
  if (variant.columns > LETTERS) return rowAndColumn(variant, cell);
  return `${columnLetter(column)}${Math.floor(cell / variant.columns) + 1}`;
}

/** A shorter name of the place of a move, for a list of moves. @param {Variant} variant @param {string} move */
export function shortPlace(variant, move) {
  const cell = cellOf(variant, move);
  return variant.nine ? `${ninth(Math.floor(cell / 9))} · ${ninth(cell % 9)}` : placeName(variant, move);
}

/** The name of a cell. With gravity it also has the row, because a column has many cells. @param {Variant} variant @param {string} move */
export function cellName(variant, move) {
  return variant.gravity ? rowAndColumn(variant, cellOf(variant, move)) : placeName(variant, move);
}

/** @param {Variant} variant @param {number} cell */
const rowAndColumn = ({ columns }, cell) =>
  t("rowColumn", { row: Math.floor(cell / columns) + 1, column: (cell % columns) + 1 });

/** The columns that have letters; on wider boards columns have numbers. */
const LETTERS = 26;

/** The name of a column at the edge of the board. @param {Variant} variant @param {number} column from 0 */
export const columnName = (variant, column) =>
  variant.gravity || variant.columns > LETTERS ? String(column + 1) : columnLetter(column);

/** @param {number} column from 0 */
const columnLetter = (column) => String.fromCharCode(97 + column);

const SIDES = /** @type {const} */ (["cross", "nought", "triangle", "square", "diamond", "star", "hexagon", "arrow"]);

/** The name of a side's mark. @param {number} side @param {string} [symbol] */
export const sideName = (side, symbol) => (side < SHAPED ? t(SIDES[side] ?? "cross") : (symbol ?? String(side)));
