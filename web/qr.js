// QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 10, which is 213 bytes.

/** For each version: error correction bytes a block, then blocks and their data bytes. */
const BLOCKS = [
  [10, 1, 16],
  [16, 1, 28],
  [26, 1, 44],
  [18, 2, 32],
  [24, 2, 43],
  [16, 4, 27],
  [18, 4, 31],
  [22, 2, 38, 2, 39],
  [22, 3, 36, 2, 37],
  [26, 4, 43, 1, 44],
];
/** Where alignment patterns are centred. */
const ALIGNED = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

/** Powers of two in the field of 256 elements, and their logarithms. */
const POWER = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
  POWER[i] = POWER[i + 255] = x;
  LOG[x] = i;
  x = x & 128 ? (x << 1) ^ 0x11d : x << 1;
}

/**
 * @param {string} text
 * @returns {boolean[][]} rows of modules, dark ones true
 */
export function encode(text) {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((_, at) => bytes.length + (at < 9 ? 2 : 3) <= dataBytes(at)) + 1;
  if (version === 0) throw new RangeError("too long for a code of version 10");
  const words = codewords(bytes, version);
  const frame = new Frame(version);
  frame.place(words);
  return frame.masked();
}

/** @param {number} at version - 1 */
function blocksOf(at) {
  const [ec = 0, ...pairs] = BLOCKS[at] ?? [];
  /** @type {number[]} */
  const sizes = [];
  for (let i = 0; i < pairs.length; i += 2) sizes.push(...new Array(pairs[i]).fill(pairs[i + 1]));
  return { ec, sizes };
}

/** @param {number} at */
const dataBytes = (at) => blocksOf(at).sizes.reduce((sum, size) => sum + size, 0);

/** Data and error correction, interleaved. @param {Uint8Array} bytes @param {number} version */
function codewords(bytes, version) {
  const { ec, sizes } = blocksOf(version - 1);
  const total = dataBytes(version - 1);
  const bits = [0, 1, 0, 0];
  const push = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let i = count - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, total * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  /** @type {number[]} */
  const data = [];
  for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(""), 2));
  for (let i = 0; data.length < total; i++) data.push(i % 2 ? 0x11 : 0xec);
  let from = 0;
  const blocks = sizes.map((size) => data.slice(from, (from += size)));
  const checks = blocks.map((block) => remainder(block, ec));
  /** @type {number[]} */
  const out = [];
  for (let i = 0; i < Math.max(...sizes); i++)
    for (const block of blocks) if (i < block.length) out.push(block[i] ?? 0);
  for (let i = 0; i < ec; i++) for (const check of checks) out.push(check[i] ?? 0);
  return out;
}

/** Reed-Solomon: what is left of a block after division. @param {number[]} block @param {number} degree */
function remainder(block, degree) {
  let generator = [1];
  for (let i = 0; i < degree; i++) {
    const next = new Array(generator.length + 1).fill(0);
    generator.forEach((factor, at) => {
      next[at] ^= factor;
      next[at + 1] ^= times(factor, POWER[i] ?? 0);
    });
    generator = next;
  }
  const rest = [...block, ...new Array(degree).fill(0)];
  for (let i = 0; i < block.length; i++) {
    const factor = rest[i];
    if (factor)
      generator.forEach((g, at) => {
        rest[i + at] ^= times(g, factor);
      });
  }
  return rest.slice(block.length);
}

/** @param {number} a @param {number} b */
const times = (a, b) => (a && b ? (POWER[(LOG[a] ?? 0) + (LOG[b] ?? 0)] ?? 0) : 0);

class Frame {
  /** @param {number} version */
  constructor(version) {
    this.version = version;
    this.size = 17 + 4 * version;
    /** @type {(boolean | null)[][]} */
    this.modules = Array.from({ length: this.size }, () => new Array(this.size).fill(null));
    /** @type {boolean[][]} */
    this.isFixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.drawPatterns();
  }

  /** @param {number} x @param {number} y @param {boolean} isDark */
  fix(x, y, isDark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    /** @type {(boolean | null)[]} */ (this.modules[y])[x] = isDark;
    /** @type {boolean[]} */ (this.isFixed[y])[x] = true;
  }

  drawPatterns() {
    const { size, version } = this;
    for (let i = 0; i < size; i++) {
      this.fix(6, i, i % 2 === 0);
      this.fix(i, 6, i % 2 === 0);
    }
    for (const [x, y] of /** @type {[number, number][]} */ ([
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ])) {
      for (let dy = -4; dy <= 4; dy++) {
        for (let dx = -4; dx <= 4; dx++) {
          const ring = Math.max(Math.abs(dx), Math.abs(dy));
          this.fix(x + dx, y + dy, ring !== 2 && ring !== 4);
        }
      }
    }
    const at = ALIGNED[version - 1] ?? [];
    const end = at.at(-1);
    for (const x of at) {
      for (const y of at) {
        if ((x === 6 && y === 6) || (x === 6 && y === end) || (x === end && y === 6)) continue;
        for (let dy = -2; dy <= 2; dy++) {
          for (let dx = -2; dx <= 2; dx++) this.fix(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
        }
      }
    }
    this.drawFormat(0);
    if (version < 7) return;
    let check = version;
    for (let i = 0; i < 12; i++) check = (check << 1) ^ ((check >>> 11) * 0x1f25);
    const bits = (version << 12) | check;
    for (let i = 0; i < 18; i++) {
      const isDark = Boolean((bits >>> i) & 1);
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
      this.fix(a, b, isDark);
      this.fix(b, a, isDark);
    }
  }

  /** Error correction M and the mask, twice. @param {number} mask */
  drawFormat(mask) {
    let check = mask;
    for (let i = 0; i < 10; i++) check = (check << 1) ^ ((check >>> 9) * 0x537);
    const bits = ((mask << 10) | check) ^ 0x5412;
    const bit = (/** @type {number} */ i) => Boolean((bits >>> i) & 1);
    const { size } = this;
    for (let i = 0; i <= 5; i++) this.fix(8, i, bit(i));
    this.fix(8, 7, bit(6));
    this.fix(8, 8, bit(7));
    this.fix(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.fix(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.fix(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.fix(8, size - 15 + i, bit(i));
    this.fix(8, size - 8, true);
  }

  /** The bits, in pairs of columns from the right, up and down in turn. @param {number[]} words */
  place(words) {
    let at = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) {
        const isUp = ((right + 1) & 2) === 0;
        const y = isUp ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.isFixed[y]?.[x]) continue;
          const word = words[at >> 3] ?? 0;
          /** @type {(boolean | null)[]} */ (this.modules[y])[x] = Boolean((word >> (7 - (at & 7))) & 1);
          at++;
        }
      }
    }
  }

  /** Under the mask that is easiest to read. */
  masked() {
    const tried = MASKS.map((mask, number) => {
      this.drawFormat(number);
      const rows = this.modules.map((row, y) =>
        row.map((isDark, x) => (this.isFixed[y]?.[x] ? Boolean(isDark) : Boolean(isDark) !== mask(x, y))),
      );
      return { rows, penalty: penalty(rows) };
    });
    return tried.reduce((best, one) => (one.penalty < best.penalty ? one : best)).rows;
  }
}

/** @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** Long runs, blocks, what looks like a finder, and too much of one kind. @param {boolean[][]} rows */
function penalty(rows) {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => Boolean(row[x])));
  let sum = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((isDark) => (isDark ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2;
    for (const finder of ["10111010000", "00001011101"]) {
      for (let at = text.indexOf(finder); at >= 0; at = text.indexOf(finder, at + 1)) sum += 40;
    }
  }
  let dark = 0;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const here = Boolean(rows[y]?.[x]);
      if (here) dark++;
      if (x && y && here === rows[y]?.[x - 1] && here === rows[y - 1]?.[x] && here === rows[y - 1]?.[x - 1]) sum += 3;
    }
  }
  return sum + Math.floor(Math.abs((dark * 20) / size ** 2 - 10)) * 10;
}
