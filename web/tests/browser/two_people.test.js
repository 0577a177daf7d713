// Two or more people at a table: sitting down, late answers, leaving, resigning, playing again.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const PHONE = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true };

/** A table with a host and open seats. @param {number} open @param {string} [variant] */
const hosted = (open, variant = "3x3k3") =>
  here.server.createTable({
    variant,
    seats: [{ human: "Ann" }, ...Array(open).fill({ open: "link" })],
    take: [0],
  });

/** Takes a seat without a browser. @param {string} id @param {number} seat @param {string} name @returns {Promise<string>} the token */
async function sits(id, seat, name) {
  const answer = await here.server.ask(`/api/games/${id}/seats/${seat}`, { name });
  return (await answer.json()).token;
}

/** A running game of two people. */
async function between() {
  const created = await hosted(1);
  const token = await sits(created.id, 1, "Bob");
  return { ...created, tokens: { ...created.tokens, 1: token } };
}

/** A finished game of two people, won by Ann. */
async function finished() {
  const created = await between();
  for (const [at, play] of ["0-0", "1-0", "0-1", "1-1", "0-2"].entries()) {
    await here.server.act(created, at % 2, { turn: at + 1, play });
  }
  return created;
}

test("a late answer does not replace a newer state", async () => {
  const created = await hosted(2, "4x4k3p3");
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.reads("Waiting for a player to sit down.");
  const gate = new EventEmitter();
  const isHeld = once(gate, "held");
  let answers = 0;
  await ann.page.route(`**/api/games/${created.id}`, async (route) => {
    const response = await route.fetch();
    if (++answers === 1) {
      gate.emit("held");
      await once(gate, "release");
    }
    await route.fulfill({ response });
  });
  await sits(created.id, 1, "Bob");
  await isHeld;
  await sits(created.id, 2, "Cem");
  await ann.reads("Your turn.");
  await ann.isUp();
  const late = ann.page.waitForResponse(`**/api/games/${created.id}`);
  gate.emit("release");
  await late;
  await ann.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await ann.page.locator(".status").textContent(), "Your turn.");
  await ann.play("0-0", 0);
  await ann.reads("Bob to move.");
  ann.isFine();
});

test("a double tap on Give up does not resign", async () => {
  const created = await between();
  for (const [at, play] of ["0-0", "1-1"].entries()) await here.server.act(created, at % 2, { turn: at + 1, play });
  const ann = await here.person(PHONE);
  await ann.sitAt(created, [0]);
  await ann.isUp();
  const box = await ann.button("Give up").boundingBox();
  assert.ok(box && box.width < 200, "it does not span the width");
  for (let tap = 0; tap < 2; tap++) {
    await ann.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  }
  const view = await (await here.server.ask(`/api/games/${created.id}`)).json();
  assert.equal(view.outcome, null);
  // The second tap may have closed the question already.
  await ann.page.keyboard.press("Escape");
  await ann.reads("Your turn.");
  ann.isFine();
});

test("a rematch request is visible to the other player and survives a reload", async () => {
  const created = await finished();
  const [ann, bob] = [await here.person(), await here.person()];
  await ann.sitAt(created, [0]);
  await bob.sitAt(created, [1]);
  await ann.button("Play again").click();
  await ann.page.locator(".controls", { hasText: "Waiting for Bob to agree." }).waitFor();
  await bob.page.locator(".controls", { hasText: "Ann wants to play again." }).waitFor();
  await ann.page.reload();
  await ann.page.locator(".controls", { hasText: "Waiting for Bob to agree." }).waitFor();
  await bob.button("Accept").click();
  for (const who of [ann, bob]) await who.page.waitForURL((url) => !url.href.includes(created.id));
  await bob.reads("Your turn.");
  await ann.reads("Bob to move.");
  for (const who of [ann, bob]) who.isFine();
});

test("a player who asks for a rematch is told that the other is away", async () => {
  const created = await finished();
  const [ann, bob] = [await here.person(), await here.person()];
  await bob.sitAt(created, [1]);
  await ann.sitAt(created, [0]);
  await ann.button("Play again").click();
  await ann.page.locator(".controls", { hasText: "Waiting for Bob to agree." }).waitFor();
  await bob.page.close();
  await ann.page.locator(".controls", { hasText: "Bob is away. You can wait, or start a new game." }).waitFor();
  ann.isFine();
});

test("the host is told when a friend sits down", async () => {
  const created = await hosted(1);
  const ann = await here.person();
  await ann.sitAt(created);
  await ann.cell("1-1").click();
  await ann.notes("The game begins when every seat is taken.");
  await sits(created.id, 1, "Bob");
  await ann.page.locator("[aria-live]", { hasText: "Bob sat down. Your turn." }).waitFor();
  assert.equal(await ann.page.locator(".note").textContent(), "");
  ann.isFine();
});

test("after Sit down the focus is on the status", async () => {
  const created = await hosted(1);
  const bob = await here.person();
  await bob.go(`/game/${created.id}`);
  await bob.button("Sit down").click();
  await bob.reads("Ann to move.");
  await bob.page.waitForFunction(() => document.activeElement?.classList.contains("status"));
  bob.isFine();
});

test("a late visitor of an invitation is told that the seats are taken, and has no controls", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    history: 3,
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.page.locator(".controls", { hasText: "Every seat is taken. You are watching." }).waitFor();
  assert.equal(await eve.page.locator(".controls button").count(), 0);
  eve.isFine();
});

test("leaving a live game asks first", async () => {
  const created = await between();
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.isUp();
  await ann.page.getByRole("link", { name: "Noughts" }).click();
  await ann.button("Cancel").click();
  await ann.reads("Your turn.");
  await ann.page.locator("main").focus();
  await ann.page.keyboard.press("n");
  await ann.page.getByRole("dialog", { name: "Leave this game?" }).waitFor();
  await ann.button("Leave").click();
  await ann.page.getByRole("heading", { name: "Choose a game" }).waitFor();
  ann.isFine();
});

test("the Back button asks before it leaves a live game", async () => {
  const created = await between();
  const ann = await here.person();
  await ann.go("/archive");
  await ann.page.evaluate(
    ([id, token]) =>
      localStorage.setItem("noughts.seats", JSON.stringify({ [String(id)]: { at: 1, tokens: { 0: token } } })),
    [created.id, Object.values(created.tokens)[0]],
  );
  await ann.page.evaluate((id) => {
    const link = document.createElement("a");
    link.href = `/game/${id}`;
    document.querySelector("main")?.append(link);
    link.click();
  }, created.id);
  await ann.isUp();
  await ann.page.goBack();
  await ann.button("Cancel").click();
  assert.match(ann.page.url(), /\/game\//);
  await ann.reads("Your turn.");
  await ann.page.goBack();
  await ann.button("Leave").click();
  await ann.page.getByRole("heading", { name: "Finished games" }).waitFor();
  ann.isFine();
});

test("while looking back the page says that it is the player's turn", async () => {
  const created = await between();
  await here.server.act(created, 0, { turn: 1, play: "0-0" });
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.reads("Bob to move.");
  await ann.page.locator("main").focus();
  await ann.page.keyboard.press(",");
  await ann.reads("Position after turn 0 of 1");
  await here.server.act(created, 1, { turn: 2, play: "1-1" });
  await ann.reads("Your turn. Position after turn 0 of 2");
  ann.isFine();
});

test("a long name does not move the board of a phone", async () => {
  const tops = [];
  for (const name of ["Bo", "Bartholomew Featherstonehaugh-Cholmondeley the Third"]) {
    const created = await hosted(1);
    await sits(created.id, 1, name);
    await here.server.act(created, 0, { turn: 1, play: "0-0" });
    const ann = await here.person(PHONE);
    await ann.sitAt(created, [0]);
    await ann.reads("to move.");
    tops.push((await ann.page.locator(".board").boundingBox())?.y);
  }
  assert.equal(tops[0], tops[1]);
});

test("a table of the lobby is joined with one press", async () => {
  const ann = await here.person();
  await ann.go("/watch");
  await ann.page.getByLabel("Game").selectOption("7x6k4+gravity");
  await ann.page.getByText("Everyone on this server can sit down and watch.").waitFor();
  await ann.button("Open a table").click();
  await ann.reads("Waiting for a player to sit down.");
  const bob = await here.person();
  await bob.go("/watch");
  await bob.button("Sit down").first().click();
  await bob.reads("Your opponent to move.");
  await ann.reads("Your turn.");
  await ann.page.getByText("Connect Four").first().waitFor();
  for (const who of [ann, bob]) who.isFine();
});
