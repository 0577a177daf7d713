// Damaged or full storage, foreign tokens, no network, slow answers, an updated server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();

const table = () =>
  here.server.createTable({ variant: "3x3k3", seats: [{ human: "Ann" }, { human: "Bob" }], take: [0, 1] });

/** A browser with these stored tokens. @param {string} id @param {Record<string, unknown>} tokens */
async function holding(id, tokens) {
  const who = await here.person();
  const stored = JSON.stringify({ [id]: { at: Date.now(), tokens } });
  await who.context.addInitScript((text) => localStorage.setItem("noughts.seats", text), stored);
  await who.go(`/game/${id}`);
  return who;
}

test("an unreadable or unknown token is explained once, and the game can be watched", async () => {
  for (const token of [{ an: "object" }, "line\nbreak", "unknown"]) {
    const { id } = await table();
    const eve = await holding(id, { 0: token });
    await eve.page.locator(".warning", { hasText: "key for your seat does not work" }).waitFor();
    await eve.reads("Ann to move.");
    assert.equal(await eve.page.locator("[data-lost]").count(), 0);
    assert.equal(await eve.page.locator(".controls button").count(), 0);
    eve.isFine();
  }
});

test("a token stored for another seat plays the seat that it belongs to", async () => {
  const created = await table();
  const bob = await holding(created.id, { 0: created.tokens[1] });
  await bob.reads("Ann to move.");
  await here.server.act(created, 0, { turn: 1, play: "0-0" });
  await bob.play("1-1", 1);
  bob.isFine();
});

test("full storage is explained", async () => {
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await ann.go("/");
  await ann.cell("1-1").click();
  await ann.page.locator(".warning", { hasText: "can't store your seat" }).waitFor();
  await ann.isUp();
  ann.isFine();
});

test("with blocked storage a game is played to its end", async () => {
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get: () => {
        throw new DOMException("blocked", "SecurityError");
      },
    });
  });
  await ann.go("/");
  await ann.cell("1-1").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.page.locator(".warning", { hasText: "can't store your seat" }).waitFor();
  await ann.isUp();
  await ann.button("Give up").click();
  await ann.page.locator("dialog .bad").click();
  await ann.reads("By resignation.");
  ann.isFine();
});

test("corrupt storage counts as empty", async () => {
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    for (const key of ["seats", "wishes", "player", "series"]) localStorage.setItem(`noughts.${key}`, '{"a":[1,');
  });
  await ann.go("/");
  await ann.play("1-1", 0);
  await ann.isUp();
  ann.isFine();
});

test("a date that is wrong by an hour changes no clock", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    clock: { base: 180, increment: 0 },
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  for (const [at, play] of ["0-0", "1-1"].entries()) await here.server.act(created, at, { turn: at + 1, play });
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + 3_600_000;
  });
  await ann.sitAt(created, [0]);
  await ann.page.locator(".clock[data-running]", { hasText: /^2:5\d$|^3:00$/ }).waitFor();
  ann.isFine();
});

test("a link to a game that does not exist is explained, and leads on", async () => {
  const eve = await here.person();
  await eve.go("/game/0000000000000000");
  await eve.page.getByRole("heading", { name: "There is no such game" }).waitFor();
  await eve.page.getByRole("link", { name: "Play now" }).click();
  await eve.reads("Tic-tac-toe against the computer");
});

test("without network an idle game and the lobby say so", async () => {
  const created = await table();
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.isUp();
  await ann.context.setOffline(true);
  await ann.notes("You are offline.");
  await ann.context.setOffline(false);
  await ann.notes("You're back");
  const eve = await here.person();
  await eve.go("/watch");
  await eve.context.setOffline(true);
  await eve.notes("You are offline.");
  await eve.context.setOffline(false);
  await eve.page.waitForFunction(() => !document.querySelector(".note[data-mood]")?.textContent);
});

test("each press of a replay key counts, also when answers are slow", async () => {
  const moves = ["0-0", "1-1", "0-1", "0-2", "2-0", "1-0", "1-2"];
  const created = await here.server.played("3x3k3", moves);
  const eve = await here.person();
  await eve.page.route(/after=/, async (route) => {
    await new Promise((done) => setTimeout(done, 80));
    await route.continue();
  });
  await eve.go(`/game/${created.id}`);
  await eve.page.locator(".moves li").nth(6).waitFor();
  await eve.page.locator("main").focus();
  for (let press = 0; press < 5; press++) await eve.page.keyboard.press(",");
  await eve.reads("Position after turn 2 of 7");
  await eve.has(".cell[data-side]", 2);
  eve.isFine();
});

test("an analysis is still open after a reload", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-0", "0-1", "1-1", "0-2"]);
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.button("Analyse").click();
  await eve.page.locator(".analysis h3").waitFor();
  await eve.page.reload();
  await eve.page.locator(".analysis h3").waitFor();
  eve.isFine();
});

test("playing on after the end seats the player where they sat, before the deciding mistake", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-0", "0-1", "1-1", "0-2"]);
  const bob = await here.person();
  await bob.sitAt(created, [1]);
  await bob.button("Play on from here").click();
  assert.equal(await bob.page.locator("dialog select").nth(1).inputValue(), "me");
  await bob.page.locator("dialog", { hasText: "Turn 4" }).waitFor();
  await bob.button("Begin").click();
  await bob.reads("Your turn.");
  await bob.has(".cell[data-side]", 3);
  bob.isFine();
});

test("the numbers of a new game mean what they say", async () => {
  const ann = await here.person();
  await ann.go("/new?game=5x4k3+misere");
  await ann.page.getByText("Completing 3 in a row loses.").waitFor();
  const line = ann.page.getByLabel("In a row to win");
  assert.equal(await line.getAttribute("max"), "5");
  await line.fill("9");
  await line.blur();
  await ann.notes("In a row to win: 3 to 5.");
  assert.equal(await line.inputValue(), "5");
  await ann.page.getByLabel("Take back").fill("1");
  await ann.page.getByLabel("Take back").blur();
  await ann.page.getByText("Up to 1 mark at once.").waitFor();
  await ann.button("Begin").click();
  await ann.page.waitForURL(/\/game\//);
  const id = new URL(ann.page.url()).pathname.split("/").at(-1);
  const view = await (await here.server.ask(`/api/games/${id}`)).json();
  assert.deepEqual([view.variant, view.history], ["5x4k5+misere", 2]);
  ann.isFine();
});

test("a page from before an update loads the new version", async () => {
  const eve = await here.person();
  await eve.go("/");
  const html = await (await fetch(here.server.url)).text();
  const path = /\/web\/(\w+)\/app\.js/.exec(html)?.[0] ?? "";
  const old = await fetch(here.server.url + path.replace(/\/web\/\w+\//, "/web/0123abcd/"));
  assert.equal(old.status, 404);
  let loads = 0;
  eve.page.on("load", () => loads++);
  await eve.page.route(/archive\.js/, (route) => (loads ? route.fallback() : route.fulfill({ status: 404 })));
  await eve.page.getByRole("link", { name: "Archive" }).click();
  await eve.page.getByRole("heading", { name: "Finished games" }).waitFor();
  assert.equal(loads, 1);
});

test("the operator's message stands below the header and goes when it is withdrawn", async () => {
  const ann = await here.person();
  await ann.page.clock.install();
  let text = /** @type {string | null} */ ("Maintenance at 22:00 UTC <b>");
  await ann.page.route("**/api/announcement", (route) => route.fulfill({ json: { text } }));
  await ann.go("/");
  const line = ann.page.locator(".announcement");
  await line.waitFor();
  assert.equal(await line.textContent(), text);
  text = null;
  await ann.page.clock.fastForward(60_000);
  await line.waitFor({ state: "hidden" });
  ann.isFine();
});
