// Processor time of the page's main thread: `npm run --prefix web cpu-time`.

import { chromium } from "playwright-core";
import { CHROMIUM, Server, serveFilesFromDisk } from "./harness.js";

const server = await new Server(["--store", "memory:"]).start();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

/** @param {string} path @param {import("../api_types").CreatedTable | null} created */
async function open(path, created) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" });
  if (process.env.PAGE === "disk") await serveFilesFromDisk(context);
  const kept = JSON.stringify(created ? { [created.id]: { at: 0, tokens: created.tokens } } : {});
  await context.addInitScript((text) => localStorage.setItem("noughts.seats", text), kept);
  const page = await context.newPage();
  await page.goto(server.url + path);
  await page.locator("main h1").first().waitFor();
  return page;
}

/**
 * The tasks of the page's main thread while something is done, in milliseconds of processor time, longest first.
 * @param {import("playwright-core").Page} page @param {() => Promise<void>} act
 */
async function tasks(page, act) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "__metadata"] });
  await act();
  const trace = JSON.parse(String(await browser.stopTracing()));
  /** @type {any[]} */
  const events = trace.traceEvents;
  const mains = events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain");
  const isOurs = (/** @type {any} */ event) => mains.some((main) => main.pid === event.pid && main.tid === event.tid);
  const found = events.filter((event) => event.name.endsWith("RunTask") && event.tdur && isOurs(event));
  return found.map((event) => event.tdur / 1000).sort((a, b) => b - a);
}

/** @param {string} name @param {number[]} found */
function tell(name, found) {
  const sum = found.reduce((total, ms) => total + ms, 0);
  const longest = found.slice(0, 3).map((ms) => ms.toFixed(1));
  console.log(`${name}: longest ${longest.join(", ")} ms; ${sum.toFixed(0)} ms in ${found.length} tasks`);
}

const large = await server.createTable({ variant: "255x255k5", seats: [{ human: "" }, { human: "" }], take: [0, 1] });
const page = await open("/archive", large);
tell(
  "opening 255x255",
  await tasks(page, async () => {
    await page.evaluate((path) => {
      const link = document.createElement("a");
      link.href = path;
      document.querySelector("main")?.append(link);
      link.click();
    }, `/game/${large.id}`);
    await page.locator('.cell[data-move="127-127"]').waitFor();
    await page.locator(".moves li").first().waitFor();
  }),
);
const scroll = () =>
  page.evaluate(async () => {
    const port = /** @type {HTMLElement} */ (document.querySelector(".port"));
    for (let step = 0; step < 120; step++) {
      port.scrollBy(step < 60 ? -23 : 29, step < 60 ? -31 : 27);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
tell("scrolling 255x255, 120 frames", await tasks(page, scroll));
const box = await page.locator(".port").boundingBox();
const middle = { x: (box?.x ?? 0) + 0.5 * (box?.width ?? 0), y: (box?.y ?? 0) + 0.5 * (box?.height ?? 0) };
tell(
  "a press on 255x255",
  await tasks(page, async () => {
    // Clicks by coordinates: a search for the cell would also be a task of the page.
    await page.mouse.click(middle.x, middle.y);
    await page.locator(".cell[data-side]").first().waitFor();
  }),
);

for (let at = 0; at < 100; at++) {
  await server.createTable({ variant: "3x3k3", seats: [{ human: `Ann ${at}` }, { human: "Bob" }], take: [0, 1] });
}
const lobby = await open("/watch", null);
// The event stream stays open, so the network is never idle.
await lobby.locator(".tables li").nth(99).waitFor();
tell("100 live tables, 10 s of nothing", await tasks(lobby, () => lobby.waitForTimeout(10_000)));

await browser.close();
await server.stop();
