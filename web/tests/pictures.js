// Takes the pictures that the documents show: `npm run --prefix web pictures`.

import { chromium } from "playwright-core";
import { CHROMIUM, Server, fromDisk } from "./world.js";

const server = await new Server(["--store", "memory:"]).start();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

/** @param {string} name @param {import("../shapes").Laid} laid @param {"light" | "dark"} colorScheme @param {number} width */
async function take(name, laid, colorScheme, width) {
  const context = await browser.newContext({ viewport: { width, height: 660 }, colorScheme, locale: "en-GB" });
  if (process.env.PAGE === "disk") await fromDisk(context);
  const kept = JSON.stringify({ [laid.id]: { at: 0, tokens: { 0: laid.tokens[0] } } });
  await context.addInitScript((text) => localStorage.setItem("noughts.seats", text), kept);
  const page = await context.newPage();
  await page.goto(`${server.url}/game/${laid.id}`);
  await page.locator(".moves button").first().waitFor();
  const path = new URL(`../../docs/pictures/${name}.png`, import.meta.url).pathname;
  await page.screenshot({ path, animations: "disabled" });
  await context.close();
}

const won = await server.played("3x3k3", ["0-0", "1-1", "0-1", "2-2", "0-2"]);
await take("won", won, "light", 960);

const nine = await server.lay({ variant: "ultimate", seats: [{ human: "Ann" }, { human: "Bob" }], take: [0, 1] });
let { view } = nine;
for (let at = 0; at < 60 && !view.outcome; at++) {
  const closed = view.boards?.filter((board) => board !== "open").length ?? 0;
  if (closed >= 4 && view.active !== null && view.to_move === 0) break;
  const play = view.legal[(at * 5) % view.legal.length];
  view = await server.act(nine, view.to_move ?? 0, { turn: view.turn, play });
}
await take("ultimate", nine, "dark", 960);

await browser.close();
await server.stop();
