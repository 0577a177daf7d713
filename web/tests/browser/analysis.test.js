// The analysis of finished games; and whether the API's types are those in `api_types.d.ts`.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import ts from "typescript";
import { world } from "../harness.js";

const here = world();

test("an analysis shows the mistake and the best move", async () => {
  // Nought answers the centre with an edge, which loses.
  const created = await here.server.played("3x3k3", ["1-1", "0-1", "0-0", "2-2", "2-0", "1-0", "0-2"]);
  const eve = await here.person();
  await eve.go(`/game/${created.id}`);
  await eve.button("Analyse").click();
  await eve.page.locator(".mistakes", { hasText: "Turn 2: Bob plays top: gave away the draw" }).waitFor();
  await eve.page
    .locator(".mistakes", { hasText: /Better: .* Ann could then win in \d moves, beginning with / })
    .waitFor();
  await eve.page.locator(".chart").waitFor();
  await eve.page.locator(".mistakes button").first().click();
  await eve.page.locator(".worth", { hasText: "A draw. Best:" }).waitFor();
  await eve.has(".cell[data-best]", 1);
  eve.isFine();
});

test("an analysis says why: the fork, the threat, the line that follows", async () => {
  // Cross has two corners and the centre after turn 5: a fork at the top right and the left.
  const created = await here.server.played("3x3k3", ["1-1", "0-1", "0-0", "2-2", "2-0", "1-0", "0-2"]);
  const eve = await here.person();
  await eve.go(`/game/${created.id}?turn=4#analysis`);
  const worth = eve.page.locator(".worth");
  await worth.filter({ hasText: "Cross wins in 3 moves." }).waitFor();
  await worth.filter({ hasText: /It makes a fork: [a-z ]+ and [a-z ]+\./ }).waitFor();
  await worth.filter({ hasText: /Best play: [a-z ]+, [a-z ]+, [a-z ]+\./ }).waitFor();
  // After turn 3 cross threatens the bottom right; nought must block there.
  await eve.go(`/game/${created.id}?turn=3#analysis`);
  await worth.filter({ hasText: "Best: bottom right. It blocks a line." }).waitFor();
  // Every move of a small board has its value, also for screen readers.
  await eve.has(".cell[data-sign]", 6);
  assert.match((await eve.cell("0-2").getAttribute("aria-label")) ?? "", /loses in 2 moves$/);
  eve.isFine();
});

test("where values are exact, the board shows that of every move", async () => {
  const moves = ["3-2", "3-1", "2-2", "2-1", "1-2", "1-1", "0-2"];
  const created = await here.server.played("5x4k4+gravity", moves);
  const eve = await here.person();
  await eve.go(`/game/${created.id}?turn=5#analysis`);
  await eve.has(".cell[data-sign]", 5);
  assert.match((await eve.cell("0-2").getAttribute("aria-label")) ?? "", /loses in 14 moves$/);
  assert.equal(await eve.cell("1-1").getAttribute("data-value"), "loss");
  eve.isFine();
});

test("an analysis says to win at once only where the next move wins", async () => {
  // In the opening of Connect Four the opening book has the number of moves.
  const moves = ["5-3", "4-3", "3-3", "2-3", "5-2", "5-4", "5-1", "4-4"];
  const created = await here.server.played("7x6k4+gravity", moves);
  await here.server.act(created, 0, { turn: 9, resign: true });
  const ann = await here.person();
  await ann.sitAt(created, [0]);
  await ann.button("Analyse").click();
  const mistakes = ann.page.locator(".mistakes");
  await mistakes.getByText("Turn 5: you play column 3: gave away the win.").waitFor();
  await mistakes.getByText("Bob could then win in 35 moves, beginning with column 5.").waitFor();
  // It is on the screen, without scrolling.
  await ann.page.waitForFunction(() => {
    const box = document.querySelector(".analysis h3")?.getBoundingClientRect();
    return box && box.top >= 0 && box.bottom <= innerHeight;
  });
  await mistakes.getByRole("button").first().click();
  await ann.page.locator(".worth", { hasText: /Best play: columns 4, \d/ }).waitFor();
  ann.isFine();
});

test("a record can be imported, and an invalid one is explained", async () => {
  const moves = ["5-3", "5-4", "4-3", "4-4", "3-3", "3-4", "2-3"];
  const created = await here.server.played("7x6k4+gravity", moves, ["Zoe", "Yan"]);
  const record = await (await here.server.ask(`/api/games/${created.id}/record`)).text();
  const eve = await here.person();
  await eve.go("/archive");
  await eve.button("Open a record").click();
  await eve.page.getByRole("textbox", { name: /A record as text/ }).fill("nonsense");
  await eve.button("Open").last().click();
  await eve.page.getByRole("alert").getByText("This can't be read as a record.").waitFor();
  await eve.page.getByRole("textbox", { name: /A record as text/ }).fill(record);
  await eve.button("Open").last().click();
  await eve.reads("Zoe wins.");
  eve.isFine();
});

test("the presence of the opponent is shown", async () => {
  const created = await here.server.createTable({
    variant: "3x3k3",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  const [ann, bob] = [await here.person(), await here.person()];
  await ann.sitAt(created, [0]);
  await ann.page.locator(".seat", { hasText: "Bob" }).getByText("away").waitFor();
  await bob.sitAt(created, [1]);
  await ann.page.locator(".seat", { hasText: "Bob" }).getByText("here").waitFor();
  await bob.page.close();
  await ann.page.locator(".seat", { hasText: "Bob" }).getByText("away").waitFor();
});

test("the page's API types match the OpenAPI document", async () => {
  const answer = await here.server.ask("/api/openapi.json");
  const { components } = await answer.json();
  const ours = await shapes();
  for (const name of [...SHAPES, "RematchView"]) {
    const schema = components.schemas[name];
    assert.ok(schema || name === "RematchView", `the server has no ${name}`);
    if (!schema) continue;
    assert.deepEqual([...(ours.get(name) ?? [])].sort(), [...properties(components.schemas, schema)].sort(), name);
  }
});

/** The types that are objects with named fields. */
const SHAPES = [
  "View",
  "Change",
  "Presence",
  "CreatedTable",
  "TakenSeat",
  "ImportedGame",
  "Problem",
  "NewTable",
  "GameListing",
  "OfferedVariant",
  "GamesPage",
  "SeatView",
  "OfferView",
  "ClockView",
  "Offers",
  "GameAnalysis",
  "TurnAnalysis",
  "Evaluation",
  "Mistake",
  "MyGame",
  "Me",
  "Profile",
  "OpponentResults",
  "DeviceLink",
  "NewMatch",
  "QuickMatchView",
  "WaitingMatches",
];

/** The field names of each interface of `api_types.d.ts`. */
async function shapes() {
  const text = await readFile(new URL("../../api_types.d.ts", import.meta.url), "utf8");
  const file = ts.createSourceFile("api_types.d.ts", text, ts.ScriptTarget.Latest);
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const statement of file.statements) {
    if (!ts.isInterfaceDeclaration(statement)) continue;
    const names = statement.members.map((member) => member.name?.getText(file) ?? "");
    const bases = (statement.heritageClauses ?? []).flatMap((clause) => clause.types.map((type) => type.getText(file)));
    found.set(statement.name.text, new Set([...names, ...bases.flatMap((base) => [...(found.get(base) ?? [])])]));
  }
  return found;
}

/** @param {Record<string, any>} schemas @param {any} schema @returns {Set<string>} */
function properties(schemas, schema) {
  const names = new Set(Object.keys(schema.properties ?? {}));
  for (const part of [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    for (const name of properties(schemas, part)) names.add(name);
  }
  const base = schema.$ref?.split("/").at(-1);
  if (base) for (const name of properties(schemas, schemas[base])) names.add(name);
  return names;
}
