// The marks of the sides, as strokes in a square of 100 by 100.

import { s } from "./dom.js";

const SHAPES = [
  ["M25 25L75 75", "M75 25L25 75"],
  ["M50 22A28 28 0 1 0 50 78A28 28 0 1 0 50 22"],
  ["M50 22L79 73L21 73Z"],
  ["M26 26H74V74H26Z"],
  ["M50 18L82 50L50 82L18 50Z"],
  ["M50 18V50L80 40M50 50L69 76M50 50L31 76M50 50L20 40"],
  ["M50 20L76 35V65L50 80L24 65V35Z"],
  ["M50 80V20", "M26 44L50 20L74 44"],
];

/** The number of sides that have a shape; the others show their symbol. */
export const SHAPED = SHAPES.length;

/**
 * Draws the mark of a side.
 * @param {number} side @param {string} symbol
 */
export function drawMark(side, symbol) {
  const shape = SHAPES[side];
  const strokes = shape
    ? shape.map((d, at) => s("path", { d, pathLength: 1, class: at ? "second" : "" }))
    : [s("text", { x: 50, y: 52 }, symbol)];
  return s("svg", { class: `mark side-${side % SHAPED}`, viewBox: "0 0 100 100", "aria-hidden": "true" }, ...strokes);
}
