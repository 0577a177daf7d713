// The board of every variant. It renders the server's view: legal moves, active board, winning line.
//
// Only visible cells are in the document. Each is positioned by its row and column, so that zooming changes one
// CSS length and a move changes one cell.

import { h, isStill, setAttribute, s } from "./dom.js";
import { strokes } from "./winning_line.js";
import { drawMark } from "./marks.js";
import { cellName, columnName, sideName } from "./places.js";
import { CellGrid } from "./cell_grid.js";
import { cellOf, moveOf } from "./variant.js";
import { isLegal, moveOfTurn, targetOf } from "./table.js";
import { t } from "./i18n.js";

/** @typedef {import("./api_types").Table} Table */
/**
 * @typedef {object} Shown
 * @property {Set<number>} mine the seats of this browser
 * @property {Set<string>} [leaving] marks that the rewind being chosen would take back
 * @property {string | null} [best] the best move according to the analysis
 * @property {Map<string, MoveValue> | null} [values] the exact value of each move according to the analysis
 * @property {string | null} [aimed] the move that a finger has chosen
 * @property {boolean} [isStill] a past position: nothing can be played
 */
/** A move's value: a sign for the cell, and words. @typedef {{ kind: "win" | "draw" | "loss", sign: string, words: string }} MoveValue */
/** @typedef {{ box: HTMLElement, button: HTMLButtonElement, state: string, side: number | null }} Cell */

/** Minimum cell size in pixels; a board that needs smaller cells scrolls. */
const SMALLEST = 21;
const LARGEST = 420;
/** In smaller cells a finger may hit the wrong cell, so the first tap chooses the cell and the second tap confirms. */
const FINGER = 32;
/** Pixels beside the board for its coordinates. */
const EDGE = 14;
const ZOOMS = [18, 24, 32, 44, 60];
/** Rows and columns outside the visible part that are in the document already. */
const BEYOND = 2;

export class Board {
  /** @param {(move: string, isFinger: boolean) => void} onPress `isFinger`: a finger may have hit the wrong cell */
  constructor(onPress) {
    this.onPress = onPress;
    /** @type {Table | null} */
    this.table = null;
    /** @type {Shown} */
    this.shown = { mine: new Set() };
    /** @type {Map<number, Cell>} */
    this.cells = new Map();
    /** @type {CellGrid[]} */
    this.grids = [];
    this.focused = 0;
    this.zoom = 32;
    this.isLarge = false;
    /** Whether two fingers are on the board. The cells that the fingers touched first get the touch events, so these cells must stay in the document. */
    this.isHeld = false;
    this.ghost = h("span", { class: "ghost", "aria-hidden": "true" });
    /** @type {number | null} */
    this.ghostAt = null;
    /** Highlights the row and the column of the chosen cell, because the finger hides the cell itself. */
    this.cross = h("span", { class: "aim-cross", "aria-hidden": "true", hidden: true });
    this.port = h("div", { class: "port" });
    this.root = h("div", { class: "board" }, this.port);
    this.zoomer = this.makeZoomer();
    this.listen();
    /** Whether the table is shown for the first time. If so, its marks appear without animation. */
    this.isFresh = true;
  }

  /** Shows a table; changes only what differs. @param {Table} table @param {Shown} shown */
  show(table, shown) {
    const before = this.table;
    this.table = table;
    this.shown = shown;
    if (!before || before.variant.name !== table.variant.name || before.id !== table.id) this.buildGrids();
    for (const [index, cell] of this.cells) this.refresh(index, cell);
    for (const sheet of this.grids) sheet.refresh(table);
    this.drawLine();
    const canPlay = !shown.isStill && table.toMove !== null && shown.mine.has(table.toMove) && !table.pending;
    setAttribute(this.root, "data-mine", canPlay && !table.seats.some((seat) => seat.kind === "open"));
    setAttribute(this.root, "data-over", Boolean(table.outcome));
    const aimed = shown.aimed ?? null;
    this.aim(aimed === null ? this.ghostAt : cellOf(table.variant, aimed));
    this.showCross(aimed);
    this.isFresh = false;
  }

  /** @param {string | null} move */
  showCross(move) {
    this.cross.hidden = move === null || Boolean(this.known().variant.nine);
    setAttribute(this.root, "data-aiming", move !== null);
    if (move === null) return;
    const { columns } = this.known().variant;
    const at = cellOf(this.known().variant, move);
    this.cross.style.setProperty("--column", String(at % columns));
    this.cross.style.setProperty("--row", String(Math.floor(at / columns)));
  }

  /** Builds the grids for a new game. */
  buildGrids() {
    const table = this.known();
    const { variant } = table;
    this.isFresh = true;
    this.cells.clear();
    this.ghostAt = null;
    this.focused = variant.nine ? 40 : Math.floor(variant.rows / 2) * variant.columns + Math.floor(variant.columns / 2);
    if (variant.gravity) this.focused = Math.floor(variant.columns / 2);
    this.grids = variant.nine
      ? Array.from({ length: 9 }, (_, at) => new CellGrid(this, at * 9, 3, 3, at))
      : [new CellGrid(this, 0, variant.columns, variant.rows, null)];
    this.over = s("svg", { class: "over", "aria-hidden": "true" });
    const field = h("div", { class: variant.nine ? "field nine" : "field" }, ...this.grids.map((sheet) => sheet.root));
    field.append(this.over, this.cross);
    this.field = field;
    this.port.replaceChildren(field);
    this.port.scrollTo(0, 0);
    setAttribute(this.root, "data-gravity", variant.gravity);
    const middle = this.focused;
    this.measure();
    if (!this.isLarge) return;
    this.centre(middle);
    this.rove(middle);
  }

  /** Adapts to the size of the window. */
  measure() {
    if (!this.table || !this.root.isConnected) return;
    this.size();
    this.populate();
    this.drawLine();
  }

  /** Finds the cell size: the whole board if its cells are large enough to press, otherwise a scrolling part. */
  size() {
    if (!this.table) return;
    const { variant } = this.table;
    const width = this.root.clientWidth;
    const reserved = Number(getComputedStyle(this.root).getPropertyValue("--reserved")) || 150;
    const height = Math.max(240, innerHeight - reserved);
    // Nine boards are nine cells wide; the gaps and margins take the width of about one more cell.
    const [columns, rows] = variant.nine ? [10.2, 10.2] : [variant.columns, variant.rows];
    const [left, top] = hasCoordinates(variant) ? [variant.gravity ? 0 : EDGE, EDGE] : [0, 0];
    const room = width - left - (variant.nine ? 12 : 2);
    const fit = Math.floor(Math.min(room / columns, (height - top) / rows, LARGEST));
    this.isLarge = fit < SMALLEST;
    this.root.style.setProperty("--edge-left", `${this.isLarge ? 0 : left}px`);
    this.root.style.setProperty("--edge-top", `${this.isLarge ? 0 : top}px`);
    const cell = this.isLarge ? this.zoom : fit;
    this.cell = cell;
    this.root.style.setProperty("--cell", `${cell}px`);
    const size = Math.min(width, height);
    this.port.style.width = this.isLarge ? `${Math.min(width, variant.columns * cell)}px` : "";
    this.port.style.height = this.isLarge ? `${Math.min(size, variant.rows * cell)}px` : "";
    setAttribute(this.root, "data-large", this.isLarge);
    this.zoomer.hidden = !this.isLarge;
  }

  /** Adds the visible cells to the document and removes the others. */
  populate() {
    const seen = this.isLarge ? this.window() : null;
    for (const sheet of this.grids) sheet.populate(seen);
    // Tab must lead to a cell in the document.
    if (!seen || this.cells.has(this.focused)) return;
    const [row, column] = [(seen.top + seen.bottom) >> 1, (seen.left + seen.right) >> 1];
    this.rove(row * this.known().variant.columns + column);
  }

  /** The visible range of cells. */
  window() {
    const { columns, rows } = this.known().variant;
    const cell = this.cell ?? 1;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.port;
    return {
      left: Math.max(0, Math.floor(scrollLeft / cell) - BEYOND),
      right: Math.min(columns - 1, Math.ceil((scrollLeft + clientWidth) / cell) + BEYOND),
      top: Math.max(0, Math.floor(scrollTop / cell) - BEYOND),
      bottom: Math.min(rows - 1, Math.ceil((scrollTop + clientHeight) / cell) + BEYOND),
    };
  }

  /** Creates the cell with this index. @param {number} index */
  makeCell(index) {
    const { variant } = this.known();
    const column = variant.nine ? index % 3 : index % variant.columns;
    const row = variant.nine ? Math.floor((index % 9) / 3) : Math.floor(index / variant.columns);
    const button = h("button", { type: "button", class: "cell", tabindex: index === this.focused ? 0 : -1 });
    const box = h("div", { role: "gridcell", "aria-colindex": column + 1 }, button);
    box.style.setProperty("--column", String(column));
    box.style.setProperty("--row", String(row));
    button.dataset.move = moveOf(variant, index);
    if (hasCoordinates(variant)) {
      if (row === 0) box.dataset.column = columnName(variant, column);
      if (column === 0 && !variant.gravity) box.dataset.row = String(row + 1);
    }
    /** @type {Cell} */
    const cell = { box, button, state: "", side: null };
    this.cells.set(index, cell);
    this.refresh(index, cell);
    return cell;
  }

  /** @param {number} index @param {Cell} cell */
  refresh(index, cell) {
    const table = this.known();
    const { variant, outcome, last } = table;
    const move = moveOf(variant, index);
    const side = table.marks[index] ?? null;
    const isLast = moveOfTurn(last) === move && side !== null;
    const isLine = !variant.nine && Boolean(outcome?.kind === "won" && outcome.line.includes(move));
    const isLeaving = Boolean(this.shown.leaving?.has(move));
    const isBest = this.shown.best === move;
    const isPending = table.pending === move;
    const value = this.shown.values?.get(move) ?? null;
    const state = `${value?.words ?? ""}${side}${isLast ? "l" : ""}${isLine ? "w" : ""}${isLeaving ? "d" : ""}${isBest ? "b" : ""}${isPending ? "p" : ""}`;
    if (state === cell.state) return;
    cell.state = state;
    const { button } = cell;
    button.setAttribute("aria-label", this.label(table, move, side, { isLast, isLine, isLeaving, isBest, value }));
    setAttribute(button, "data-last", isLast);
    setAttribute(button, "data-line", isLine);
    setAttribute(button, "data-leaving", isLeaving);
    setAttribute(button, "data-best", isBest);
    setAttribute(button, "data-value", value?.kind);
    setAttribute(button, "data-sign", value?.sign);
    if (side === cell.side) return;
    cell.side = side;
    button.querySelector(".mark:not(.ghost *)")?.remove();
    setAttribute(button, "data-side", side === null ? null : String(side));
    if (side === null) return;
    const drawn = drawMark(side, table.seats[side]?.symbol ?? "");
    if (!this.isFresh && !isStill()) drawn.classList.add("new");
    button.append(drawn);
  }

  /** @param {Table} table @param {string} move @param {number | null} side
   * @param {{ isLast: boolean, isLine: boolean, isLeaving: boolean, isBest: boolean, value: MoveValue | null }} is */
  label(table, move, side, is) {
    const parts = [cellName(table.variant, move)];
    parts.push(side === null ? t("empty") : sideName(side, table.seats[side]?.symbol));
    if (is.isLast) parts.push(t("lastMove"));
    if (is.isLine) parts.push(t("inTheLine"));
    if (is.isLeaving) parts.push(t("wouldLeave"));
    if (is.isBest) parts.push(t("bestMove"));
    if (is.value) parts.push(is.value.words);
    return parts.join(", ");
  }

  /** Draws the winning lines, one stroke each from end to end. */
  drawLine() {
    const { variant, outcome } = this.known();
    const over = this.over;
    if (!over) return;
    const line = outcome?.kind === "won" ? outcome.line : [];
    const key = `${line.join()} ${variant.nine ? this.cell : ""}`;
    if (over.dataset.line === key) return;
    over.dataset.line = key;
    over.replaceChildren();
    if (!line.length) return;
    const [columns, rows] = variant.nine ? [3, 3] : [variant.columns, variant.rows];
    setAttribute(over, "viewBox", `0 0 ${columns} ${rows}`);
    const places = line.map((text) => {
      const at = variant.nine ? Number(text) : cellOf(variant, text);
      return { row: Math.floor(at / columns), column: at % columns };
    });
    for (const [from, to] of strokes(places, variant.nine ? 3 : variant.line)) {
      const [x, y] = [Math.sign(to.column - from.column) * 0.32, Math.sign(to.row - from.row) * 0.32];
      const d = `M${from.column + 0.5 - x} ${from.row + 0.5 - y}L${to.column + 0.5 + x} ${to.row + 0.5 + y}`;
      over.append(s("path", { d, pathLength: 1, class: this.isFresh || isStill() ? "" : "new" }));
    }
  }

  /** Previews the mark that pressing a cell would make. Null means no preview. @param {number | null} index */
  aim(index) {
    this.ghostAt = index;
    this.aimed?.removeAttribute("data-aimed");
    for (const sheet of this.grids) setAttribute(sheet.root, "data-next", false);
    const table = this.table;
    const isMine = this.root.hasAttribute("data-mine");
    const move = index === null || !table ? null : targetOf(table, moveOf(table.variant, index));
    if (!table || table.toMove === null || !isMine || move === null || !isLegal(table, move)) {
      this.ghost.remove();
      return;
    }
    const at = cellOf(table.variant, move);
    const cell = this.cells.get(at);
    const side = String(table.toMove);
    if (this.ghost.dataset.side !== side || !this.ghost.firstChild) {
      this.ghost.dataset.side = side;
      this.ghost.replaceChildren(drawMark(table.toMove, table.seats[table.toMove]?.symbol ?? ""));
    }
    cell?.button.append(this.ghost);
    this.aimed = index === null ? undefined : this.cells.get(index)?.button;
    this.aimed?.setAttribute("data-aimed", "");
    // Highlights the board that the move would send the opponent to, if it is open.
    if (table.boards?.[at % 9]?.state === "open")
      setAttribute(this.grids[at % 9]?.root ?? this.root, "data-next", true);
  }

  /** Makes a cell the Tab stop of the board. @param {number} index */
  rove(index) {
    const before = this.cells.get(this.focused);
    if (before && this.focused !== index) before.button.setAttribute("tabindex", "-1");
    this.focused = index;
    const cell = this.cells.get(index);
    if (cell) setAttribute(cell.button, "tabindex", "0");
  }

  /** @param {number} index */
  focus(index) {
    this.reveal(index);
    this.rove(index);
    this.cells.get(index)?.button.focus({ preventScroll: this.isLarge });
  }

  /** Scrolls a large board until a cell is visible. @param {number} index */
  reveal(index) {
    if (!this.isLarge) return;
    const { columns } = this.known().variant;
    const cell = this.cell ?? 1;
    const { port } = this;
    const at = (/** @type {number} */ place, /** @type {number} */ from, /** @type {number} */ room) => {
      if (place < from + cell) return place - cell;
      return place + 2 * cell > from + room ? place + 2 * cell - room : from;
    };
    const left = at((index % columns) * cell, port.scrollLeft, port.clientWidth);
    const top = at(Math.floor(index / columns) * cell, port.scrollTop, port.clientHeight);
    port.scrollTo(left, top);
    this.populate();
  }

  /** Scrolls a large board until a cell is in the centre. @param {number} index */
  centre(index) {
    const { columns } = this.known().variant;
    const cell = this.cell ?? 1;
    const at = (/** @type {number} */ place, /** @type {number} */ room) => (place + 0.5) * cell - room / 2;
    const { port } = this;
    port.scrollTo(at(index % columns, port.clientWidth), at(Math.floor(index / columns), port.clientHeight));
    this.populate();
  }

  /** Scrolls a large board to the last move. */
  revealLast(isFirst = false) {
    const move = moveOfTurn(this.table?.last);
    if (!this.isLarge || move === null) return;
    const cell = cellOf(this.known().variant, move);
    if (isFirst) this.centre(cell);
    else this.reveal(cell);
  }

  listen() {
    this.port.addEventListener("click", (event) => {
      const move = moveAt(event.target);
      if (move === null) return;
      this.rove(cellOf(this.known().variant, move));
      const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
      this.onPress(move, isTouch && (this.cell ?? FINGER) < FINGER);
    });
    const aim = (/** @type {Event} */ event) => {
      const move = moveAt(event.target);
      this.aim(move === null ? null : cellOf(this.known().variant, move));
    };
    this.port.addEventListener("pointerover", (event) => event.pointerType !== "touch" && aim(event));
    const stopAiming = () => this.aim(this.shown.aimed ? cellOf(this.known().variant, this.shown.aimed) : null);
    this.port.addEventListener("pointerleave", stopAiming);
    this.port.addEventListener("focusin", (event) => {
      const move = moveAt(event.target);
      if (move !== null) this.rove(cellOf(this.known().variant, move));
      aim(event);
    });
    this.port.addEventListener("focusout", stopAiming);
    this.port.addEventListener("keydown", (event) => this.onKey(event));
    let isDue = false;
    this.port.addEventListener(
      "scroll",
      () => {
        if (isDue || !this.isLarge) return;
        isDue = true;
        requestAnimationFrame(() => {
          isDue = false;
          this.populate();
        });
      },
      { passive: true },
    );
    this.port.addEventListener(
      "wheel",
      (event) => {
        if (!this.isLarge || !event.ctrlKey) return;
        event.preventDefault();
        this.zoomBy(event.deltaY < 0 ? 1 : -1);
      },
      { passive: false },
    );
    this.pinch();
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.root);
    this.onResize = () => this.measure();
    addEventListener("resize", this.onResize);
  }

  /** Called when the page no longer shows the board. */
  leave() {
    this.sizes?.disconnect();
    if (this.onResize) removeEventListener("resize", this.onResize);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || moveAt(event.target) === null) return;
    const { variant } = this.known();
    const { columns, rows } = variant;
    const [row, column] = spread(variant.nine, this.focused, columns);
    const page = Math.max(1, Math.floor(this.port.clientHeight / (this.cell ?? 1)) - 2);
    /** @type {Record<string, [number, number]>} */
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columns - 1],
      PageUp: [Math.max(0, row - page), column],
      PageDown: [Math.min(rows - 1, row + page), column],
    };
    const to = steps[event.key];
    if (!to) {
      if (this.isLarge && (event.key === "+" || event.key === "-")) this.zoomBy(event.key === "+" ? 1 : -1);
      return;
    }
    event.preventDefault();
    const [r, c] = to;
    if (r < 0 || c < 0 || r >= rows || c >= columns) return;
    this.focus(gather(variant.nine, r, c, columns));
  }

  makeZoomer() {
    const step = (/** @type {number} */ by) => () => this.zoomBy(by);
    return h(
      "div",
      { class: "zoomer", hidden: true },
      h("button", { type: "button", class: "quiet", click: step(-1), "aria-label": t("zoomOut") }, "−"),
      h("button", { type: "button", class: "quiet", click: step(1), "aria-label": t("zoomIn") }, "+"),
    );
  }

  /** @param {number} by steps */
  zoomBy(by) {
    const at = ZOOMS.findIndex((zoom) => zoom >= this.zoom);
    this.zoomTo(ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, at + by))] ?? this.zoom);
  }

  /** Zooms around the centre. @param {number} zoom */
  zoomTo(zoom) {
    const { port } = this;
    const factor = zoom / this.zoom;
    const [x, y] = [port.scrollLeft + port.clientWidth / 2, port.scrollTop + port.clientHeight / 2];
    this.zoom = zoom;
    this.size();
    port.scrollTo(x * factor - port.clientWidth / 2, y * factor - port.clientHeight / 2);
    this.populate();
  }

  /** Zooming with two fingers. */
  pinch() {
    const apart = (/** @type {TouchList} */ touches) => {
      const [a, b] = [touches[0], touches[1]];
      return a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
    };
    let start = 0;
    let zoom = 0;
    const end = () => {
      this.isHeld = false;
      this.populate();
    };
    for (const sign of ["touchend", "touchcancel"]) this.port.addEventListener(sign, () => this.isHeld && end());
    this.port.addEventListener(
      "touchstart",
      (event) => {
        if (event.touches.length !== 2) return;
        start = apart(event.touches);
        zoom = this.zoom;
        this.isHeld = this.isLarge;
      },
      { passive: true },
    );
    this.port.addEventListener(
      "touchmove",
      (event) => {
        if (event.touches.length !== 2 || !this.isLarge || !start) return;
        event.preventDefault();
        const wanted = Math.round((zoom * apart(event.touches)) / start);
        this.zoomTo(Math.min(ZOOMS.at(-1) ?? 60, Math.max(ZOOMS[0] ?? 18, wanted)));
      },
      { passive: false },
    );
  }

  known() {
    if (!this.table) throw new Error("the board has no table yet");
    return this.table;
  }
}

/** Whether the edges of the board show coordinates: its cells have no names of their own. @param {import("./api_types").Variant} variant */
const hasCoordinates = ({ nine, columns, rows }) => !nine && columns * rows > 9;

/** The move of the cell that an event is about. @param {EventTarget | null} target */
function moveAt(target) {
  const button = target instanceof Element ? target.closest(".cell") : null;
  return button instanceof HTMLElement ? (button.dataset.move ?? null) : null;
}

/** Row and column of a cell on the whole board; nine boards are one grid of nine by nine.
 * @param {string | null} nine @param {number} index @param {number} columns @returns {[number, number]} */
export function spread(nine, index, columns) {
  if (!nine) return [Math.floor(index / columns), index % columns];
  const [board, cell] = [Math.floor(index / 9), index % 9];
  return [Math.floor(board / 3) * 3 + Math.floor(cell / 3), (board % 3) * 3 + (cell % 3)];
}

/** The inverse of `spread`. @param {string | null} nine @param {number} row @param {number} column @param {number} columns */
export function gather(nine, row, column, columns) {
  if (!nine) return row * columns + column;
  return (Math.floor(row / 3) * 3 + Math.floor(column / 3)) * 9 + (row % 3) * 3 + (column % 3);
}
