// Every game in one tap, levels at the table, small cells under a finger, lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test("a card starts its game at once with the last opponent", async () => {
  const ann = await here.person();
  await ann.go("/new");
  await ann.page.getByLabel("Opponent").selectOption("level:2");
  await ann.button("Connect Four").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.page.locator(".seat", { hasText: "Computer · 2" }).waitFor();
  await ann.go("/new");
  await ann.button("Ultimate").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.page.locator(".seat", { hasText: "Computer · 2" }).waitFor();
  ann.isFine();
});

test("only robots that can play the game are offered", async () => {
  const ann = await here.person();
  await ann.go("/new?game=3x3k3");
  const robots = () => ann.page.getByLabel("nought").locator("option").allInnerTexts();
  await ann.page
    .getByLabel("nought")
    .locator("option", { hasText: "Computer, perfect" })
    .waitFor({ state: "attached" });
  await ann.page.getByLabel("Game", { exact: true }).selectOption("15x15k5");
  await ann.page.waitForFunction(() => !document.querySelector('option[value="perfect"]'));
  assert.equal((await robots()).includes("Computer, perfect"), false);
  ann.isFine();
});

test("the level is changed at the table, and New game is the same game", async () => {
  const ann = await here.person();
  await ann.go("/");
  await ann.play("1-1", 0);
  await ann.page.waitForURL(/\/game\//);
  await ann.isUp();
  const first = ann.page.url();
  await ann.page.getByLabel("Level").selectOption("1");
  await ann.page.waitForURL((url) => url.href !== first);
  await ann.page.locator(".seat", { hasText: "Computer · 1" }).waitFor();
  // The position stays.
  await ann.has(".cell[data-side]", 2);
  const second = ann.page.url();
  await ann.page.locator("main").focus();
  await ann.page.keyboard.press("n");
  await ann.page.waitForURL((url) => url.href !== second);
  await ann.page.locator(".seat", { hasText: "Computer · 1" }).waitFor();
  await ann.has(".cell[data-side]", 0);
  ann.isFine();
});

test("on a phone a finger aims at a small cell first, and then plays it", async () => {
  const created = await here.server.createTable({
    variant: "15x15k5",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const ann = await here.person(PHONE);
  await ann.sitAt(created, [0]);
  await ann.isUp();
  await ann.cell("7-7").tap();
  await ann.page.locator(".board[data-aiming]").waitFor();
  assert.equal(await ann.page.locator(".cell[data-side]").count(), 0);
  await ann.cell("7-8").tap();
  await ann.page.locator('.cell[data-move="7-8"] .ghost').waitFor();
  await ann.button("Play here").tap();
  await ann.hasMark("7-8", 0);
  await here.server.act(created, 1, { turn: 2, play: "0-0" });
  await ann.isUp();
  // The second tap on the same cell plays too.
  await ann.cell("8-8").tap();
  await ann.page.locator(".board[data-aiming]").waitFor();
  await ann.cell("8-8").tap();
  await ann.hasMark("8-8", 0);
  ann.isFine();
});

test("large screens have large boards", async () => {
  const eve = await here.person({ viewport: { width: 2560, height: 1440 } });
  await eve.go("/");
  const box = await eve.page.locator(".port").boundingBox();
  assert.ok(box && box.width > 1000 && box.height < 1440, JSON.stringify(box));
});

test("the edges of a board name its columns and rows as the list of moves does", async () => {
  const created = await here.server.played("15x15k5", ["7-7", "0-1"]);
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.page.locator(".moves", { hasText: "h8" }).waitFor();
  await eve.page.locator(".moves", { hasText: "b1" }).waitFor();
  assert.equal(await eve.cell("7-7").getAttribute("aria-label"), "h8, cross");
  assert.equal(await eve.page.locator('[data-column="b"] .cell').getAttribute("data-move"), "0-1");
  const four = await here.server.played("7x6k4+gravity", ["5-3"]);
  await eve.go(`/game/${four.id}`);
  await eve.page.locator(".moves", { hasText: "column 4" }).waitFor();
  eve.isFine();
});

test("lists show the position, the result and what is mine", async () => {
  const won = await here.server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"]);
  const ann = await here.person();
  await ann.sitAt(won, [0]);
  await ann.go("/archive");
  const row = ann.page.locator(".tables li").first();
  await row.getByText("You win.").waitFor();
  await row.getByText("mine").waitFor();
  await ann.page.waitForFunction(() => {
    const picture = document.querySelector("img.thumbnail");
    return picture instanceof HTMLImageElement && picture.naturalWidth > 0;
  });
  const eve = await here.person();
  await eve.go("/archive");
  await eve.page.locator(".tables li", { hasText: "Ann wins." }).first().waitFor();
  for (const who of [ann, eve]) who.isFine();
});

test("a late answer to a move does not remove the computer's reply", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { robot: "level:4" }],
    take: [0],
  });
  const ann = await here.person();
  // The answer is delayed, so the event stream brings the robot's reply first. The answer does not contain this reply.
  await ann.page.route(/\/actions$/, async (route) => {
    const response = await route.fetch();
    await new Promise((done) => setTimeout(done, 150));
    await route.fulfill({ response });
  });
  await ann.sitAt(created);
  for (let move = 0; move < 2; move++) {
    await ann.isUp();
    await ann.page.locator(".cell:not([data-side])").first().click();
    await ann.has(".cell[data-side]", 2 * move + 2);
  }
  ann.isFine();
});

test("the computer's reply comes a beat after the move", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { robot: "first" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.isUp();
  const waited = await ann.page.evaluate(async () => {
    const cell = /** @type {HTMLElement} */ (document.querySelector('.cell[data-move="1-1"]'));
    const began = performance.now();
    cell.click();
    await new Promise((done) => {
      const look = () => (document.querySelector('.cell[data-side="1"]') ? done(null) : requestAnimationFrame(look));
      look();
    });
    return performance.now() - began;
  });
  assert.ok(waited >= 340, `${waited} ms`);
  ann.isFine();
});

test("the name of the computer is never cut off", async () => {
  const clock = { base: 600, increment: 5 };
  const against = (/** @type {string} */ robot) => ({ seats: [{ human: "Ann" }, { robot }], take: [0] });
  const tables = [
    { variant: "3x3k3", ...against("level:4") },
    { variant: "ultimate", ...against("level:4"), clock },
    { variant: "3x3k3", ...against("perfect"), clock },
  ];
  const created = await Promise.all(tables.map((table) => here.server.createTable(table)));
  for (const locale of ["en", "ca", "cs", "fr"]) {
    const ann = await here.person({ locale });
    for (const { id, view } of created) {
      await ann.go(`/game/${id}`);
      for (const width of [1280, 390, 320]) {
        await ann.page.setViewportSize({ width, height: 800 });
        const cut = await ann.page.locator(".seat[data-robot] .name").evaluateAll((names) => {
          // A name is widest while its seat is to move.
          for (const name of names) name.closest(".seat")?.setAttribute("data-turn", "");
          const isCut = (/** @type {Element} */ name) => name.scrollWidth > name.clientWidth;
          return names.filter(isCut).map((name) => `${name.textContent}: ${name.scrollWidth} > ${name.clientWidth}`);
        });
        assert.deepEqual(cut, [], `${view.variant} in ${locale} at ${width} pixels`);
        assert.equal(await ann.page.locator(".seat[data-robot] .name").count(), 1);
      }
    }
    ann.isFine();
  }
});

test("on the narrowest phone the board does not move while the computer thinks", async () => {
  for (const locale of ["en", "ca", "cs", "fr"]) {
    const created = await here.server.createTable({
      variant: "3x3k3",
      seats: [{ human: "Ann" }, { robot: "level:4" }],
      take: [0],
    });
    const ann = await here.person({ viewport: { width: 320, height: 640 }, locale });
    // The move does not reach the server, so the page keeps saying that the computer thinks.
    await ann.page.route(/\/actions$/, () => {});
    await ann.sitAt(created);
    await ann.isUp();
    const top = async () => (await ann.page.locator(".board").boundingBox())?.y;
    const before = await top();
    await ann.cell("1-1").click();
    await ann.reads("· 4");
    assert.equal(await top(), before, locale);
    await ann.page.unrouteAll({ behavior: "ignoreErrors" });
    await ann.context.close();
  }
});
