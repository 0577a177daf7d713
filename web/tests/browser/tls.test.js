// The page over https: a game of two browsers, with live updates.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { CHROMIUM, Person, Server, TIMEOUT_MS } from "../harness.js";

/** @type {string} */
let folder;
/** @type {Server} */
let server;
/** @type {import("playwright-core").Browser[]} */
const browsers = [];

/** A browser that trusts only these certificates besides those of the system. @param {string[]} keys hashes of their keys */
async function launch(keys) {
  const args = ["--no-sandbox", "--disable-gpu", `--ignore-certificate-errors-spki-list=${keys.join(",")}`];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  browsers.push(browser);
  return browser;
}

/** All files come from the server, also with `PAGE=disk`. @param {import("playwright-core").Browser} browser */
async function person(browser) {
  const context = await browser.newContext({ locale: "en-GB", serviceWorkers: "block" });
  context.setDefaultTimeout(TIMEOUT_MS);
  return new Person(server, context, await context.newPage());
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "noughts-tls-"));
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  await promisify(execFile)("openssl", ["req", "-x509", ...kind, ...name, "-keyout", key, "-out", certificate]);
  server = new Server(["--store", "memory:", "--tls-cert", certificate, "--tls-key", key]);
  await server.start();
});

after(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await server?.stop();
  await rm(folder, { recursive: true });
});

test("two browsers play over https and see each other's moves", async () => {
  const { publicKey } = new X509Certificate(await readFile(join(folder, "cert.pem")));
  const key = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" }));
  const browser = await launch([key.digest("base64")]);
  const [ann, bob] = [await person(browser), await person(browser)];
  assert.match(server.url, /^https:/);
  await ann.go("/");
  const created = await ann.page.evaluate(async () => {
    const table = { variant: "3x3k3", seats: [{ human: "Ann" }, { human: "Bob" }], take: [0, 1] };
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch("/api/games", { method: "POST", body: JSON.stringify(table), headers });
    return answer.json();
  });
  await ann.sitAt(created, [0]);
  await bob.sitAt(created, [1]);
  await ann.play("1-1", 0);
  await bob.hasMark("1-1", 0);
  await bob.play("0-0", 1);
  await ann.hasMark("0-0", 1);
  const answer = await ann.page.reload();
  assert.equal((await answer?.securityDetails())?.protocol, "TLS 1.3");
  assert.match((await answer?.headerValue("strict-transport-security")) ?? "", /^max-age=\d+$/);
  await ann.hasMark("0-0", 1);
  ann.isFine();
  bob.isFine();
});

test("a browser refuses a certificate that it does not trust", async () => {
  const stranger = await person(await launch([]));
  await assert.rejects(stranger.page.goto(server.url), /ERR_CERT_AUTHORITY_INVALID/);
});
