// Notifications and sounds in a hidden tab, warnings, other languages, sharing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();

/** A table that waits for Bob. */
const hosted = () =>
  here.server.createTable({ variant: "3x3k3", seats: [{ human: "Ann" }, { open: "link" }], take: [0] });

test("a hidden tab gives a sound and a notification when a friend sits down and when it is your turn", async () => {
  const created = await hosted();
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    localStorage.setItem("noughts.wishes", JSON.stringify({ name: "Ann", sound: true, notifications: true }));
    const seen = /** @type {any} */ (window);
    [seen.isAway, seen.notes, seen.told] = [false, 0, []];
    Object.defineProperty(document, "hidden", { get: () => seen.isAway });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (/** @type {number} */ when) {
      seen.notes++;
      start.call(this, when);
    };
    seen.Notification = class extends EventTarget {
      static permission = "granted";
      /** @param {string} _title @param {{ body: string }} options */
      constructor(_title, { body }) {
        super();
        seen.told.push(body);
      }
    };
  });
  await ann.sitAt(created);
  await ann.reads("Waiting for a player to sit down.");
  await ann.page.evaluate(() => void Object.assign(window, { isAway: true }));
  const told = (/** @type {string} */ text) =>
    ann.page.waitForFunction((wanted) => /** @type {any} */ (window).told.includes(wanted), text);
  const taken = await here.server.ask(`/api/games/${created.id}/seats/1`, { name: "Bob" });
  const { token } = await taken.json();
  await told("Bob sat down. Your turn.");
  assert.equal(await ann.page.evaluate(() => /** @type {any} */ (window).notes), 2);
  await here.server.act(created, 0, { turn: 1, play: "1-1" });
  await ann.hasMark("1-1", 0);
  await here.server.act({ ...created, tokens: { 1: token } }, 1, { turn: 2, play: "0-0" });
  await told("Bob plays top left. Your turn.");
  ann.isFine();
});

test("closing a tab with a move that was not sent warns", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.isUp();
  // The server does not answer.
  await ann.page.route(/\/actions$/, () => {});
  await ann.cell("1-1").click();
  await ann.hasMark("1-1", 0);
  const asked = ann.page.waitForEvent("dialog");
  await ann.page.close({ runBeforeUnload: true });
  assert.equal((await asked).type(), "beforeunload");
});

test("in Czech a player who gives up is told so, and refusals of the server are Czech", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  for (const [at, play] of ["0-0", "1-1"].entries()) await here.server.act(created, at, { turn: at + 1, play });
  const ann = await here.person({ locale: "cs-CZ" });
  await ann.sitAt(created, [0]);
  await ann.isUp();
  const refusal = { type: "/problems/unheard-of", title: "Odd", status: 409, detail: "the server says so" };
  await ann.page.route(/\/actions$/, (route) =>
    route.fulfill({ status: 409, contentType: "application/problem+json", body: JSON.stringify(refusal) }),
  );
  await ann.cell("0-1").click();
  await ann.notes(/^Nepovedlo se to\.$/);
  await ann.page.unroute(/\/actions$/);
  await ann.button("Vzdát se").click();
  await ann.page.getByRole("dialog").getByRole("button", { name: "Vzdát se" }).click();
  await ann.reads("Vyhrává Bob.");
  await ann.page.locator("[aria-live]", { hasText: "Vzdáváte se. Vyhrává Bob." }).waitFor({ state: "attached" });
  ann.isFine();
});

test("at the start of a long game the list of moves shows its beginning", async () => {
  const moves = Array.from({ length: 60 }, (_, at) => `${Math.floor(at / 15) * 2 + (at % 2)}-${at % 15}`);
  const created = await here.server.played("15x15k5", moves);
  const eve = await here.person({ viewport: { width: 1200, height: 700 } });
  await eve.go(`/game/${created.id}`);
  await eve.has(".moves li", 60);
  const scrolled = () => eve.page.locator(".moves").evaluate((list) => list.scrollTop);
  assert.ok((await scrolled()) > 0);
  await eve.page.keyboard.press("<");
  await eve.reads("Position after turn 0 of 60");
  assert.equal(await scrolled(), 0);
});

test("where the device can share, the invitation is shared with one press", async () => {
  const created = await hosted();
  const ann = await here.person({ viewport: { width: 390, height: 760 } });
  await ann.context.addInitScript(() => {
    const seen = /** @type {any} */ (window);
    navigator.share = async (data) => void (seen.shared = data);
  });
  await ann.sitAt(created);
  await ann.page.locator(".invite").getByRole("button", { name: "Share" }).click();
  assert.equal(await ann.page.evaluate(() => /** @type {any} */ (window).shared.url), ann.page.url());
  ann.isFine();
});
