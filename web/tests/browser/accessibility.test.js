// Accessibility: keyboard, screen reader, languages, widths, themes. Also: the page loads nothing from other hosts.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCRIPT = "<img src=x onerror=alert(1)>";

/** The addresses of pages with content. */
async function places() {
  const over = await here.server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"]);
  const nine = await here.server.played("ultimate", ["4-0", "0-4", "4-4", "4-8"]);
  const waiting = await here.server.createTable({
    variant: "4x4k3p3",
    history: 4,
    seats: [{ human: "Ann" }, { open: "lobby" }, { robot: "level:2" }],
    take: [0],
  });
  return [
    "/",
    "/new",
    "/watch",
    "/archive",
    "/me",
    "/new?game=12x9k4p3",
    "/nowhere",
    "/game/nothing",
    `/game/${over.id}`,
    `/game/${over.id}?turn=2`,
    `/game/${nine.id}`,
    `/game/${waiting.id}`,
  ];
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`axe finds nothing on any page, ${colorScheme}`, async () => {
    const eve = await here.person({ colorScheme });
    await eve.context.addInitScript(AXE);
    const pages = await places();
    for (const path of pages) {
      await eve.go(path);
      await eve.page.locator("h1").first().waitFor();
      const found = await eve.page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
        return violations.map(
          (/** @type {any} */ one) =>
            `${one.id}: ${one.nodes.map((/** @type {any} */ node) => node.target).join(" ")} ${one.nodes[0].failureSummary}`,
        );
      });
      assert.deepEqual(found, [], path);
    }
    await eve.button("Settings").click();
    await eve.page.getByRole("dialog").waitFor();
    const found = await eve.page.evaluate(async () =>
      (await /** @type {any} */ (window).axe.run("dialog")).violations.map((/** @type {any} */ one) => one.id),
    );
    assert.deepEqual(found, [], "settings");
  });
}

test("axe finds nothing in the record dialog, and in the analysis of a phone", async () => {
  const over = await here.server.played("3x3k3", ["0-0", "1-0", "0-1", "1-1", "0-2"]);
  const eve = await here.person({ viewport: { width: 390, height: 760 } });
  await eve.context.addInitScript(AXE);
  const violations = () =>
    eve.page.evaluate(async () =>
      (await /** @type {any} */ (window).axe.run(document)).violations.map((/** @type {any} */ one) => one.id),
    );
  await eve.go("/archive");
  await eve.button("Open a record").click();
  await eve.page.getByLabel("Or choose a file").waitFor();
  assert.deepEqual(await violations(), [], "the record dialog");
  await eve.go(`/game/${over.id}#analysis`);
  await eve.button("Moves").click();
  await eve.page.locator(".analysis h3").waitFor();
  assert.deepEqual(await violations(), [], "the analysis");
  const moves = await eve.page.locator(".moves").boundingBox();
  assert.ok(moves && moves.height > 80, "the analysis leaves room for the moves");
});

test("axe finds nothing in dialogs, offers, claims, invitations and profiles", async () => {
  const created = await here.server.createTable({
    variant: "7x6k4+gravity",
    history: 3,
    clock: { base: 600 },
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  for (const [at, play] of ["5-3", "5-4", "4-3"].entries()) {
    await here.server.act(created, at % 2, { turn: at + 1, play });
  }
  const ann = await here.person();
  await ann.context.addInitScript(AXE);
  /** @param {string} what */
  const isFine = async (what) => {
    const found = await ann.page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] });
      return violations.map(
        (/** @type {any} */ one) => `${one.id}: ${one.nodes.map((/** @type {any} */ n) => n.target)}`,
      );
    });
    assert.deepEqual(found, [], what);
  };
  /** Opens a dialog, checks it and closes it. @param {string | RegExp} button */
  const opens = async (button) => {
    await ann.button(button).first().click();
    await ann.page.getByRole("dialog").waitFor();
    await isFine(String(button));
    await ann.page.keyboard.press("Escape");
    await ann.page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await ann.sitAt(created, [0]);
  await ann.button("Offer a draw").click();
  await ann.button("Withdraw").waitFor();
  await isFine("an offer of mine");
  await here.server.act(created, 0, { decline: "draw" });
  await here.server.act(created, 1, { offer: "takeback" });
  await ann.button("Accept").waitFor();
  await isFine("an offer of the other");
  await opens("Give up");
  await opens("Share");
  // Bob leaves, so the page offers claims. The page asks before it leaves the game.
  await here.server.ask(`/api/games/${created.id}/leave`, {}, { Authorization: `Bearer ${created.tokens[1]}` });
  await ann.button("Claim the win").waitFor();
  await isFine("claims");
  await ann.page.getByRole("link", { name: "Watch" }).click();
  await ann.page.getByRole("dialog", { name: "Leave this game?" }).waitFor();
  await isFine("leaving a game");
  await ann.page.keyboard.press("Escape");
  await ann.page.getByRole("dialog").waitFor({ state: "detached" });
  await here.server.act(created, 1, { turn: 4, play: "4-4" });
  await ann.isUp();
  await ann.button("Rewind").click();
  await isFine("choosing a rewind");
  await ann.page.keyboard.press("Escape");
  await ann.page.locator("main").focus();
  await ann.page.keyboard.press(",");
  await opens("Play on from here");
  await ann.page.keyboard.press("?");
  await ann.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await isFine("the keys");
  await ann.page.keyboard.press("Escape");
  await ann.go("/new?game=10x8k5");
  await isFine("a game of one's own");
  await ann.button("Tic-tac-toe").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.isUp();
  await isFine("a game against the computer");
  await ann.go("/me");
  await isFine("the player");
  await opens("Use another device");
  await opens("Delete my player");
  await ann.go("/watch");
  await opens("Quick match");
  const open = { variant: "ultimate", seats: [{ human: "Zoe" }, { open: /** @type {const} */ ("link") }], take: [0] };
  const invitation = await here.server.createTable(open);
  await ann.go(`/game/${invitation.id}`);
  await isFine("an invitation");
  await ann.button("Sit down").click();
  await ann.reads("Zoe to move.");
  await isFine("a game on nine boards");
  const pair = [{ human: "Ann" }, { human: "Bob" }];
  const begun = await here.server.createTable({ variant: "3x3k3", seats: pair, take: [0, 1], clock: { base: 15 } });
  for (const [at, play] of ["1-1", "0-0"].entries()) await here.server.act(begun, at, { turn: at + 1, play });
  await ann.go("/watch");
  await ann.page.locator(".tables li", { hasText: "Ann – Bob" }).first().waitFor();
  await isFine("a lobby with games");
  await ann.go(`/game/${begun.id}`);
  await ann.page.locator(".clock[data-low]").first().waitFor();
  await isFine("little time");
  const over = await here.server.played("5x4k4+gravity", ["3-2", "3-1", "2-2", "2-1", "1-2", "1-1", "0-2"]);
  await ann.go(`/game/${over.id}?turn=5#analysis`);
  await ann.page.locator(".move-values").waitFor();
  await isFine("an analysis with the value of every column");
  ann.isFine();
});

test("a whole game as the accessibility tree says it", async () => {
  const ann = await here.person();
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  await ann.sitAt(created, [0]);
  await ann.isUp();
  /** The texts that change during a game: heading, board, seats, buttons. */
  const says = async () => {
    const heading = await ann.page.getByRole("heading", { level: 1 }).innerText();
    const board = await ann.page.getByRole("grid").ariaSnapshot();
    const cells = [...board.matchAll(/button "([^"]+)"/g)].map((found) => found[1] ?? "");
    const seats = (await ann.page.locator(".seat").allInnerTexts()).map((text) => text.replaceAll("\n", " "));
    const buttons = await ann.page.locator(".controls button:not([aria-disabled])").allInnerTexts();
    return [heading, cells.filter((cell) => !cell.endsWith("empty")).join("; "), seats.join("; "), buttons.join(", ")];
  };
  const moves = ["0-0", "1-1", "0-1", "2-2", "0-2"];
  /** @type {string[][]} */
  const heard = [await says()];
  for (const [at, play] of moves.entries()) {
    if (at % 2) await here.server.act(created, 1, { turn: at + 1, play });
    else await ann.play(play, 0);
    await ann.hasMark(play, at % 2);
    await ann.page.locator(".moves li").nth(at).waitFor();
    heard.push(await says());
  }
  assert.deepEqual(heard, [
    ["Your turn.", "", "cross: You to move; nought: Bob away", "Call it off"],
    [
      "Bob to move.",
      "top left, cross, last move",
      "cross: You; nought: Bob away · to move",
      "Ask to undo, Call it off",
    ],
    [
      "Your turn.",
      "top left, cross; centre, nought, last move",
      "cross: You to move; nought: Bob here",
      "Ask to undo, Offer a draw, Give up",
    ],
    [
      "Bob to move.",
      "top left, cross; top, cross, last move; centre, nought",
      "cross: You; nought: Bob here · to move",
      "Ask to undo, Offer a draw, Give up",
    ],
    [
      "Your turn.",
      "top left, cross; top, cross; centre, nought; bottom right, nought, last move",
      "cross: You to move; nought: Bob here",
      "Ask to undo, Offer a draw, Give up",
    ],
    [
      "You win.",
      "top left, cross, in the winning line; top, cross, in the winning line; " +
        "top right, cross, last move, in the winning line; centre, nought; bottom right, nought",
      "cross: You won; nought: Bob",
      "Play again, New game",
    ],
  ]);
  ann.isFine();
});

test("a whole game of Connect Four as the accessibility tree says it", async () => {
  const ann = await here.person();
  const created = await here.server.createTable({
    variant: "7x6k4+gravity",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  await ann.sitAt(created, [0]);
  await ann.isUp();
  const said = async () => {
    const heading = await ann.page.getByRole("heading", { level: 1 }).innerText();
    const board = await ann.page.getByRole("grid").ariaSnapshot();
    const cells = [...board.matchAll(/button "([^"]+)"/g)].map((found) => found[1] ?? "");
    assert.equal(cells.length, 42);
    const moves = await ann.page.locator(".moves li").last().innerText();
    return [heading, cells.filter((cell) => !cell.endsWith("empty")).join("; "), moves];
  };
  /** @type {string[][]} */
  const heard = [];
  for (const [at, play] of ["5-3", "5-4", "4-3", "4-4", "3-3", "3-4", "2-3"].entries()) {
    if (at % 2) await here.server.act(created, 1, { turn: at + 1, play });
    else await ann.play(play, 0);
    await ann.hasMark(play, at % 2);
    await ann.page.locator(".moves li").nth(at).waitFor();
    heard.push(await said());
  }
  const [six, five, four] = ["row 6, column", "row 5, column", "row 4, column"];
  assert.deepEqual(heard, [
    ["Bob to move.", `${six} 4, cross, last move`, "column 4"],
    ["Your turn.", `${six} 4, cross; ${six} 5, nought, last move`, "column 5"],
    ["Bob to move.", `${five} 4, cross, last move; ${six} 4, cross; ${six} 5, nought`, "column 4"],
    ["Your turn.", `${five} 4, cross; ${five} 5, nought, last move; ${six} 4, cross; ${six} 5, nought`, "column 5"],
    [
      "Bob to move.",
      `${four} 4, cross, last move; ${five} 4, cross; ${five} 5, nought; ${six} 4, cross; ${six} 5, nought`,
      "column 4",
    ],
    [
      "Your turn.",
      `${four} 4, cross; ${four} 5, nought, last move; ` +
        `${five} 4, cross; ${five} 5, nought; ${six} 4, cross; ${six} 5, nought`,
      "column 5",
    ],
    [
      "You win.",
      "row 3, column 4, cross, last move, in the winning line; " +
        `${four} 4, cross, in the winning line; ${four} 5, nought; ` +
        `${five} 4, cross, in the winning line; ${five} 5, nought; ` +
        `${six} 4, cross, in the winning line; ${six} 5, nought`,
      "column 4",
    ],
  ]);
  ann.isFine();
});

test("a whole game on nine boards as the accessibility tree says it", async () => {
  const ann = await here.person();
  const created = await here.server.createTable({
    variant: "ultimate",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  await ann.sitAt(created, [0]);
  await ann.isUp();
  /** The status, the last move, and each board that is won or must be played on. */
  const said = async () => {
    const heading = await ann.page.getByRole("heading", { level: 1 }).innerText();
    const grids = ann.page.getByRole("grid");
    const boards = await grids.evaluateAll((all) => all.map((grid) => grid.ariaLabel?.replace(/^Board, /, "") ?? ""));
    assert.equal(boards.length, 9);
    const last = await ann.page
      .getByRole("button", { name: /last move/ })
      .evaluateAll((all) => all.map((cell) => cell.ariaLabel));
    return [heading, last.join(), boards.filter((board) => board.includes(",")).join("; ")];
  };
  // Cross wins the middle rows of the three upper boards; nought wins two boards on the way.
  const moves = [
    ["0-3", "3-0", "0-4", "4-0", "0-5", "5-1"],
    ["1-3", "3-1", "1-4", "4-1", "1-5", "5-2"],
    ["2-3", "3-2", "2-4", "4-2", "2-5"],
  ].flat();
  /** @type {string[][]} */
  const heard = [];
  for (const [at, play] of moves.entries()) {
    if (at % 2) await here.server.act(created, 1, { turn: at + 1, play });
    else await ann.play(play, 0);
    await ann.hasMark(play, at % 2);
    await ann.page.locator(".moves li").nth(at).waitFor();
    heard.push(await said());
  }
  const one = "top left, won by cross";
  const two = `${one}; top, won by cross`;
  assert.deepEqual(heard, [
    ["Bob to move.", "left of the top left board, cross, last move", "left, play here"],
    ["Your turn.", "top left of the left board, nought, last move", "top left, play here"],
    ["Bob to move.", "centre of the top left board, cross, last move", "centre, play here"],
    ["Your turn.", "top left of the centre board, nought, last move", "top left, play here"],
    ["Bob to move.", "right of the top left board, cross, last move", `${one}; right, play here`],
    ["Your turn.", "top of the right board, nought, last move", `${one}; top, play here`],
    ["Bob to move.", "left of the top board, cross, last move", `${one}; left, play here`],
    ["Your turn.", "top of the left board, nought, last move", `${one}; top, play here`],
    ["Bob to move.", "centre of the top board, cross, last move", `${one}; centre, play here`],
    ["Your turn.", "top of the centre board, nought, last move", `${one}; top, play here`],
    ["Bob to move.", "right of the top board, cross, last move", `${two}; right, play here`],
    ["Your turn.", "top right of the right board, nought, last move", `${two}; top right, play here`],
    ["Bob to move.", "left of the top right board, cross, last move", `${two}; left, play here`],
    [
      "Your turn.",
      "top right of the left board, nought, last move",
      `${two}; top right, play here; left, won by nought`,
    ],
    [
      "Bob to move.",
      "centre of the top right board, cross, last move",
      `${two}; left, won by nought; centre, play here`,
    ],
    [
      "Your turn.",
      "top right of the centre board, nought, last move",
      `${two}; top right, play here; left, won by nought; centre, won by nought`,
    ],
    [
      "You win.",
      "right of the top right board, cross, last move",
      `${two}; top right, won by cross; left, won by nought; centre, won by nought`,
    ],
  ]);
  ann.isFine();
});

test("a game by keyboard alone", async () => {
  const ann = await here.person();
  await ann.go("/");
  const press = (/** @type {string} */ key) => ann.page.keyboard.press(key);
  // The first Tab stop is a link that skips the header. After Enter on this link, the next Tab stop is the board.
  await press("Tab");
  await ann.page.locator(".skip:focus").waitFor();
  await ann.page.evaluate(() => document.querySelector("main > *")?.setAttribute("data-same", ""));
  await press("Enter");
  await ann.page.locator("main:focus > [data-same]").waitFor();
  await press("Tab");
  const isAt = (/** @type {string} */ move) => ann.page.locator(`.cell[data-move="${move}"]:focus`).waitFor();
  await isAt("1-1");
  await press("ArrowUp");
  await press("ArrowLeft");
  await press("Enter");
  await ann.hasMark("0-0", 0);
  await ann.page.waitForURL(/\/game\//);
  await ann.reads("Your turn.");
  // The focus is still on the cell that was played, although the page has a new address.
  await isAt("0-0");
  await press("ArrowDown");
  await isAt("1-0");
  await press("?");
  await ann.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await press("Escape");
  await ann.page.getByRole("dialog").waitFor({ state: "detached" });
  const address = ann.page.url();
  await press("n");
  await ann.page.waitForURL((url) => url.href !== address && url.pathname.startsWith("/game/"));
  await ann.has(".cell[data-side]", 0);
  ann.isFine();
});

test("screen readers get the name of each cell and its mark", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-1"]);
  const ann = await here.person();
  await ann.go(`/game/${created.id}`);
  await ann.hasMark("1-1", 1);
  const tree = await ann.page.getByRole("grid").ariaSnapshot();
  const said = [...tree.matchAll(/button "([^"]+)"/g)].map((found) => found[1]);
  assert.deepEqual(said, [
    "top left, cross",
    "top, empty",
    "top right, empty",
    "left, empty",
    "centre, nought, last move",
    "right, empty",
    "bottom left, empty",
    "bottom, empty",
    "bottom right, empty",
  ]);
  assert.equal((tree.match(/- row/g) ?? []).length, 3);
});

test("each of nine boards names its place, its winner and whether it is active", async () => {
  const created = await here.server.played("ultimate", ["4-0", "0-4", "4-1", "1-4", "4-2"]);
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.hasMark("4-2", 0);
  const grids = await eve.page.getByRole("grid").evaluateAll((all) => all.map((grid) => grid.ariaLabel));
  assert.equal(grids[4], "Board, centre, won by cross");
  assert.equal(grids[2], "Board, top right, play here");
  assert.equal(grids[8], "Board, bottom right");
  assert.equal(await eve.cell("4-2").getAttribute("aria-label"), "top right of the centre board, cross, last move");
  const seats = await eve.page.locator(".seat").allInnerTexts();
  assert.deepEqual(
    seats.map((text) => text.replaceAll("\n", " ")),
    // Ann and Bob are present because of the requests with their tokens.
    ["cross: Ann here Boards won: 1", "nought: Bob here · to move Boards won: 0"],
  );
});

test("each turn and the result are announced once", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.page.evaluate(() => {
    const heard = /** @type {any} */ (window);
    heard.said = [];
    for (const live of document.querySelectorAll("[aria-live], [role=status], [role=alert]")) {
      const listen = () => live.textContent && heard.said.push(live.textContent);
      new MutationObserver(listen).observe(live, { childList: true, characterData: true, subtree: true });
    }
  });
  for (const [at, [mine, theirs]] of [
    ["0-0", "1-1"],
    ["0-1", "2-2"],
  ].entries()) {
    await ann.play(mine ?? "", 0);
    // The page announces the move after the server has accepted it.
    await ann.page.waitForFunction((count) => /** @type {any} */ (window).said.length === count, 2 * at + 1);
    await here.server.act(created, 1, { turn: 2 * at + 2, play: theirs });
    await ann.hasMark(theirs ?? "", 1);
  }
  await ann.play("0-2", 0);
  await ann.reads("You win.");
  assert.deepEqual(await ann.page.evaluate(() => /** @type {any} */ (window).said), [
    "Bob to move.",
    "Bob plays centre. Your turn.",
    "Bob to move.",
    "Bob plays bottom right. Your turn.",
    "You win.",
  ]);
});

test("on a phone the side panel opens below the board", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"]);
  const eve = await here.person({ viewport: { width: 390, height: 700 }, hasTouch: true, reducedMotion: "reduce" });
  await eve.go(`/game/${created.id}`);
  const moves = eve.page.locator(".moves");
  const handle = eve.button("Moves");
  await moves.waitFor({ state: "hidden" });
  await eve.button("One move back").tap();
  await eve.has(".cell[data-side]", 4);
  await handle.tap();
  await eve.page.locator('.handle[aria-expanded="true"]').waitFor();
  await moves.getByRole("button", { name: "top left" }).tap();
  await eve.has(".cell[data-side]", 1);
  const [board, drawer] = [
    await eve.page.locator(".port").boundingBox(),
    await eve.page.locator(".side-panel").boundingBox(),
  ];
  assert.ok(board && drawer && board.y >= 0 && board.y + board.height <= drawer.y, "the board can be seen");
  await eve.page.keyboard.press("Escape");
  await moves.waitFor({ state: "hidden" });
  eve.isFine();
});

test("the language follows the browser, then the setting", async () => {
  const titles = {
    en: "Tic-tac-toe against the computer",
    ca: "Tres en ratlla contra l'ordinador",
    cs: "Piškvorky proti počítači",
    fr: "Morpion contre l'ordinateur",
  };
  for (const [language, title] of Object.entries(titles)) {
    const eve = await here.person({ locale: language });
    await eve.go("/");
    await eve.reads(title);
    assert.equal(await eve.page.locator("html").getAttribute("lang"), language);
    eve.isFine();
  }
  const eve = await here.person();
  await eve.go("/");
  await eve.button("Settings").click();
  await eve.page.getByLabel("Language").selectOption("cs");
  await eve.reads(titles.cs);
  await eve.page.reload();
  await eve.reads(titles.cs);
});

test("no page is wider than the screen, from 320 pixels", async () => {
  const pages = await places();
  const gomoku = await here.server.createTable({ variant: "15x15k5" });
  for (const width of [320, 390, 768]) {
    const eve = await here.person({ viewport: { width, height: 640 }, hasTouch: true, locale: "fr" });
    for (const path of [...pages, `/game/${gomoku.id}`]) {
      await eve.go(path);
      const wide = await eve.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${path} is ${wide} wide at ${width}`);
      const board = await eve.page.evaluate(() => document.querySelector(".port")?.getBoundingClientRect().toJSON());
      if (board) assert.ok(board.left >= 0 && board.right <= width, `${path}: the board at ${width}`);
    }
  }
});

test("touch targets are at least 44 pixels", async () => {
  const eve = await here.person({ viewport: { width: 390, height: 800 } });
  for (const path of await places()) {
    await eve.go(path);
    const small = await eve.page.evaluate(() =>
      [...document.querySelectorAll("button:not(.cell), .button, select, nav a, .cell")]
        .filter((element) => element.checkVisibility())
        .map((element) => ({
          box: element.getBoundingClientRect(),
          name: element.className + element.textContent,
          isNine: Boolean(element.closest(".nine")),
        }))
        .filter(({ box, isNine }) => !isNine && (box.height < 43.5 || box.width < 43.5))
        .map(({ name, box }) => `${name} ${box.width}x${box.height}`),
    );
    assert.deepEqual(small, [], path);
  }
});

test("reduced motion turns animations off", async () => {
  const eve = await here.person({ reducedMotion: "reduce" });
  await eve.go("/");
  await eve.play("1-1", 0);
  assert.equal(await eve.page.locator(".mark.new").count(), 0);
  const forced = await here.person({ forcedColors: "active" });
  await forced.go("/");
  await forced.play("1-1", 0);
  forced.isFine();
});

test("a player's name is never interpreted as HTML", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"], [SCRIPT, "Bob"]);
  await here.server.createTable({ variant: "3x3k3", seats: [{ human: SCRIPT }, { open: "lobby" }], take: [0] });
  const eve = await here.person();
  for (const path of [`/game/${created.id}`, "/watch", "/archive"]) {
    await eve.go(path);
    await eve.page.getByText(SCRIPT).first().waitFor();
    assert.equal(await eve.page.locator("img[src=x]").count(), 0);
  }
  await eve.go(`/game/${created.id}`);
  // A long name is shortened above the board.
  await eve.reads(`${SCRIPT.slice(0, 15)}… wins.`);
  await eve.page.waitForFunction((name) => document.title.includes(name), SCRIPT);
  assert.match(
    await (await here.server.ask(`/api/games/${created.id}/record`)).text(),
    /seat 0 x human <img src=x onerror=alert\(1\)>/,
  );
  eve.isFine();
});

test("the content security policy forbids other origins and inline code", async () => {
  const answer = await fetch(here.server.url);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const html = await answer.text();
  assert.doesNotMatch(html, /<script(?![^>]*src=)|\son\w+=|style=/);
});

test("the app manifest has the language of the browser", async () => {
  const names = { en: "All games", ca: "Tots els jocs", cs: "Všechny hry", fr: "Tous les jeux" };
  for (const [language, name] of Object.entries(names)) {
    const answer = await fetch(`${here.server.url}/manifest.webmanifest`, { headers: { "Accept-Language": language } });
    const manifest = await answer.json();
    assert.deepEqual([manifest.lang, manifest.shortcuts[0].name], [language, name]);
    assert.doesNotMatch(JSON.stringify(manifest), /%/);
    assert.match(answer.headers.get("vary") ?? "", /Accept-Language/);
  }
});

test("files are cached, and unknown addresses answer 404", async () => {
  const html = await (await fetch(here.server.url)).text();
  const path = /\/web\/\w+\/app\.js/.exec(html)?.[0] ?? "";
  const file = await fetch(here.server.url + path, { headers: { "Accept-Encoding": "gzip" } });
  assert.match(file.headers.get("cache-control") ?? "", /immutable/);
  assert.equal(file.headers.get("content-encoding"), "gzip");
  const again = await fetch(here.server.url, {
    headers: { "If-None-Match": (await fetch(here.server.url)).headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  for (const [nowhere, accept, medium] of [
    ["/nowhere", "text/html", "text/html"],
    ["/nowhere", "*/*", "problem+json"],
    ["/api/nowhere", "text/html", "problem+json"],
  ]) {
    const lost = await fetch(here.server.url + nowhere, { headers: { Accept: accept ?? "" } });
    assert.equal(lost.status, 404);
    assert.ok(lost.headers.get("content-type")?.includes(medium ?? ""), `${nowhere} for ${accept}`);
  }
});

/** Maximum number of bytes, compressed and with all headers, and of requests of a first visit. */
const LOAD = 55_000;
const REQUESTS = 25;
/** Files from disk are not compressed. */
const skip = process.env.PAGE === "disk";

test("the first load is at most 55 KB and 25 requests", { skip }, async () => {
  const eve = await here.person();
  const session = await eve.context.newCDPSession(eve.page);
  let [bytes, requests] = [0, 0];
  await session.send("Network.enable");
  session.on("Network.loadingFinished", (event) => {
    bytes += event.encodedDataLength;
    requests++;
  });
  await eve.go("/");
  await eve.page.waitForLoadState("networkidle");
  assert.ok(bytes > 10_000 && bytes < LOAD, `${bytes} bytes`);
  assert.ok(requests <= REQUESTS, `${requests} requests`);
  console.log(`# first load: ${bytes} bytes, ${requests} requests`);
});
