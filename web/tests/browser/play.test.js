// Games, played to their end in a real browser.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();

test("one click starts a game and changes the address", async () => {
  const ann = await here.person();
  await ann.go("/");
  await ann.play("1-1", 0);
  await ann.page.waitForURL(/\/game\//);
  await ann.reads("Your turn.");
  // The robot has answered: each side has one mark on the board.
  await ann.has(".cell[data-side]", 2);
  await ann.page.goBack();
  await ann.reads("Tic-tac-toe against the computer");
  await ann.has(".cell[data-side]", 0);
  await ann.page.goForward();
  await ann.reads("Your turn.");
  ann.isFine();
});

test("a winning line is drawn", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { robot: "first" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  for (const move of ["1-1", "0-2", "2-0"]) await ann.play(move, 0);
  await ann.reads("You win.");
  await ann.has(".over path", 1);
  await ann.has(".cell[data-line]", 3);
  await ann.cell("2-2").click();
  await ann.notes("The game is over.");
  ann.isFine();
});

test("the perfect robot draws, and begins the rematch", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "" }, { robot: "perfect" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.isUp();
  await ann.page.evaluate(playToTheEnd);
  await ann.reads(/A draw\.|Computer, perfect wins\./);
  await ann.button("Play again").click();
  await ann.page.waitForURL((url) => !url.pathname.endsWith(created.id));
  await ann.reads("Your turn.");
  await ann.has('.cell[data-side="0"]', 1);
  ann.isFine();
});

test("two players meet by link, play, and have a rematch", async () => {
  const [ann, bob] = [await here.person(), await here.person()];
  await ann.go("/");
  await ann.button("Play a friend").click();
  await ann.reads("Waiting for a player to sit down.");
  await ann.page.waitForFunction(() => {
    const code = document.querySelector("img.qr");
    return code instanceof HTMLImageElement && code.naturalWidth > 20;
  });
  const link = await ann.page.locator(".share input").inputValue();
  await ann.cell("1-1").click();
  await ann.notes("The game begins when every seat is taken.");
  await bob.page.goto(link);
  await bob.page.getByLabel("Your name").fill("Bob");
  await bob.button("Sit down").click();
  await ann.reads("Your turn.");
  await bob.reads("Your opponent to move.");
  await ann.play("0-0", 0);
  await bob.hasMark("0-0", 0);
  await bob.cell("0-0").click();
  await bob.notes("That cell is taken.");
  await bob.play("1-1", 1);
  await ann.play("0-1", 0);
  await bob.play("2-2", 1);
  await ann.play("0-2", 0);
  await ann.reads("You win.");
  await bob.reads("Your opponent wins.");
  await ann.button("Play again").click();
  await bob.button("Accept").click();
  for (const who of [ann, bob]) await who.page.waitForURL((url) => url.href !== link);
  await bob.reads("Your turn.");
  await bob.play("1-1", 0);
  await ann.hasMark("1-1", 0);
  ann.isFine();
  bob.isFine();
});

test("a second tab is the same player, and others can watch", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { open: "link" }],
    take: [0],
  });
  const [ann, eve] = [await here.person(), await here.person()];
  await ann.sitAt(created);
  const seated = await here.server.ask(`/api/games/${created.id}/seats/1`, { name: "Bob" });
  const { token } = await seated.json();
  await ann.reads("Your turn.");
  const tab = await ann.context.newPage();
  await tab.goto(ann.page.url());
  await eve.go(`/game/${created.id}`);
  await ann.play("1-1", 0);
  await tab.locator('.cell[data-move="1-1"][data-side="0"]').waitFor();
  await eve.hasMark("1-1", 0);
  await here.server.act({ ...created, tokens: { 1: token } }, 1, { turn: 2, play: "0-0" });
  await tab.locator(".status", { hasText: "Your turn." }).waitFor();
  await tab.locator('.cell[data-move="2-2"]').click();
  await ann.hasMark("2-2", 0);
  await eve.cell("0-1").click();
  await eve.notes("You are watching this game.");
  eve.isFine();
});

test("three players play one game", async () => {
  const [ann, bob, cem] = [await here.person(), await here.person(), await here.person()];
  const people = [ann, bob, cem];
  await ann.go("/new?game=4x4k3p3");
  for (const label of ["nought", "triangle"]) await ann.page.getByLabel(label).selectOption("link");
  await ann.button("Begin").click();
  await ann.page.waitForURL(/\/game\//);
  for (const who of [bob, cem]) {
    await who.page.goto(ann.page.url());
    await who.button("Sit down").first().click();
    await who.page.locator(".seat .name", { hasText: "You" }).waitFor();
  }
  const moves = [["0-0", "1-0", "3-0"], ["0-1", "1-3", "3-1"], ["0-2"]];
  for (const round of moves) {
    for (const [seat, move] of round.entries()) {
      await people[seat]?.play(move, seat);
    }
  }
  await ann.reads("You win.");
  await cem.reads("Guest (cross) wins.");
  for (const who of people) who.isFine();
});

test("with gravity, pressing any cell of a column plays in that column", async () => {
  const created = await here.server.createTable({
    variant: "7x6k4+gravity",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  for (const [at, column] of [3, 4, 3, 4, 3, 4, 3].entries()) {
    await ann.isUp();
    await ann.cell(`0-${column}`).click();
    await ann.hasMark(`${5 - Math.floor(at / 2)}-${column}`, at % 2);
  }
  await ann.reads("Player 1 wins.");
  ann.isFine();
});

for (const variant of ["multi@4", "ultimate"]) {
  test(`${variant} is played to its end on nine boards`, async () => {
    const created = await here.server.createTable({ variant, seats: [{ human: "" }, { human: "" }], take: [0, 1] });
    const ann = await here.person();
    await ann.sitAt(created);
    await ann.cell("0-4").waitFor();
    if (variant === "multi@4") {
      await ann.cell("0-4").click();
      await ann.notes("Play on the centre board.");
    }
    await ann.page.evaluate(playToTheEnd);
    await ann.reads(/wins\.|draw/);
    // The page marks every closed board, and the score counts them.
    const view = await (await here.server.ask(`/api/games/${created.id}`)).json();
    const closed = view.boards.filter((/** @type {any} */ board) => board.state !== "open").length;
    await ann.has(".cell-grid[data-closed]", closed);
    assert.deepEqual(
      (await ann.page.locator(".points").allInnerTexts()).map((text) => Number(/\d+/.exec(text)?.[0])),
      view.score,
    );
    ann.isFine();
  });
}

test("a press before the server's answer is played later; sounds follow the setting", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  // Counts the notes that the page plays, so that the machine needs no loudspeaker.
  await ann.context.addInitScript(() => {
    const heard = /** @type {any} */ (window);
    heard.notes = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (/** @type {number} */ when) {
      heard.notes++;
      start.call(this, when);
    };
  });
  await ann.sitAt(created);
  await ann.isUp();
  const press = () =>
    ann.page.evaluate(() => {
      for (const cell of [...document.querySelectorAll(".cell:not([data-side])")].slice(0, 2)) {
        /** @type {HTMLElement} */ (cell).click();
      }
    });
  const notes = () => ann.page.evaluate(() => /** @type {any} */ (window).notes);
  await press();
  await ann.hasMark("0-0", 0);
  await ann.hasMark("0-1", 1);
  await ann.isUp();
  assert.equal(await notes(), 0);
  await ann.button("Settings").click();
  await ann.page.getByLabel("Sounds").check();
  await ann.button("Close").click();
  await press();
  await ann.hasMark("1-0", 1);
  await ann.isUp();
  assert.equal(await notes(), 2);
  ann.isFine();
});

test("a rewind previews the marks it takes back, and passes the turn", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    history: 3,
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  for (const [at, move] of ["0-0", "1-2", "2-0"].entries()) await ann.play(move, at % 2);
  await ann.isUp();
  await ann.page.keyboard.press("r");
  await ann.page.locator('.cell[data-move="2-0"][data-leaving]').waitFor();
  await ann.button("+").click();
  await ann.page.locator('.cell[data-move="1-2"][data-leaving]').waitFor();
  await ann.has(".cell[data-leaving]", 2);
  assert.ok(await ann.button("+").isDisabled());
  await ann.button("Take 2 marks back").click();
  await ann.reads("Your turn: cross.");
  await ann.has(".cell[data-side]", 1);
  await ann.page.locator(".moves", { hasText: "takes 2 back" }).waitFor();
  ann.isFine();
});

test("resigning asks for confirmation, and the opponent wins", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { robot: "level:1" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.button("Give up").click();
  await ann.button("Cancel").click();
  await ann.reads("Your turn.");
  await ann.button("Give up").click();
  await ann.page.locator("dialog .bad").click();
  await ann.reads("Computer, level 1 wins. By resignation.");
  ann.isFine();
});

test("a TCP client joins a lobby seat", async () => {
  const ann = await here.person();
  await ann.go("/watch");
  await ann.button("Open a table").click();
  await ann.reads("Waiting for a player to sit down.");
  const peer = new TcpPlayer(here.server.pairs);
  await peer.say(Buffer.concat([Buffer.from([1, 0, 0, 0x30, 0x39]), Buffer.from("Tom\0\0")]));
  await peer.hears(5);
  await peer.say(Buffer.from([3, 0, 0, 0x30, 0x39]));
  const admitted = await peer.hears(6);
  assert.deepEqual([admitted[0], admitted[5]], [4, 2]);
  await ann.play("1-1", 0);
  assert.equal((await peer.hears(8)).toString("latin1", 5), "1-1");
  await peer.say(Buffer.from("\x05\0\0\x30\x390-0", "latin1"));
  await ann.hasMark("0-0", 1);
  await ann.page.locator(".seat", { hasText: "Tom" }).waitFor();
  await ann.play("0-2", 0);
  await peer.hears(8);
  await peer.say(Buffer.from("\x05\0\0\x30\x390-1", "latin1"));
  await ann.play("2-0", 0);
  await ann.reads("You win.");
  peer.leave();
  ann.isFine();
});

/** Runs in the page and presses each cell as soon as possible. One call of the browser per press would take most of the time. */
async function playToTheEnd() {
  const board = /** @type {HTMLElement} */ (document.querySelector(".board"));
  const isReady = () => board.hasAttribute("data-mine") || board.hasAttribute("data-over");
  const ready = () =>
    new Promise((resolve) => {
      if (isReady()) return resolve(null);
      const observer = new MutationObserver(() => {
        if (!isReady()) return;
        observer.disconnect();
        resolve(null);
      });
      observer.observe(board, { attributes: true });
    });
  for (let turn = 1; !board.hasAttribute("data-over"); turn++) {
    const free = board.querySelectorAll(":is(.cell-grid[data-active], .field:not(.nine)) .cell:not([data-side])");
    const cell = /** @type {HTMLElement} */ (free[turn % Math.min(2, free.length)]);
    cell.click();
    await ready();
    if (cell.dataset.side === undefined) throw new Error(`turn ${turn} did not show`);
  }
}

class TcpPlayer {
  /** @param {number} port */
  constructor(port) {
    this.socket = connect(port, "127.0.0.1");
    this.heard = Buffer.alloc(0);
    this.socket.on("data", (piece) => {
      this.heard = Buffer.concat([this.heard, /** @type {Buffer} */ (piece)]);
      this.wake?.();
    });
  }

  /** @param {Buffer} bytes */
  async say(bytes) {
    await new Promise((resolve) => this.socket.write(bytes, resolve));
  }

  /** @param {number} count @returns {Promise<Buffer>} */
  async hears(count) {
    while (this.heard.length < count)
      await new Promise((resolve) => {
        this.wake = () => resolve(null);
      });
    const bytes = this.heard.subarray(0, count);
    this.heard = this.heard.subarray(count);
    return bytes;
  }

  leave() {
    this.socket.destroy();
  }
}
