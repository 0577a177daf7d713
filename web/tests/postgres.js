// A PostgreSQL server for one test file. The server ends with the test process, even if the test process is killed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const RUN_SCRIPT = new URL("../../crates/noughts-server/tests/stores/run_postgres.sh", import.meta.url);

/** The user that runs PostgreSQL, which refuses to run as root. */
const NOBODY = 65_534;

/** The directory of the newest PostgreSQL programs. On Debian they are not in a directory of PATH. */
async function programs() {
  const versions = "/usr/lib/postgresql";
  const found = (await readdir(versions)).sort((a, b) => Number(b) - Number(a));
  const bin = found.map((version) => join(versions, version, "bin")).find((path) => existsSync(join(path, "initdb")));
  if (!bin) throw new Error("this test needs PostgreSQL: install Debian's package postgresql");
  return bin;
}

/** Starts a server with an empty database. */
export async function startPostgres() {
  const directory = await mkdtemp(join(tmpdir(), "noughts-pg-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(directory, NOBODY, NOBODY);
  const runner = spawn("sh", ["-c", await readFile(RUN_SCRIPT, "utf8"), "runner", await programs(), directory], {
    stdio: ["pipe", "pipe", "inherit"],
    // The server has its own process group, so that Ctrl-C does not stop its script first.
    detached: true,
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const ended = once(runner, "exit");
  const answers = createInterface({ input: runner.stdout })[Symbol.asyncIterator]();
  const expect = async (/** @type {string} */ word) => {
    const { value } = await answers.next();
    if (value !== word) throw new Error(`PostgreSQL answers ${value} instead of ${word}`);
  };
  await expect("ready");
  runner.stdin.write("create games\n");
  await expect("done");
  return {
    store: `postgres:///games?host=${directory}&user=noughts`,
    stop: async () => {
      runner.stdin.end();
      await ended;
    },
  };
}
