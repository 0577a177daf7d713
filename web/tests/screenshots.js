// Screenshots of every page, on a phone and on a desktop, light and dark: `npm run --prefix web screenshots` writes
// them to `target/pictures`, and those that the documents use to `docs/pictures`. `LOCALE=cs` takes them in another
// language, `THEME=light` in one theme, `SCENE=start,watch` some of them; then the documents keep their pictures.

import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM, Server, serveFilesFromDisk } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {{ path: string, created?: import("../api_types").CreatedTable, make?: () => Promise<import("../api_types").CreatedTable>, seats?: number[], player?: { id: string, token: string }, act?: (page: Page) => Promise<unknown> }} Scene */

const WIDTHS = { phone: { width: 390, height: 844 }, desk: { width: 1200, height: 800 } };
const SHOWN = ["won-desk-light", "ultimate-desk-dark", "analysis-desk-light", "ultimate-phone-light"];
const folder = fileURLToPath(new URL("../../target/pictures/", import.meta.url));
const documents = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

const server = await new Server(["--store", "memory:"]).start();
const locale = process.env.LOCALE ?? "en-GB";
/** @type {import("../i18n.js").Words} */
const words = (await import(`../i18n/${locale.split("-")[0]}.js`)).default;
const themes = /** @type {const} */ (["light", "dark"]).filter((theme) => (process.env.THEME ?? theme) === theme);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

/** @param {Page} page @param {import("../i18n.js").Key} key */
const button = (page, key) => page.getByRole("button", { name: String(words[key]) });

/** A game that is under way, the moves chosen by number. @param {string} variant @param {string[]} names @param {(view: import("../api_types").View) => boolean} isEnough */
async function begun(variant, names, isEnough) {
  const seats = names.map((human) => ({ human }));
  const created = await server.createTable({ variant, seats, take: names.map((_, seat) => seat), history: 3 });
  let { view } = created;
  for (let at = 0; at < 200 && !view.outcome && !isEnough(view); at++) {
    const legal = view.legal ?? [];
    const play = legal[(at * 5) % legal.length];
    view = await server.act(created, view.to_move ?? 0, { turn: view.turn, play });
  }
  return created;
}

/** @returns {Promise<Record<string, Scene>>} */
async function scenes() {
  const won = await server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"]);
  const slips = await server.played("3x3k3", ["1-1", "0-1", "0-0", "2-2", "2-0", "1-0", "0-2"]);
  const isLate = (/** @type {import("../api_types").View} */ view) =>
    (view.boards?.filter((board) => board.state !== "open").length ?? 0) >= 4 &&
    view.active !== null &&
    view.to_move === 0;
  const ultimate = await begun("ultimate", ["Ann", "Bob"], isLate);
  const back = await begun("4x4k3p3", ["Ann", "Bob", "Cem"], (view) => view.turn > 4 && view.to_move === 0);
  const eight = await begun(
    "12x12k5p8",
    ["Ann", "Bob", "Cem", "Dora", "Eve", "Filip", "Gita", "Hugo"],
    (view) => view.turn > 40,
  );
  const four = await server.played("7x6k4+gravity", ["5-3", "5-4", "4-3", "4-4", "3-3", "3-4", "2-3"], ["Zoe", "Yan"]);
  const five = await begun("15x15k5", ["Ann", "Bob"], (view) => view.turn > 20);
  const large = await server.createTable({
    variant: "99x99k5",
    seats: [{ human: "Ann" }, { human: "Bob" }],
    take: [0, 1],
  });
  for (const [at, play] of ["49-49", "48-50", "50-48", "49-50"].entries()) {
    await server.act(large, at % 2, { turn: at + 1, play });
  }
  const pair = { variant: "3x3k3", seats: [{ human: "Ann" }, { human: "Bob" }], take: [0, 1] };
  /** Made when the picture is taken, because its clock runs. @param {import("../api_types").ClockForm} clock */
  const timed = async (clock) => {
    const created = await server.createTable({ ...pair, clock });
    for (const [at, play] of ["1-1", "0-0"].entries()) await server.act(created, at, { turn: at + 1, play });
    return created;
  };
  const offered = async () => {
    const created = await timed({ base: 180, increment: 2 });
    await server.act(created, 1, { offer: "takeback" });
    return created;
  };
  const link = await server.createTable({ variant: "3x3k3", seats: [{ human: "Ann" }, { open: "link" }], take: [0] });
  const open = await server.createTable({ variant: "multi", seats: [{ human: "Zoe" }, { open: "lobby" }], take: [0] });
  // Zoe stays, so the lobby keeps her table.
  await fetch(`${server.url}/api/games/${open.id}/events`, { headers: { Authorization: `Bearer ${open.tokens[0]}` } });
  const drawn = await server.played("3x3k3", ["1-1", "0-0", "0-1", "2-1", "1-0", "1-2", "0-2", "2-0", "2-2"]);
  const player = await (await server.ask("/api/players", { name: "Ann" })).json();
  const asAnn = { Authorization: `Bearer ${player.token}` };
  const mine = [];
  for (const variant of ["7x6k4+gravity", "ultimate", "15x15k5"]) {
    const table = { variant, seats: [{ human: "" }, { open: "link" }], take: [0] };
    const created = await (await server.ask("/api/games", table, asAnn)).json();
    const taken = await (await server.ask(`/api/games/${created.id}/seats/1`, { name: "Bob" })).json();
    mine.push({ ...created, tokens: { ...created.tokens, 1: taken.token } });
  }
  await server.act(mine[1], 0, { turn: 1, play: "4-4" });
  await server.act(mine[2], 0, { turn: 1, resign: true });
  const first = (/** @type {import("../api_types").CreatedTable} */ created) => ({
    path: `/game/${created.id}`,
    created,
    seats: [0],
  });
  const drawer = async (/** @type {Page} */ page) => {
    const handle = page.locator(".handle");
    if (await handle.isVisible()) await handle.click();
  };
  return {
    start: { path: "/" },
    new: { path: "/new" },
    own: { path: "/new", act: (page) => button(page, "gameOwn").click() },
    watch: { path: "/watch", created: five },
    match: { path: "/watch", act: (page) => button(page, "quickMatch").click() },
    me: { path: "/me" },
    mine: { path: "/me", player, created: mine[0] },
    welcome: { path: "/", player, act: (page) => page.locator(".my-games li").first().waitFor() },
    device: { path: "/me", player, act: (page) => button(page, "linkDevice").click() },
    archive: { path: "/archive" },
    record: { path: "/archive", act: (page) => button(page, "import").click() },
    nowhere: { path: "/nowhere" },
    settings: { path: "/", act: (page) => button(page, "settings").click() },
    keys: { path: "/", act: (page) => page.keyboard.press("?") },
    won: first(won),
    replay: { ...first(won), path: `/game/${won.id}?turn=3`, act: drawer },
    analysis: {
      ...first(slips),
      act: async (page) => {
        await drawer(page);
        await button(page, "analyse").click();
        await page.locator(".mistakes button").first().click();
      },
    },
    columns: {
      path: `/game/${four.id}?turn=4#analysis`,
      act: async (page) => {
        await drawer(page);
        await page.locator(".move-values, .worth").first().waitFor();
      },
    },
    draw: first(drawn),
    loss: { ...first(won), seats: [1] },
    resign: { ...first(ultimate), act: (page) => button(page, "resign").click() },
    share: {
      ...first(ultimate),
      act: async (page) => {
        await drawer(page);
        await button(page, "shareWatch").click();
        await page.locator(".qr").waitFor({ state: "attached" });
      },
    },
    ultimate: first(ultimate),
    back: {
      ...first(back),
      act: async (page) => {
        await button(page, "rewind").click();
        await page.getByRole("button", { name: "+" }).click();
      },
    },
    eight: first(eight),
    four: { path: `/game/${four.id}` },
    five: first(five),
    large: first(large),
    clock: { path: "/game/", make: () => timed({ base: 15 }), seats: [0] },
    offer: { path: "/game/", make: offered, seats: [0] },
    link: first(link),
    sit: { path: `/game/${link.id}` },
    play: {
      ...first(won),
      path: `/game/${won.id}?turn=3`,
      act: (page) => page.locator(".controls button").last().click(),
    },
  };
}

/** @param {string} name @param {Scene} scene @param {"phone" | "desk"} width @param {"light" | "dark"} colorScheme */
async function take(name, { path, created, make, seats = [], player, act }, width, colorScheme) {
  if (make) {
    created = await make();
    path += created.id;
  }
  const context = await browser.newContext({
    viewport: WIDTHS[width],
    colorScheme,
    locale,
    hasTouch: width === "phone",
    serviceWorkers: "block",
  });
  if (process.env.PAGE === "disk") await serveFilesFromDisk(context);
  const tokens = Object.fromEntries(seats.map((seat) => [seat, created?.tokens[seat]]));
  const kept = JSON.stringify(created ? { [created.id]: { at: 0, tokens } } : {});
  await context.addInitScript((text) => localStorage.setItem("noughts.seats", text), kept);
  if (player) {
    await context.addInitScript((text) => localStorage.setItem("noughts.player", text), JSON.stringify(player));
  }
  // The other players are at the table.
  const left = new AbortController();
  for (const [seat, token] of Object.entries(created?.tokens ?? {})) {
    const headers = { Authorization: `Bearer ${token}` };
    if (!seats.includes(Number(seat))) {
      await fetch(`${server.url}/api/games/${created?.id}/events`, { headers, signal: left.signal });
    }
  }
  const page = await context.newPage();
  await page.goto(server.url + path);
  await page.locator("main h1").first().waitFor();
  await act?.(page);
  if (path.startsWith("/game/")) await page.locator(".moves li").first().waitFor({ state: "attached" });
  if (name === "link") await page.locator(".qr").waitFor({ state: "attached" });
  await page.screenshot({ path: `${folder}${name}-${width}-${colorScheme}.png`, animations: "disabled" });
  await context.close();
  left.abort();
}

try {
  await mkdir(folder, { recursive: true });
  for (const [name, scene] of Object.entries(await scenes())) {
    if (process.env.SCENE && !process.env.SCENE.split(",").includes(name)) continue;
    for (const width of /** @type {const} */ (["phone", "desk"])) {
      for (const theme of themes) await take(name, scene, width, theme);
    }
  }
  const isWhole = !process.env.SCENE && !process.env.THEME && !process.env.LOCALE;
  if (isWhole) for (const name of SHOWN) await copyFile(`${folder}${name}.png`, `${documents}${name}.png`);
} finally {
  await browser.close();
  await server.stop();
}
