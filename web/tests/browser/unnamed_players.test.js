// Players without a name, the invitation on small screens, and what the page says about optional names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../harness.js";

const here = world();
const PHONES = [
  { width: 390, height: 844 },
  { width: 320, height: 568 },
];

/** Collects everything that screen readers announce on a page. @param {import("../harness.js").Person} who */
async function listen(who) {
  await who.page.evaluate(() => {
    const heard = /** @type {any} */ (window);
    heard.said = [];
    const live = document.querySelector(".unseen[aria-live]");
    const note = () => live?.textContent && heard.said.push(live.textContent);
    if (live) new MutationObserver(note).observe(live, { childList: true, subtree: true });
  });
  return () => who.page.evaluate(() => /** @type {string[]} */ (/** @type {any} */ (window).said));
}

/** A host who has opened a table for a friend, both without names. @param {import("playwright-core").BrowserContextOptions} [options] */
async function host(options) {
  const ann = await here.person(options);
  await ann.go("/");
  await ann.button("Play a friend").click();
  await ann.reads("Waiting for a player to sit down.");
  await ann.page.locator(".share").waitFor();
  return ann;
}

/** Whether the whole board is on the screen without scrolling. @param {import("../harness.js").Person} who */
async function seesWholeBoard(who) {
  const box = await who.page.locator(".board").boundingBox();
  const size = who.page.viewportSize();
  assert.ok(box && size);
  assert.ok(box.y >= 0 && box.y + box.height <= size.height, `from ${box.y} to ${box.y + box.height}`);
}

test("two players without names read You and Your opponent, and a spectator reads their marks", async () => {
  const ann = await host();
  const heard = await listen(ann);
  const bob = await here.person();
  const path = new URL(ann.page.url()).pathname;
  await bob.go(path);
  await bob.reads("You are invited to play Tic-tac-toe.");
  const told = await listen(bob);
  await bob.button("Sit down").click();
  await bob.reads("Your opponent to move.");
  await ann.reads("Your turn.");
  await ann.page.waitForFunction(() => /** @type {any} */ (window).said.length > 0);
  await bob.page.waitForFunction(() => /** @type {any} */ (window).said.length > 0);
  assert.deepEqual(await heard(), ["Your opponent sat down. Your turn."]);
  // The guest does not hear that somebody else sat down.
  assert.deepEqual(await told(), ["Your opponent to move."]);
  assert.deepEqual(
    await bob.page.locator(".seat .name").evaluateAll((all) => all.map((name) => name.getAttribute("title"))),
    ["Opponent", "You"],
  );
  await ann.play("1-1", 0);
  await bob.play("0-0", 1);
  await bob.button("Offer a draw").click();
  await ann.page.locator(".offer", { hasText: "Your opponent offers a draw." }).waitFor();
  await bob.page.locator(".offer", { hasText: "You offer a draw. Waiting for your opponent." }).waitFor();
  const eve = await here.person();
  await eve.go(path);
  await eve.reads("Guest (cross) to move.");
  await ann.button("Accept").click();
  await eve.reads("A draw.");
  for (const who of [ann, bob, eve]) who.isFine();
});

test("a rematch announces who begins", async () => {
  const created = await here.server.played("3x3k3", ["0-0", "1-0", "0-1", "1-1", "0-2"]);
  const [ann, bob] = [await here.person(), await here.person()];
  await ann.sitAt(created, [0]);
  await bob.sitAt(created, [1]);
  await ann.button("Play again").click();
  await bob.button("Accept").click();
  await ann.page.locator("[aria-live]", { hasText: /^Bob to move\.$/ }).waitFor({ state: "attached" });
  await bob.page.locator("[aria-live]", { hasText: /^Your turn\.$/ }).waitFor({ state: "attached" });
  for (const who of [ann, bob]) who.isFine();
});

for (const viewport of PHONES) {
  test(`host and guest see the whole board at ${viewport.width}x${viewport.height}; the QR code is behind a button`, async () => {
    const phone = { viewport, hasTouch: true, isMobile: true };
    const ann = await host(phone);
    await seesWholeBoard(ann);
    assert.equal(await ann.page.locator(".qr").isVisible(), false);
    const bob = await here.person(phone);
    await bob.go(new URL(ann.page.url()).pathname);
    await bob.button("Sit down").waitFor();
    await seesWholeBoard(bob);
    await ann.page.getByText("QR code").tap();
    await ann.page.waitForFunction(() => {
      const code = document.querySelector("img.qr");
      return code instanceof HTMLImageElement && code.checkVisibility() && code.naturalWidth > 20 && code.width > 150;
    });
    // The control with the focus disappears when the friend sits down.
    await bob.button("Sit down").tap();
    await ann.reads("Your turn.");
    await ann.page.waitForFunction(() => document.activeElement?.classList.contains("status"));
    for (const who of [ann, bob]) who.isFine();
  });
}

test("beside the board the QR code is visible at once", async () => {
  const ann = await host();
  const box = await ann.page.locator(".qr").boundingBox();
  assert.ok(box && box.width > 150, "large enough for a camera");
  ann.isFine();
});

test("wherever a name is asked, the page says that it is optional", async () => {
  const ann = await host();
  await ann.page.getByLabel("Your name (optional)").waitFor();
  const bob = await here.person();
  await bob.go(new URL(ann.page.url()).pathname);
  await bob.page.getByLabel("Your name (optional)").waitFor();
  await bob.go("/me");
  await bob.page.getByLabel("Your name (optional)").waitFor();
  await bob.button("Settings").click();
  const field = bob.page.getByRole("dialog").getByLabel("Your name");
  const hint = await field.evaluate(
    (input) => document.getElementById(input.getAttribute("aria-describedby") ?? "")?.textContent,
  );
  assert.equal(hint, "Optional. Other players see it.");
  for (const who of [ann, bob]) who.isFine();
});

test("a player who empties the name is a guest again", async () => {
  const ann = await host();
  const name = ann.page.getByLabel("Your name (optional)");
  await name.fill("Ann");
  await name.blur();
  await ann.page.locator(".seat .name", { hasText: "Ann" }).waitFor();
  const bob = await here.person();
  await bob.go(new URL(ann.page.url()).pathname);
  await bob.reads("Ann invites you to play Tic-tac-toe.");
  await name.fill("");
  await name.blur();
  await bob.reads("You are invited to play Tic-tac-toe.");
  await ann.page.locator(".seat .name", { hasText: "You" }).waitFor();
  for (const who of [ann, bob]) who.isFine();
});

test("a second device of a player without a name has no name either", async () => {
  const ann = await host();
  await ann.go("/me");
  await ann.button("Use another device").click();
  const link = await ann.page.locator("dialog input").inputValue();
  const phone = await here.person();
  await phone.page.goto(link);
  await phone.page.locator("[aria-live]", { hasText: /^You play as Guest [\w-]{6}\.$/ }).waitFor({ state: "attached" });
  await phone.page.locator(".tables li", { hasText: "You – Open seat" }).waitFor();
  assert.equal(await phone.page.getByLabel("Your name").inputValue(), "");
  for (const who of [ann, phone]) who.isFine();
});

test("on a phone no remark beside a clock is cut off", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "" }, { human: "" }],
    take: [0, 1],
    clock: { base: 600 },
  });
  for (const [at, play] of ["1-1", "0-0"].entries()) await here.server.act(created, at, { turn: at + 1, play });
  for (const language of ["en-GB", "ca-ES", "cs-CZ", "fr-FR"]) {
    for (const seat of [0, 1]) {
      const who = await here.person({
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        locale: language,
      });
      await who.sitAt(created, [seat]);
      await who.has(".clock", 2);
      const cut = await who.page
        .locator(".seat :is(.name, .says)")
        .evaluateAll((texts) =>
          texts
            .filter((text) => text.scrollWidth > text.clientWidth)
            .map((text) => `${text.textContent}: ${text.scrollWidth} > ${text.clientWidth}`),
        );
      assert.deepEqual(cut, [], language);
      who.isFine();
    }
  }
});
