// Starts a server and a browser for tests.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const PROGRAM = process.env.NOUGHTS ?? fileURLToPath(new URL("../../target/debug/noughts", import.meta.url));
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** Long enough for a busy machine. */
export const TIMEOUT_MS = 30_000;

/** A server that can be killed and started again at the same address. */
export class Server {
  /** @param {string[]} options */
  constructor(options = []) {
    this.options = options;
    this.port = 0;
    this.pairs = 0;
    /** @type {import("node:child_process").ChildProcess | null} */
    this.child = null;
  }

  async start() {
    const listeners = [
      "--http",
      `127.0.0.1:${this.port}`,
      "--tcp",
      "none",
      "--tcp-pairs",
      `127.0.0.1:${this.pairs}`,
      "--log",
      "error",
    ];
    const child = spawn(PROGRAM, ["serve", ...listeners, ...this.options], { stdio: ["ignore", "pipe", "inherit"] });
    this.child = child;
    let told = "";
    for await (const piece of child.stdout ?? []) {
      told += piece;
      const http = /^http\s+\S+:(\d+)/m.exec(told);
      const pairs = /^tcp-pairs\s+\S+:(\d+)/m.exec(told);
      if (!http || !pairs) continue;
      [this.port, this.pairs] = [Number(http[1]), Number(pairs[1])];
      child.stdout?.resume();
      return this;
    }
    throw new Error(`the server did not start: ${told}`);
  }

  get url() {
    const scheme = this.options.includes("--tls-cert") ? "https" : "http";
    return `${scheme}://127.0.0.1:${this.port}`;
  }

  /** @param {NodeJS.Signals} [how] */
  async stop(how = "SIGKILL") {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill(how);
    await ended;
  }

  /** @param {string} path @param {object} [body] @param {Record<string, string>} [headers] */
  async ask(path, body, headers = {}) {
    const init = body
      ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } }
      : { headers };
    return fetch(this.url + path, init);
  }

  /** Creates a table. @param {import("../api_types").NewTable} table @returns {Promise<import("../api_types").CreatedTable>} */
  async createTable(table) {
    const answer = await this.ask("/api/games", table);
    const created = await answer.json();
    assert.equal(answer.status, 201, JSON.stringify(created));
    return created;
  }

  /** Plays a move that must be accepted. @param {import("../api_types").CreatedTable} created @param {number} seat @param {object} act */
  async act(created, seat, act) {
    const answer = await this.ask(`/api/games/${created.id}/actions`, act, {
      Authorization: `Bearer ${created.tokens[seat]}`,
    });
    const view = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(view));
    return view;
  }

  /** Plays a game with all seats. @param {string} variant @param {string[]} moves @param {string[]} [names] */
  async played(variant, moves, names = ["Ann", "Bob"]) {
    const created = await this.createTable({
      variant,
      seats: names.map((human) => ({ human })),
      take: names.map((_, seat) => seat),
    });
    for (const [at, play] of moves.entries()) await this.act(created, at % names.length, { turn: at + 1, play });
    return created;
  }
}

/**
 * A server and a browser for all tests of a file.
 * @param {{ isLasting?: boolean, serviceWorkers?: "allow" | "block" }} [how]
 */
export function world({ isLasting = false, serviceWorkers = "block" } = {}) {
  /** @type {{ server: Server, browser: import("playwright-core").Browser, person: (options?: import("playwright-core").BrowserContextOptions) => Promise<Person> }} */
  const here = /** @type {any} */ ({});
  /** @type {string | null} */
  let folder = null;
  /** @type {import("playwright-core").BrowserContext[]} */
  const contexts = [];
  before(async () => {
    folder = isLasting ? await mkdtemp(join(tmpdir(), "noughts-page-")) : null;
    here.server = new Server(["--store", folder ? `sqlite:${join(folder, "games.db")}` : "memory:"]);
    const launching = chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    [here.browser] = await Promise.all([launching, here.server.start()]);
    here.person = async (options = {}) => {
      const context = await here.browser.newContext({
        viewport: { width: 1200, height: 800 },
        locale: "en-GB",
        serviceWorkers,
        ...options,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      contexts.push(context);
      if (process.env.PAGE === "disk") await serveFilesFromDisk(context);
      return new Person(here.server, context, await context.newPage());
    };
  });
  after(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await here.browser?.close();
    await here.server?.stop();
    if (folder) await rm(folder, { recursive: true });
  });
  return here;
}

/**
 * `PAGE=disk` serves the files from disk, without rebuilding the server.
 * @param {import("playwright-core").BrowserContext} context
 */
export async function serveFilesFromDisk(context) {
  const read = (/** @type {string} */ path) => readFile(new URL(`../${path}`, import.meta.url), "utf8");
  const media = /** @type {Record<string, string>} */ ({
    css: "text/css",
    js: "text/javascript",
    svg: "image/svg+xml",
  });
  await context.route(/\/web\/[0-9a-f]+\/|\/icon\.svg/, async (route) => {
    const path = new URL(route.request().url()).pathname.replace(/^\/(web\/[0-9a-f]+\/)?/, "");
    if (path === "style.css") {
      // The style sheets are joined in the order of the server's list.
      const list = await read("../crates/noughts-server/src/http/site/files.rs");
      const sheets = [...list.matchAll(/^ {4}"(style\/\w+\.css)"$/gm)].map((found) => read(found[1] ?? ""));
      return route.fulfill({ body: (await Promise.all(sheets)).join(""), contentType: "text/css" });
    }
    await route.fulfill({ body: await read(path), contentType: media[path.split(".").at(-1) ?? ""] ?? "text/plain" });
  });
  await context.route(
    (url) => !/^\/(api|web)\/|\.\w+$/.test(url.pathname),
    async (route) => {
      if (route.request().resourceType() !== "document") return route.fallback();
      await route.fulfill({
        body: (await read("index.html")).replaceAll("%VERSION%", "0").replaceAll(/<!--\w+-->/g, ""),
        contentType: "text/html",
      });
    },
  );
}

/** A user with a browser context; collects errors. */
export class Person {
  /** @param {Server} server @param {import("playwright-core").BrowserContext} context @param {import("playwright-core").Page} page */
  constructor(server, context, page) {
    this.server = server;
    this.context = context;
    this.page = page;
    /** @type {string[]} */
    this.troubles = [];
    /** @type {Set<string>} */
    this.origins = new Set();
    this.watch(page);
  }

  /** @param {import("playwright-core").Page} page */
  watch(page) {
    page.on("pageerror", (error) => this.troubles.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      const isOurs =
        message.type() === "error" && !/Failed to load resource|ERR_CONNECTION|ERR_INTERNET|net::/.test(text);
      if (isOurs) this.troubles.push(text);
    });
    page.on("request", (request) => this.origins.add(new URL(request.url()).origin));
    page.on("dialog", (dialog) => {
      this.troubles.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** @param {string} path */
  async go(path) {
    await this.page.goto(this.server.url + path);
    await this.page.locator("main > *:not(noscript)").first().waitFor();
  }

  /** Opens a table with the tokens of these seats. @param {import("../api_types").CreatedTable} created @param {number[]} [seats] */
  async sitAt(created, seats = Object.keys(created.tokens).map(Number)) {
    const tokens = Object.fromEntries(seats.map((seat) => [seat, created.tokens[seat]]));
    const kept = JSON.stringify({ [created.id]: { at: Date.now(), tokens } });
    await this.context.addInitScript(
      (text) => localStorage.getItem("noughts.seats") ?? localStorage.setItem("noughts.seats", text),
      kept,
    );
    await this.go(`/game/${created.id}`);
  }

  /** @param {string} move */
  cell(move) {
    return this.page.locator(`.cell[data-move="${move}"]`);
  }

  /** Waits until it is this browser's turn and the server has confirmed the previous move. */
  async isUp() {
    await this.page.locator(".board[data-mine]").waitFor();
  }

  /** Plays a move when it is this browser's turn, and waits for the mark. @param {string} move @param {number} side */
  async play(move, side) {
    await this.isUp();
    await this.cell(move).click();
    await this.hasMark(move, side);
  }

  /** @param {string} move @param {number} side */
  async hasMark(move, side) {
    await this.page.locator(`.cell[data-move="${move}"][data-side="${side}"]`).waitFor();
  }

  /** Waits until the document has this many matching elements. @param {string} selector @param {number} count */
  async has(selector, count) {
    await this.page.waitForFunction(
      ([what, wanted]) => document.querySelectorAll(String(what)).length === wanted,
      [selector, count],
    );
  }

  /** Waits for the status sentence. @param {string | RegExp} text */
  async reads(text) {
    await this.page.locator(".status", { hasText: text }).waitFor();
  }

  /** @param {string | RegExp} text */
  async notes(text) {
    await this.page.locator(".note", { hasText: text }).waitFor();
  }

  /** @param {string | RegExp} name */
  button(name) {
    return this.page.getByRole("button", { name });
  }

  /** Asserts that there were no errors and no requests to other origins. */
  isFine() {
    assert.deepEqual(this.troubles, []);
    assert.deepEqual(
      [...this.origins].filter((origin) => origin !== this.server.url && origin !== "null"),
      [],
    );
  }
}
