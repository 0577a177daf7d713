// The codes are read back by somebody else's reader.

import assert from "node:assert/strict";
import { test } from "node:test";
import jsqr from "jsqr";
import { encode } from "../../qr.js";

/** @param {string} text */
function readBack(text) {
  const rows = encode(text);
  const [scale, quiet] = [4, 4];
  const size = (rows.length + 2 * quiet) * scale;
  const pixels = new Uint8ClampedArray(size * size * 4).fill(255);
  rows.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (!isDark) return;
      for (let dy = 0; dy < scale; dy++) {
        for (let dx = 0; dx < scale; dx++) {
          const at = (((y + quiet) * scale + dy) * size + (x + quiet) * scale + dx) * 4;
          pixels.fill(0, at, at + 3);
        }
      }
    }),
  );
  const read = /** @type {any} */ (jsqr).default ?? jsqr;
  return read(pixels, size, size)?.data;
}

test("every size of code can be read", () => {
  for (const length of [1, 14, 15, 26, 27, 42, 43, 62, 84, 106, 122, 152, 180, 213]) {
    const text = "https://noughts.example/game/".padEnd(length, "7f3a-é".slice(0, 5)).slice(0, length);
    assert.equal(readBack(text), text, `${length} bytes`);
  }
});

test("letters of every kind survive", () => {
  const text = "https://noughts.example/?name=Žofie%20été";
  assert.equal(readBack(text), text);
});

test("what is too long is refused", () => {
  assert.throws(() => encode("x".repeat(214)), RangeError);
});
