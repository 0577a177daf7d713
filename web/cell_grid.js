// A grid of cells. Only its visible cells are in the document.

import { freshId, h, isStill, setAttribute } from "./dom.js";
import { drawMark } from "./marks.js";
import { ninth, sideName } from "./places.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */

/** The grid of a whole board, or of one of nine boards. */
export class CellGrid {
  /** @param {import("./board.js").Board} board @param {number} first @param {number} columns @param {number} rows @param {number | null} number */
  constructor(board, first, columns, rows, number) {
    this.board = board;
    this.first = first;
    this.columns = columns;
    this.rows = rows;
    this.number = number;
    /** The range of cells that is in the document. */
    this.seen = "";
    /** @type {Map<number, HTMLElement>} */
    this.lines = new Map();
    this.grid = h("div", {
      role: "grid",
      class: "grid",
      id: freshId(),
      "aria-rowcount": rows,
      "aria-colcount": columns,
    });
    this.grid.style.setProperty("--columns", String(columns));
    this.grid.style.setProperty("--rows", String(rows));
    this.root = h("div", { class: "cell-grid" }, this.grid);
  }

  /** @param {ReturnType<import("./board.js").Board["window"]> | null} seen */
  populate(seen) {
    const { left, right, top, bottom } = seen ?? { left: 0, right: this.columns - 1, top: 0, bottom: this.rows - 1 };
    const key = `${left} ${right} ${top} ${bottom} ${this.board.isHeld}`;
    if (key === this.seen) return;
    this.seen = key;
    for (const [row, line] of this.lines) {
      if (row >= top && row <= bottom) continue;
      this.thin(row, line, 0, -1);
      if (line.firstChild) continue;
      line.remove();
      this.lines.delete(row);
    }
    for (let row = top; row <= bottom; row++) this.populateRow(row, left, right);
  }

  /**
   * Removes the cells that are not visible, except the cell with the focus.
   * @param {number} row @param {HTMLElement} line @param {number} left @param {number} right
   */
  thin(row, line, left, right) {
    if (this.board.isHeld) return;
    for (const box of [...line.children]) {
      const column = Number(box.getAttribute("aria-colindex")) - 1;
      if ((column >= left && column <= right) || box.contains(document.activeElement)) continue;
      box.remove();
      this.board.cells.delete(this.index(row, column));
    }
  }

  /** @param {number} row @param {number} left @param {number} right */
  populateRow(row, left, right) {
    const { board } = this;
    let line = this.lines.get(row);
    if (!line) {
      line = h("div", { role: "row", "aria-rowindex": row + 1 });
      this.lines.set(row, line);
      const after = [...this.lines.keys()].filter((other) => other > row);
      const next = after.length ? this.lines.get(Math.min(...after)) : null;
      this.grid.insertBefore(line, next ?? null);
    }
    this.thin(row, line, left, right);
    let next = line.firstElementChild;
    const columnOf = (/** @type {Element} */ box) => Number(box.getAttribute("aria-colindex")) - 1;
    while (next && columnOf(next) < left) next = next.nextElementSibling;
    for (let column = left; column <= right; column++) {
      const there = board.cells.get(this.index(row, column));
      if (there) next = there.box.nextElementSibling;
      else line.insertBefore(board.makeCell(this.index(row, column)).box, next);
    }
  }

  /** @param {number} row @param {number} column */
  index(row, column) {
    return this.first + row * this.columns + column;
  }

  /** @param {Table} table */
  refresh(table) {
    const { number, root } = this;
    if (number === null || !table.boards) {
      setAttribute(this.grid, "aria-label", t("board"));
      return;
    }
    const board = table.boards[number] ?? { state: "open" };
    const isPlayable = board.state === "open" && !table.outcome && (table.active === null || table.active === number);
    setAttribute(root, "data-active", isPlayable);
    setAttribute(root, "data-closed", board.state === "open" ? null : board.state);
    const winner = board.state === "won" ? board.side : null;
    const parts = [t("boardAt", { place: ninth(number) })];
    if (board.state === "drawn") parts.push(t("boardDrawn"));
    else if (winner !== null) parts.push(t("boardWon", { side: sideName(winner) }));
    else if (isPlayable) parts.push(t("boardActive"));
    setAttribute(this.grid, "aria-label", parts.join(", "));
    const large = root.querySelector(":scope > .mark");
    if (winner === null) large?.remove();
    else if (!large) {
      const drawn = drawMark(winner, "");
      drawn.classList.add("large");
      if (!this.board.isFresh && !isStill()) drawn.classList.add("new");
      root.append(drawn);
    }
  }
}
