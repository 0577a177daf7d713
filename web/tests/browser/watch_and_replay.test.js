// Watching, going through games again, analysing them, and playing on from a position.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const WON = ["0-0", "1-1", "0-1", "2-2", "0-2"];

test("games in progress are listed and can be watched", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const eve = await here.person();
  await eve.go("/watch");
  await eve.page.getByRole("link", { name: /Ann \(away\) – Bob \(away\)/ }).click();
  await eve.reads("Ann to move.");
  await here.server.act(created, 0, { turn: 1, play: "1-1" });
  await eve.hasMark("1-1", 0);
  await eve.reads("Bob to move.");
  // Screen readers announce the turn, too.
  await eve.page
    .locator('[role="status"][aria-live]', { hasText: "Ann plays centre. Bob to move." })
    .waitFor({ state: "attached" });
  eve.isFine();
});

test("rows of the lobby that have not changed are not rendered again", async () => {
  const table = { variant: "3x3k3", seats: [{ human: "Una" }, { human: "Vic" }], take: [0, 1] };
  await here.server.createTable(table);
  const eve = await here.person();
  await eve.go("/watch");
  await eve.page.locator(".tables li", { hasText: "Una" }).waitFor();
  await eve.page.evaluate(() => {
    const seen = /** @type {any} */ (window);
    seen.touched = 0;
    const observer = new MutationObserver((all) => (seen.touched += all.length));
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    for (const row of document.querySelectorAll(".tables li")) observer.observe(row, what);
  });
  await here.server.createTable({ ...table, seats: [{ human: "Wes" }, { human: "Xan" }] });
  await eve.page.locator(".tables li", { hasText: "Wes" }).waitFor();
  assert.equal(await eve.page.evaluate(() => /** @type {any} */ (window).touched), 0);
});

test("the lobby shows who is present and how many watch, by one stream", async () => {
  const created = await here.server.createTable({
    variant: "7x6k4+gravity",
    seats: [{ human: "Una" }, { human: "Vic" }],
    take: [0, 1],
  });
  const [una, eve, fan] = [await here.person(), await here.person(), await here.person()];
  /** @type {string[]} */
  const asked = [];
  eve.page.on("request", (request) => asked.push(new URL(request.url()).pathname + new URL(request.url()).search));
  await eve.go("/watch");
  const row = eve.page.locator(`.tables li[data-key="${created.id}"]`);
  await row.getByText("Una (away) – Vic (away)").waitFor();
  await una.sitAt(created, [0]);
  await row.getByText("Una – Vic (away)").waitFor();
  await fan.go(`/game/${created.id}`);
  await row.getByText("1 spectator").waitFor();
  await fan.page.close();
  await row.getByText("1 spectator").waitFor({ state: "detached" });
  await here.server.act(created, 0, { turn: 1, play: "5-3" });
  await here.server.act(created, 0, { resign: true, turn: 2 });
  await row.waitFor({ state: "detached" });
  const lists = asked.filter((path) => path.startsWith("/api/games") || path.startsWith("/api/matches"));
  assert.deepEqual(lists, ["/api/games/events?playing=true"]);
  eve.isFine();
});

test("the picture of a live game follows the game, at most one picture every 5 s", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Una" }, { human: "Vic" }],
    take: [0, 1],
  });
  const eve = await here.person();
  /** @type {Promise<string>[]} */
  const pictures = [];
  eve.page.on("response", (response) => {
    if (response.url().includes(`/game/${created.id}/board.svg`)) pictures.push(response.text());
  });
  await eve.page.clock.install({ time: 0 });
  await eve.page.clock.pauseAt(1_000);
  await eve.go("/watch");
  const row = eve.page.locator(`.tables li[data-key="${created.id}"]`);
  const isShown = (/** @type {number} */ entry) =>
    eve.page.waitForFunction(
      ([id, number]) => {
        const picture = document.querySelector(`.tables li[data-key="${id}"] img`);
        if (!(picture instanceof HTMLImageElement)) return false;
        return picture.complete && picture.naturalWidth > 0 && picture.src.endsWith(`?entry=${number}`);
      },
      [created.id, entry],
    );
  const { entry } = created.view;
  await isShown(entry);
  for (const [at, play] of ["1-1", "0-0", "2-2"].entries()) {
    await here.server.act(created, at % 2, { turn: at + 1, play });
  }
  // The message that counts a spectator has the latest entry, too.
  const fay = await here.person();
  await fay.go(`/game/${created.id}`);
  await row.getByText("1 spectator").waitFor();
  await eve.page.clock.runFor(4_900);
  assert.match((await row.locator("img").getAttribute("src")) ?? "", new RegExp(`entry=${entry}$`));
  await eve.page.clock.runFor(100);
  await isShown(entry + 3);
  assert.equal(pictures.length, 2);
  // After 5 s without a new picture, a turn appears at once.
  await eve.page.clock.runFor(5_000);
  await here.server.act(created, 1, { turn: 4, play: "0-1" });
  await isShown(entry + 4);
  assert.equal(pictures.length, 3);
  assert.equal(new Set(await Promise.all(pictures)).size, 3, "each picture shows another position");
  eve.isFine();
});

test("a finished game is replayed with keys, slider and list", async () => {
  const created = await here.server.played("3x3k3", WON);
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.reads("Ann wins.");
  const has = (/** @type {number} */ count) => eve.has(".cell[data-side]", count);
  await eve.page.keyboard.press(",");
  await has(4);
  await eve.page.waitForURL(/\?turn=4$/);
  await eve.page.keyboard.press("ArrowLeft");
  await has(3);
  await eve.page.keyboard.press("<");
  await has(0);
  await eve.page.getByRole("slider").fill("2");
  await has(2);
  await eve.page.locator(".moves").getByRole("button", { name: "top", exact: true }).click();
  await has(3);
  await eve.reads("Position after turn 3 of 5");
  await eve.page.reload();
  await eve.reads("Position after turn 3 of 5");
  await has(3);
  await eve.page.keyboard.press("Escape");
  await eve.reads("Ann wins.");
  await has(5);
  eve.isFine();
});

test("a new game can start from any position", async () => {
  const created = await here.server.played("3x3k3", WON);
  const eve = await here.person();
  await eve.go(`/game/${created.id}?turn=3`);
  await eve.button("Play on from here").click();
  await eve.page.getByRole("combobox", { name: "cross" }).selectOption("me");
  await eve.button("Begin").click();
  await eve.page.waitForURL((url) => !url.pathname.endsWith(created.id));
  await eve.reads("Your turn: nought.");
  await eve.has(".cell[data-side]", 3);
  await eve.play("0-2", 1);
  await eve.reads("Your turn: cross.");
  eve.isFine();
});

test("the archive is filtered by variant and player, and records can be saved", async () => {
  await here.server.played("7x6k4+gravity", ["5-3", "5-4", "4-3", "4-4", "3-3", "3-4", "2-3"], ["Zoe", "Yan"]);
  const eve = await here.person();
  await eve.go("/archive");
  await eve.page.getByLabel("Player").fill("Zoe");
  await eve.button("Show").click();
  await eve.has(".table-row", 1);
  await eve.page.getByLabel("Game", { exact: true }).selectOption("multi");
  await eve.page.getByText("No game matches.").waitFor();
  await eve.page.getByLabel("Game", { exact: true }).selectOption("7x6k4+gravity");
  await eve.page.getByRole("link", { name: /Zoe – Yan/ }).click();
  await eve.reads("Zoe wins.");
  const [download] = await Promise.all([eve.page.waitForEvent("download"), eve.page.getByText("Save record").click()]);
  const record = await readFile(await download.path(), "utf8");
  assert.match(record, /^noughts 1\nvariant 7x6k4\+gravity\n/);
  eve.isFine();
});

test("link previews have a title and a picture", async () => {
  const created = await here.server.played("3x3k3", WON, ['<b>"Ann"</b>', "Bob"]);
  const html = await (await fetch(`${here.server.url}/game/${created.id}`)).text();
  assert.match(html, /<title>&lt;b&gt;&quot;Ann&quot;&lt;\/b&gt; – Bob · Noughts<\/title>/);
  const picture = /og:image" content="([^"]+)"/.exec(html)?.[1] ?? "";
  const answer = await fetch(picture.replaceAll("&amp;", "&"));
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.equal(Buffer.from(await answer.arrayBuffer()).toString("latin1", 1, 4), "PNG");
  const french = await fetch(`${here.server.url}/game/${created.id}`, {
    headers: { "Accept-Language": "fr-CH, en;q=0.5" },
  });
  assert.match(french.headers.get("vary") ?? "", /Accept-Language/);
  assert.match(await french.text(), /<html lang="fr">[^]*og:description" content="Morpion\. Victoire : /);
  const svg = await (await fetch(`${here.server.url}/game/${created.id}/board.svg`)).text();
  assert.match(svg, /^<svg /);
});
