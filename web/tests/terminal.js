// `noughts play` with pipes, as a person at a terminal would use it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { PROGRAM, TIMEOUT_MS } from "./harness.js";

export class Terminal {
  /** @param {string[]} words @param {string} stateDirectory where the seats are kept */
  constructor(words, stateDirectory) {
    this.child = spawn(PROGRAM, ["play", ...words], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, XDG_STATE_HOME: stateDirectory },
    });
    this.ended = once(this.child, "exit");
    /** What was printed. */
    this.output = "";
    /** How much of the output `reads` has passed. */
    this.position = 0;
    this.child.stdout.setEncoding("utf8");
    this.child.stdout.on("data", (piece) => (this.output += piece));
  }

  /** @param {string} line */
  types(line) {
    this.child.stdin.write(`${line}\n`);
  }

  /** Waits until `text` is printed, after the text of the previous call. @param {string | RegExp} text */
  async reads(text) {
    const pattern = typeof text === "string" ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "g") : text;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    for (;;) {
      pattern.lastIndex = this.position;
      const found = pattern.exec(this.output);
      if (found) {
        this.position = found.index + found[0].length;
        return found[0];
      }
      if (this.child.exitCode !== null) throw new Error(`the end instead of ${text}: ${this.output}`);
      await once(this.child.stdout, "data", { signal }).catch(() => {
        throw new Error(`nothing instead of ${text}: ${this.output}`);
      });
    }
  }

  /** Waits for the end. @returns {Promise<number | null>} the exit code */
  async end() {
    const [code] = await this.ended;
    return code;
  }

  /** Ends a process that still runs. */
  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGKILL");
    await this.ended;
  }
}
