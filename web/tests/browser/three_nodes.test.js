// Two browsers and a terminal at one table, each at a node of its own: clock, takeback, draw offer, absence, claim.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { CHROMIUM, Person, Server, serveFilesFromDisk, TIMEOUT_MS } from "../harness.js";
import { startPostgres } from "../postgres.js";
import { Terminal } from "../terminal.js";

/** @type {Awaited<ReturnType<typeof startPostgres>>} */
let database;
/** @type {[Server, Server, Server]} */
let nodes;
/** @type {import("playwright-core").Browser[]} */
let browsers = [];
/** @type {Terminal[]} */
const terminals = [];
/** @type {string} */
let stateDirectory;

before(async () => {
  stateDirectory = await mkdtemp(join(tmpdir(), "noughts-state-"));
  database = await startPostgres();
  const node = () => new Server(["--store", database.store]);
  nodes = [node(), node(), node()];
  for (const server of nodes) await server.start();
  const launch = () => chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  browsers = [await launch(), await launch()];
});

after(async () => {
  await Promise.all(terminals.map((terminal) => terminal.stop()));
  await Promise.all(browsers.map((browser) => browser.close()));
  await Promise.all((nodes ?? []).map((server) => server.stop()));
  await database?.stop();
  if (stateDirectory) await rm(stateDirectory, { recursive: true });
});

/** A person with a browser of their own, at this node. @param {number} at @param {string} name */
async function person(at, name) {
  const context = await /** @type {import("playwright-core").Browser} */ (browsers[at]).newContext({
    viewport: { width: 1200, height: 800 },
    locale: "en-GB",
    serviceWorkers: "block",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  if (process.env.PAGE === "disk") await serveFilesFromDisk(context);
  await context.addInitScript(
    (text) => localStorage.getItem("noughts.wishes") ?? localStorage.setItem("noughts.wishes", text),
    JSON.stringify({ name }),
  );
  return new Person(/** @type {Server} */ (nodes[at]), context, await context.newPage());
}

/** @param {string[]} words */
function terminal(words) {
  const started = new Terminal(words, stateDirectory);
  terminals.push(started);
  return started;
}

/** The table as each node shows it. @param {string} id @returns {Promise<any[]>} */
const views = (id) => Promise.all(nodes.map(async (server) => (await server.ask(`/api/games/${id}`)).json()));

/** A seat of the list. @param {Person} who @param {string} name */
const seat = (who, name) => who.page.locator(".seat", { hasText: name });

/** An offer that waits for an answer. @param {Person} who @param {string} text */
const offer = (who, text) => who.page.locator(".offer", { hasText: text });

test("two browsers and a terminal at three nodes: clock, takeback, draw offer, absence and claim", async () => {
  const created = await nodes[0].createTable({
    variant: "4x4k3p3",
    seats: [{ human: "Ann" }, { open: "link" }, { open: "link" }],
    take: [0],
    clock: { base: 180, increment: 2 },
  });
  const [ann, bob] = [await person(0, "Ann"), await person(1, "Bob")];
  await ann.sitAt(created, [0]);
  await bob.go(`/game/${created.id}`);
  await bob.button("Sit down").first().click();
  await seat(ann, "Bob").waitFor();
  const link = `${nodes[2].url}/game/${created.id}`;
  let cem = terminal([link, "--name", "Cem"]);
  await cem.reads("The clock: 3:00 per player, and 2 s more after each move.");
  await seat(bob, "Cem").waitFor();

  // The clock of a side does not run in its first turn, and runs from the second on.
  await ann.play("0-0", 0);
  await bob.play("1-1", 1);
  await cem.reads(/\[x 3:0\d {2}o 3:0\d {2}a 3:0\d] Your move \(row-column\): /g);
  cem.types("3-3");
  await ann.hasMark("3-3", 2);
  await seat(bob, "Ann").locator(".clock[data-running]").waitFor();
  await ann.play("0-3", 0);
  await seat(ann, "Bob").locator(".clock[data-running]").waitFor();
  await cem.reads("Ann (x) plays 0-3.");

  // The others agree to take back her move: it is her turn again, and the time that she used is not given back.
  const usedBefore = (await views(created.id)).map((view) => view.clock.left_ms[0]);
  assert.equal(new Set(usedBefore).size, 1, `the nodes disagree: ${usedBefore}`);
  await ann.button("Ask to undo").click();
  await offer(bob, "Ann asks to take a move back.").getByRole("button", { name: "Accept" }).click();
  await cem.reads("Ann (x) asks to take back a move. Type accept or decline.");
  cem.types("accept");
  await cem.reads("Ann (x) takes back the last move, by agreement.");
  for (const who of [ann, bob]) await who.has(".cell[data-side]", 3);
  for (const view of await views(created.id)) {
    assert.deepEqual(view.last, { kind: "takeback", seat: 0, count: 1 });
    assert.equal(view.to_move, 0);
    assert.ok(view.clock.left_ms[0] <= usedBefore[0], "a takeback gives no time back");
  }
  await ann.play("3-0", 0);

  // The terminal offers a draw: one browser accepts, the other declines, so the game goes on.
  await bob.play("0-1", 1);
  await cem.reads("Your move (row-column): ");
  cem.types("draw");
  await offer(bob, "Cem offers a draw.").getByRole("button", { name: "Accept" }).click();
  await cem.reads("Bob (o) accepts the draw.");
  await offer(ann, "Cem offers a draw.").getByRole("button", { name: "Decline" }).click();
  await cem.reads("Ann (x) declines the draw.");
  cem.types("2-3");
  for (const who of [ann, bob]) await who.hasMark("2-3", 2);

  // The terminal leaves and resumes: both browsers see it.
  cem.types(":q");
  await cem.reads("The seat stays yours: noughts play --resume");
  assert.equal(await cem.end(), 0);
  for (const who of [ann, bob]) await seat(who, "Cem").filter({ hasText: "away" }).waitFor();
  assert.equal(await ann.button("Claim the win").count(), 0, "Bob is here");
  cem = terminal(["--resume"]);
  await cem.reads("A game of 4x4k3p3. You are a.");
  for (const who of [ann, bob]) await seat(who, "Cem").filter({ hasText: "here" }).waitFor();

  // Bob closes the page, and the terminal leaves again: Ann is alone and claims the win ten seconds later.
  await bob.page.close();
  await cem.reads("Bob (o) is away. If that lasts, claim ends the game.");
  cem.types(":q");
  await cem.reads("The seat stays yours: noughts play --resume");
  await seat(ann, "Cem").filter({ hasText: "away" }).waitFor();
  const claim = ann.button("Claim the win");
  await claim.waitFor();
  await claim.click();
  await ann.notes("The other player has not been away for long enough.");
  await claimUntilWon(ann, claim);
  await ann.reads("You win. A player was away.");
  for (const { outcome, entry } of await views(created.id)) {
    assert.deepEqual(outcome, { kind: "won", sides: [0], reason: "claim", line: [] });
    assert.ok(entry > 10);
  }
  ann.isFine();

  // The others see the result when they come back.
  const back = await bob.context.newPage();
  await back.goto(`${nodes[1].url}/game/${created.id}`);
  await back.locator(".status", { hasText: "Ann wins." }).waitFor();
  const late = terminal([link]);
  await late.reads("Ann (x) has won because the others were away.");
  assert.equal(await late.end(), 0);
});

/** Claims again until the absence lasted long enough. @param {Person} who @param {import("playwright-core").Locator} claim */
async function claimUntilWon(who, claim) {
  const won = who.page.locator(".status", { hasText: "You win." });
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end && !(await won.isVisible());) {
    await claim.click({ timeout: 1000 }).catch(() => {});
    await won.waitFor({ timeout: 1000 }).catch(() => {});
  }
}
