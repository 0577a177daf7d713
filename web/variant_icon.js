// Small pictures of variants.

import { s } from "./dom.js";
import { drawMark } from "./marks.js";

/** @typedef {import("./api_types").Variant} Variant */

/** Sample positions: rows of sides, `.` for empty cells. @type {Record<string, string[]>} */
const SAMPLES = {
  "3x3k3": ["0.1", ".0.", "1.0"],
  "3x3k3+misere": ["01.", ".0.", ".1."],
  "7x6k4+gravity": [".....", ".....", "..1..", ".010.", "10011"],
  "15x15k5": [".....", ".1.1.", ".00..", "..01.", "1..0."],
  "4x4k3p3": ["0..2", ".12.", ".01.", "...."],
  "7x7k4": ["1....", ".01..", "..0..", ".1.0.", "....."],
};
const NINE = [
  "0........",
  "....1....",
  "..0......",
  "...0.....",
  "....0...1",
  "1........",
  ".....1...",
  "........0",
  ".1.......",
];

/** @param {Variant} variant */
export function variantIcon(variant) {
  const svg = s("svg", { class: "picture", viewBox: "0 0 100 100", "aria-hidden": "true" });
  if (variant.nine) {
    NINE.forEach((marks, board) => {
      const rows = [marks.slice(0, 3), marks.slice(3, 6), marks.slice(6)];
      drawGrid(svg, rows, 4 + (board % 3) * 32.5, 4 + Math.floor(board / 3) * 32.5, 27);
    });
  } else {
    drawGrid(svg, SAMPLES[variant.name] ?? general(variant), 6, 6, 88);
  }
  return svg;
}

/** A sample for any other grid. @param {Variant} variant */
function general(variant) {
  const size = Math.min(6, Math.max(variant.columns, variant.rows));
  const [columns, rows] = [Math.min(size, variant.columns), Math.min(size, variant.rows)];
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const at = row * columns + column;
      const isMarked = (at * 7 + row) % 5 === 0;
      return isMarked ? String(at % Math.min(8, variant.sides)) : ".";
    }).join(""),
  );
}

/** @param {SVGElement} svg @param {string[]} rows @param {number} x @param {number} y @param {number} size */
function drawGrid(svg, rows, x, y, size) {
  const columns = rows[0]?.length ?? 3;
  const cell = size / Math.max(columns, rows.length);
  const [width, height] = [cell * columns, cell * rows.length];
  const [left, top] = [x + (size - width) / 2, y + (size - height) / 2];
  let d = "";
  for (let at = 1; at < columns; at++) d += `M${left + at * cell} ${top}v${height}`;
  for (let at = 1; at < rows.length; at++) d += `M${left} ${top + at * cell}h${width}`;
  svg.append(s("path", { d, class: "rules" }));
  rows.forEach((row, down) =>
    [...row].forEach((side, across) => {
      if (side === ".") return;
      const drawn = drawMark(Number(side), side);
      for (const [name, value] of Object.entries({
        x: left + across * cell,
        y: top + down * cell,
        width: cell,
        height: cell,
      })) {
        drawn.setAttribute(name, String(value));
      }
      svg.append(drawn);
    }),
  );
}
