// The player of a browser: my games, other devices, backup, name, delete; invitations and quick matches.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();

/** A person with a name. @param {string} name */
async function named(name) {
  const who = await here.person();
  await who.context.addInitScript(
    (text) => localStorage.getItem("noughts.wishes") ?? localStorage.setItem("noughts.wishes", text),
    JSON.stringify({ name }),
  );
  return who;
}

/** Ann and Bob at a table that Ann opened for a friend. */
async function friends() {
  const [ann, bob] = [await named("Ann"), await named("Bob")];
  await ann.go("/");
  await ann.button("Play a friend").click();
  await ann.page.waitForURL(/\/game\//);
  const path = new URL(ann.page.url()).pathname;
  await bob.go(path);
  await bob.button("Sit down").click();
  await ann.reads("Your turn.");
  return { ann, bob, path };
}

test("an invitation names the host and the game; pressing the board sits down", async () => {
  const created = await here.server.createTable({
    variant: "ultimate",
    seats: [{ human: "Ann" }, { open: "link" }],
    take: [0],
  });
  const bob = await named("Bob");
  await bob.go(`/game/${created.id}`);
  await bob.reads("Ann invites you to play Ultimate.");
  assert.equal(await bob.page.locator(".invite button").count(), 1);
  await bob.cell("4-4").click();
  await bob.reads("Ann to move.");
  bob.isFine();
});

test("a host without a name is asked once, and the guest reads it", async () => {
  const ann = await here.person();
  await ann.go("/");
  await ann.button("Play a friend").click();
  await ann.page.getByLabel("Your name").fill("Ann");
  await ann.page.getByLabel("Your name").blur();
  await ann.page.locator(".seat .name", { hasText: "Ann" }).waitFor();
  const bob = await here.person();
  await bob.go(new URL(ann.page.url()).pathname);
  await bob.reads("Ann invites you to play Tic-tac-toe.");
  for (const who of [ann, bob]) who.isFine();
});

test("my games: a badge says that it is my turn, and leads back", async () => {
  const { ann, bob, path } = await friends();
  await ann.play("1-1", 0);
  await bob.reads("Your turn.");
  await bob.page.locator('link[rel="icon"][href*="icon_turn"]').waitFor({ state: "attached" });
  await bob.page.evaluate(() => window.stop());
  await bob.go("/archive");
  await bob.page.locator(".badge", { hasText: "1" }).waitFor();
  await bob.page.waitForFunction(() => document.title.startsWith("(1) "));
  await bob.page.getByRole("link", { name: /My games/ }).click();
  await bob.page.locator(".my-turn", { hasText: "Ann – You" }).getByRole("link").click();
  await bob.page.waitForURL((url) => url.pathname === path);
  await bob.play("0-0", 1);
  await bob.page.waitForFunction(() => !document.querySelector(".badge")?.textContent);
  // The game is on the start page too.
  await ann.go("/");
  await ann.page.locator(".my-games .my-turn").waitFor();
  for (const who of [ann, bob]) who.isFine();
});

test("my games: a game that ends moves to the finished games at once, and what is typed stays", async () => {
  const { ann, bob, path } = await friends();
  await ann.play("1-1", 0);
  await bob.play("0-0", 1);
  await ann.reads("Your turn.");
  await ann.go("/me");
  const [running, finished] = [0, 1].map((at) => ann.page.locator(".lists ul.tables").nth(at));
  const row = `li[data-key="${path.split("/").at(-1)}"]`;
  await running?.locator(row).waitFor();
  await ann.page.getByLabel("Your name").fill("Anna");
  await bob.button("Give up").click();
  await bob.page.locator("dialog .bad").click();
  await finished?.locator(row, { hasText: "You win" }).waitFor();
  assert.equal(await running?.locator(row).count(), 0);
  assert.equal(await ann.page.getByLabel("Your name").inputValue(), "Anna");
  const list = await finished?.innerText();
  await ann.go("/me");
  await finished?.locator(row).waitFor();
  assert.equal(await finished?.innerText(), list, "a reload shows the same");
  for (const who of [ann, bob]) who.isFine();
});

test("my games: a game that ends without a connection is finished after the connection is back", async () => {
  const { ann, bob, path } = await friends();
  await ann.play("1-1", 0);
  await bob.play("0-0", 1);
  await ann.reads("Your turn.");
  const row = `li[data-key="${path.split("/").at(-1)}"]`;
  // The events of the player are lost until the game is over.
  let isCut = false;
  await ann.context.route("**/api/me/events", (route) => (isCut ? route.abort() : route.continue()));
  await ann.go("/me");
  const lists = ann.page.locator(".lists ul.tables");
  await lists.nth(0).locator(row).waitFor();
  isCut = true;
  await ann.go("/me");
  await lists.nth(0).locator(row).waitFor();
  await bob.button("Give up").click();
  await bob.page.locator("dialog .bad").click();
  await bob.reads("By resignation.");
  isCut = false;
  await lists.nth(1).locator(row, { hasText: "You win" }).waitFor();
  assert.equal(await lists.nth(0).locator(row).count(), 0);
  for (const who of [ann, bob]) who.isFine();
});

test("the score between two players is known after a reload and on another device", async () => {
  const { ann, bob } = await friends();
  for (const [who, move, side] of /** @type {const} */ ([
    [ann, "0-0", 0],
    [bob, "1-0", 1],
    [ann, "0-1", 0],
    [bob, "1-1", 1],
    [ann, "0-2", 0],
  ])) {
    await who.play(move, side);
  }
  await ann.reads("You win.");
  await ann.button("Play again").click();
  await bob.button("Accept").click();
  await bob.reads("Your turn.");
  const game = new URL(bob.page.url()).pathname;
  await ann.page.locator(".series", { hasText: "Series: Bob 0 · You 1" }).waitFor();
  // A reload, in a browser that has not followed the series.
  await bob.page.evaluate(() => localStorage.removeItem("noughts.series"));
  await bob.page.reload();
  await bob.page.locator(".series", { hasText: "Series: You 0 · Ann 1" }).waitFor();
  const key = await ann.page.evaluate(() => localStorage.getItem("noughts.player"));
  const phone = await here.person({ viewport: { width: 390, height: 760 } });
  await phone.context.addInitScript((text) => localStorage.setItem("noughts.player", text), String(key));
  await phone.go(game);
  await phone.page.locator(".series", { hasText: "Series: Bob 0 · You 1" }).waitFor();
  // The result of this game counts at once.
  await bob.play("1-1", 0);
  await phone.play("0-0", 1);
  await bob.button("Give up").click();
  await bob.page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
  for (const who of [ann, phone]) await who.page.locator(".series", { hasText: "Series: Bob 0 · You 2" }).waitFor();
  for (const who of [ann, bob, phone]) who.isFine();
});

test("another device gets the player by a link, once, and plays the same seat", async () => {
  const { ann, path } = await friends();
  await ann.go("/me");
  await ann.button("Use another device").click();
  const link = await ann.page.locator("dialog input").inputValue();
  await ann.page.waitForFunction(() => {
    const code = document.querySelector("dialog img");
    return code instanceof HTMLImageElement && code.naturalWidth > 20;
  });
  const phone = await here.person();
  await phone.page.goto(link);
  await phone.page.locator(".tables li", { hasText: "You – Bob" }).waitFor();
  await phone.page.getByRole("link", { name: /You – Bob/ }).click();
  await phone.page.waitForURL((url) => url.pathname === path);
  await phone.play("2-2", 0);
  const late = await here.person();
  await late.page.goto(link);
  await late.page.locator("dialog", { hasText: "This link has expired or was used already." }).waitFor();
  for (const who of [ann, phone]) who.isFine();
});

test("a backup is saved and restored", async () => {
  const { ann } = await friends();
  await ann.go("/me");
  const [download] = await Promise.all([ann.page.waitForEvent("download"), ann.button("Save a backup").click()]);
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /"token"/);
  const other = await here.person();
  await other.go("/me");
  const file = other.page.getByLabel("Restore a backup");
  await file.setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{}") });
  await other.notes("This file is no backup of a player of this server.");
  await file.setInputFiles({ name: "noughts-player.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await other.page.locator(".tables li", { hasText: "You – Bob" }).waitFor();
  for (const who of [ann, other]) who.isFine();
});

test("a new name in the settings reaches the table", async () => {
  const { ann, bob, path } = await friends();
  await ann.button("Settings").click();
  await ann.page.getByLabel("Your name").fill("Anna");
  await ann.page.getByLabel("Your name").blur();
  await ann.button("Close").click();
  await ann.page.locator(".seat .name", { hasText: "Anna" }).waitFor();
  const view = await (await here.server.ask(`/api/games/${path.split("/").at(-1)}`)).json();
  assert.equal(view.seats[0].name, "Anna");
  await bob.page.locator(".seat .name", { hasText: "Anna" }).waitFor();
  for (const who of [ann, bob]) who.isFine();
});

test("a deleted player gives up the running games", async () => {
  const { ann, bob } = await friends();
  await ann.play("1-1", 0);
  await bob.play("0-0", 1);
  await ann.go("/me");
  await ann.button("Delete my player").click();
  await ann.page.locator("dialog .bad").click();
  await ann.page.getByText("Your games appear here").waitFor();
  await bob.reads("You win. By resignation.");
  for (const who of [ann, bob]) who.isFine();
});

test("a quick match brings two people together, and can be cancelled", async () => {
  const [ann, bob, eve] = [await named("Ann"), await named("Bob"), await named("Eve")];
  await eve.go("/");
  await eve.button("Quick match").click();
  await eve.page.getByText("Nobody else is waiting at the moment.").waitFor();
  await eve.button("Cancel").click();
  await ann.go("/");
  await ann.button("Quick match").click();
  await ann.page.getByText("Looking for an opponent: Tic-tac-toe.").waitFor();
  await ann.page.getByText("Nobody else is waiting at the moment.").waitFor();
  await bob.go("/");
  await bob.page.getByText("1 player is waiting.").waitFor();
  await bob.button("Quick match").click();
  for (const who of [ann, bob]) {
    await who.page.waitForURL(/\/game\//);
    await who.page.locator(".status", { hasText: /Your turn\.|to move\./ }).waitFor();
    who.isFine();
  }
});

test("a token of a player that the server does not know is replaced", async () => {
  const ann = await here.person();
  await ann.context.addInitScript(() => {
    if (!sessionStorage.getItem("once")) {
      sessionStorage.setItem("once", "1");
      localStorage.setItem("noughts.player", JSON.stringify({ id: "gone", token: "player-gone" }));
    }
  });
  await ann.go("/");
  await ann.cell("1-1").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.reads("Your turn.");
  ann.isFine();
});
