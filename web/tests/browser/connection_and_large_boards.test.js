// Lost connections to the server; and boards larger than any screen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world({ isLasting: true, serviceWorkers: "allow" });

test("the page reconnects after the server was killed, and sends the move made meanwhile", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "" }, { robot: "first" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.play("1-1", 0);
  await ann.reads("Your turn.");
  await here.server.stop("SIGKILL");
  await ann.notes("Connection lost. Trying again…");
  // The move that is played meanwhile is not lost.
  await ann.cell("0-2").click();
  await ann.hasMark("0-2", 0);
  await here.server.start();
  await ann.reads("Your turn.");
  await ann.notes("You're back, nothing was missed.");
  await ann.play("2-0", 0);
  await ann.reads("You win.");
});

test("the page opens without network and says what needs it", async () => {
  const ann = await here.person();
  await ann.go("/");
  await ann.page.evaluate(() => navigator.serviceWorker.ready);
  await ann.page.waitForFunction(
    async () =>
      (await caches.keys()).length === 1 &&
      (await (await caches.open((await caches.keys())[0] ?? "")).keys()).length > 20,
  );
  await ann.context.setOffline(true);
  await ann.page.goto(`${here.server.url}/archive`);
  await ann.page.getByRole("heading", { name: "This needs the network" }).waitFor();
  await ann.page.goto(here.server.url);
  await ann.reads("Tic-tac-toe against the computer");
  await ann.cell("1-1").click();
  await ann.notes("The server does not answer.");
  await ann.context.setOffline(false);
  await ann.play("1-1", 0);
  await ann.page.waitForURL(/\/game\//);
});

test("a 255x255 board has only its visible cells in the document", async () => {
  const created = await here.server.createTable({
    variant: "255x255k5",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.cell("127-127").waitFor();
  const cells = () => ann.page.locator(".cell").count();
  assert.ok((await cells()) < 1500);
  await ann.play("127-127", 0);
  await ann.play("126-127", 1);
  await ann.cell("126-127").focus();
  for (let step = 0; step < 40; step++) await ann.page.keyboard.press("ArrowRight");
  await ann.page.locator(':focus[aria-label="row 127, column 168, empty"]').waitFor();
  // tests/cpu_time.js measures the processor time of scrolling.
  const at = await ann.page.evaluate(async () => {
    const port = /** @type {HTMLElement} */ (document.querySelector(".port"));
    for (let step = 0; step < 20; step++) {
      port.scrollBy(130, 170);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    const box = port.getBoundingClientRect();
    const middle = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return middle?.closest(".cell")?.getAttribute("data-move") ?? "";
  });
  // The cell in the middle is now far from the start, and it is in the document.
  assert.ok(
    at.split("-").every((number) => Number(number) > 200),
    at,
  );
  assert.ok((await cells()) < 1500);
  await ann.button("Zoom out").click();
  assert.ok((await cells()) < 4000);
});

test("two fingers zoom a large board", async () => {
  const created = await here.server.createTable({
    variant: "99x99k5",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person({ viewport: { width: 390, height: 800 }, hasTouch: true });
  await ann.sitAt(created);
  await ann.cell("49-49").waitFor();
  const box = await ann.page.locator(".port").boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await ann.context.newCDPSession(ann.page);
  const touch = (/** @type {"touchStart" | "touchMove" | "touchEnd"} */ type, /** @type {number[]} */ ...apart) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: apart.map((by, id) => ({ x: x + by, y, id })) });
  await touch("touchStart", -40, 40);
  await touch("touchMove", -50, 50);
  await touch("touchMove", -60, 60);
  await touch("touchEnd");
  // The fingers moved apart by half: cells of 32 pixels became 48 pixels wide, and the middle cell stays in the middle.
  await ann.page.waitForFunction(() => {
    const width = document.querySelector(".cell")?.getBoundingClientRect().width;
    return width === 48;
  });
  const middle = await ann.page.evaluate(
    ([x, y]) =>
      document
        .elementFromPoint(x ?? 0, y ?? 0)
        ?.closest(".cell")
        ?.getAttribute("data-move"),
    [x, y],
  );
  assert.equal(middle, "49-49");
});

test("a mark appears in the same task as the press", async () => {
  const created = await here.server.createTable({
    variant: "50x50k5",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.cell("24-24").waitFor();
  const isThere = await ann.page.evaluate(() => {
    const cell = /** @type {HTMLElement} */ (document.querySelector('.cell[data-move="24-24"]'));
    cell.click();
    return cell.querySelector(".mark") !== null;
  });
  assert.ok(isThere);
});

test("a move on a large board changes only its cells", async () => {
  const created = await here.server.createTable({
    variant: "50x50k5",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.play("24-24", 0);
  await ann.isUp();
  await ann.page.mouse.move(5, 5);
  await ann.page.evaluate(() => {
    const seen = /** @type {any} */ (window);
    seen.touched = new Set();
    new MutationObserver((all) => {
      for (const { target } of all) {
        const cell = (target instanceof Element ? target : target.parentElement)?.closest(".cell");
        if (cell instanceof HTMLElement) seen.touched.add(cell.dataset.move);
      }
    }).observe(document.querySelector(".grid") ?? document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
  });
  await here.server.act(created, 1, { turn: 2, play: "25-24" });
  await ann.hasMark("25-24", 1);
  assert.deepEqual(await ann.page.evaluate(() => [.../** @type {any} */ (window).touched].sort()), ["24-24", "25-24"]);
});
