// Offers between people, taking back, calling off, claims, clocks, and the score of a series.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();

/** A game of Ann and Bob after these moves. @param {string[]} moves @param {import("../../api_types").NewTable} [more] */
async function game(moves, more = {}) {
  const seats = [{ human: "Ann" }, { human: "Bob" }];
  const created = await here.server.createTable({ variant: "3x3k3", seats, take: [0, 1], ...more });
  for (const [at, play] of moves.entries()) await here.server.act(created, at % 2, { turn: at + 1, play });
  return created;
}

/** Ann and Bob in two browsers. @param {import("../../api_types").CreatedTable} created */
async function both(created) {
  const [ann, bob] = [await here.person(), await here.person()];
  await ann.sitAt(created, [0]);
  await bob.sitAt(created, [1]);
  return /** @type {const} */ ([ann, bob]);
}

test("a draw is offered, declined, and the decline is told", async () => {
  const [ann, bob] = await both(await game(["0-0", "1-1", "2-2"]));
  await ann.button("Offer a draw").click();
  await ann.page.locator(".offer", { hasText: "You offer a draw. Waiting for Bob." }).waitFor();
  await bob.page.locator(".offer", { hasText: "Ann offers a draw." }).waitFor();
  await bob.button("Decline").click();
  await ann.notes("The offer was declined.");
  await bob.page.locator(".offer").waitFor({ state: "detached" });
  await ann.button("Offer a draw").click();
  await ann.notes("The draw was declined. You can offer it again after ten moves.");
  for (const who of [ann, bob]) who.isFine();
});

test("an accepted draw ends the game for both", async () => {
  const [ann, bob] = await both(await game(["0-0", "1-1", "2-2"]));
  await ann.button("Offer a draw").click();
  await bob.button("Accept").click();
  for (const who of [ann, bob]) {
    await who.reads("A draw. By agreement.");
    who.isFine();
  }
});

test("with people a takeback is a request, and returns the turn", async () => {
  const [ann, bob] = await both(await game(["0-0", "1-1"]));
  await ann.play("2-2", 0);
  await ann.button("Ask to undo").click();
  await bob.page.locator(".offer", { hasText: "Ann asks to take a move back." }).waitFor();
  await bob.button("Accept").click();
  await ann.reads("Your turn.");
  await ann.has(".cell[data-side]", 2);
  await bob.has(".cell[data-side]", 2);
  await ann.play("0-1", 0);
  for (const who of [ann, bob]) who.isFine();
});

test("an offer can be withdrawn", async () => {
  const [ann, bob] = await both(await game(["0-0", "1-1", "2-2"]));
  await ann.button("Ask to undo").click();
  await bob.button("Accept").waitFor();
  await ann.button("Withdraw").click();
  await bob.page.locator(".offer").waitFor({ state: "detached" });
  for (const who of [ann, bob]) who.isFine();
});

test("against the computer undo is free and returns the turn", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { robot: "first" }],
    take: [0],
  });
  const ann = await here.person();
  await ann.sitAt(created);
  assert.equal(await ann.button("Undo").getAttribute("aria-disabled"), "true");
  await ann.play("1-1", 0);
  await ann.has(".cell[data-side]", 2);
  await ann.button("Undo").click();
  await ann.has(".cell[data-side]", 0);
  await ann.reads("Your turn.");
  ann.isFine();
});

test("one person at both seats undoes at once", async () => {
  const created = await game(["0-0", "1-1"]);
  const ann = await here.person();
  await ann.sitAt(created, [0, 1]);
  await ann.isUp();
  await ann.button("Undo").click();
  await ann.has(".cell[data-side]", 1);
  await ann.reads("Your turn: nought.");
  ann.isFine();
});

test("a game is called off before everybody has played, and a waiting table too", async () => {
  const [ann, bob] = await both(await game(["0-0"]));
  assert.equal(await bob.button("Give up").count(), 0);
  await bob.button("Call it off").click();
  await bob.page.locator("dialog .bad").click();
  for (const who of [ann, bob]) {
    await who.reads("The game ended before it had begun.");
    who.isFine();
  }
  const host = await here.person();
  await host.sitAt(
    await here.server.createTable({ variant: "3x3k3", seats: [{ human: "Ann" }, { open: "link" }], take: [0] }),
  );
  await host.button("Call it off").click();
  await host.reads("The game ended before it had begun.");
  host.isFine();
});

test("when the other has left, the win can be claimed after a while", async () => {
  const created = await game(["0-0", "1-1", "2-2"]);
  const [ann, bob] = await both(created);
  await ann.page.locator(".seat", { hasText: "here" }).waitFor();
  await bob.page.close();
  const claim = ann.button("Claim the win");
  await claim.waitFor();
  await claim.click();
  await ann.notes("The other player has not been away for long enough.");
  // The server waits ten seconds after a page was closed.
  await assert.doesNotReject(async () => {
    for (let tries = 0; tries < 60 && (await claim.isVisible()); tries++) {
      await claim.click({ timeout: 1000 }).catch(() => {});
      await ann.page
        .locator(".status", { hasText: "You win." })
        .waitFor({ timeout: 500 })
        .catch(() => {});
    }
    await ann.reads("You win. A player was away.");
  });
  ann.isFine();
});

test("a clock is chosen for a new game, runs, gets low and ends the game", async () => {
  const ann = await here.person();
  await ann.go("/new");
  await ann.page.getByLabel("Opponent").selectOption("link");
  await ann.page.getByLabel("Clock").selectOption({ label: "3 minutes, plus 2 s per move" });
  await ann.button("Tic-tac-toe").click();
  await ann.page.waitForURL(/\/game\//);
  await ann.page.locator(".clock").first().waitFor();
  assert.deepEqual(await ann.page.locator(".clock").allInnerTexts(), ["3:00", "3:00"]);
  await ann.page.getByText("3 minutes, plus 2 s per move.").waitFor({ state: "attached" });
  ann.isFine();

  const created = await game(["0-0", "1-1"], { clock: { base: 10 } });
  const [cleo, dan] = await both(created);
  await cleo.page.locator(".clock[data-low][data-running]").waitFor();
  await cleo.page.locator("[aria-live]", { hasText: "20 seconds left." }).waitFor({ state: "attached" });
  await cleo.reads("Bob wins. The time ran out.");
  await dan.reads("You win. The time ran out.");
  for (const who of [cleo, dan]) who.isFine();
});

test("the first move with a clock must come soon, and the page says so", async () => {
  const created = await game([], { clock: { base: 180, increment: 2 } });
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.page.locator(".controls", { hasText: "the first move must come within 30 seconds" }).waitFor();
  ann.isFine();
});

test("a series of rematches has a score", async () => {
  const created = await game(["0-0", "1-0", "0-1", "1-1", "0-2"]);
  const [ann, bob] = await both(created);
  await ann.button("Play again").click();
  await bob.button("Accept").click();
  await bob.reads("Your turn.");
  await ann.page.locator(".series", { hasText: "Series: Bob 0 · You 1" }).waitFor();
  await bob.page.locator(".series", { hasText: "Series: You 0 · Ann 1" }).waitFor();
  for (const who of [ann, bob]) who.isFine();
});

test("a rewind says what it costs, and misère explains its end", async () => {
  const created = await game(["0-0", "1-1"], { history: 3, variant: "3x3k3+misere" });
  const ann = await here.person();
  await ann.sitAt(created, [0, 1]);
  await ann.button("Rewind").click();
  await ann.page.locator(".controls", { hasText: "Taking marks back uses up your turn." }).waitFor();
  await ann.page.keyboard.press("Escape");
  for (const [at, move] of ["0-1", "2-2", "0-2"].entries()) await ann.play(move, at % 2);
  await ann.reads("Bob wins. Completing the line loses here.");
  ann.isFine();
});
