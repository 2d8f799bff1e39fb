// Runs scenarios one after the other, each in a window of its own on copies of examples, and prints a line `ok - …` or `not ok - …` for
// each of their checks.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Workbench } from "./workbench.mjs";

const EXAMPLES = fileURLToPath(new URL("../../../../../examples/", import.meta.url));

/** Milliseconds that a scenario may take: one that hangs shall not hold up the others. */
const LIMIT = 240_000;

export class Bench {
  failed = false;

  constructor(code, browser, server, output) {
    Object.assign(this, { code, browser, server, output });
  }

  /** Runs a scenario: `{ name, files, trust, run }`; `files` says which examples are copied to where in its folder. */
  async run({ name, files = { incident: "." }, trust = false, run }) {
    console.log(`# ${name}`);
    const folder = join(this.output, "work", name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      cpSync(join(EXAMPLES, from), join(folder, to), { recursive: true });
    }
    this.code.set({});
    this.code.setServer(this.server);
    const address = await this.code.start({ trust });
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 1000 } });
    const bench = new Workbench(await context.newPage(), address, folder, this.output);
    bench.code = this.code;
    bench.server = this.server;
    bench.check = (what, test) => this.check(`${name}: ${what}`, bench, test);
    const late = new Promise((_, fail) => setTimeout(fail, LIMIT, new Error("it takes too long")).unref());
    try {
      await Promise.race([run(bench), late]);
    } catch (error) {
      this.fail(name, error);
    } finally {
      await context.close().catch(() => {});
      this.code.stop();
    }
  }

  /** One check. Those behind it are tried as well when it fails. */
  async check(name, bench, test) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      this.fail(name, error);
      await bench.screenshot(`failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => console.log("# the page is gone: no picture"));
      await bench.press("Escape", "Escape").catch(() => {});
    }
  }

  fail(name, error) {
    this.failed = true;
    console.log(`not ok - ${name}: ${error.message.split("\n")[0]}`);
    for (const line of error.message.split("\n").slice(1, 20)) console.log(`#   ${line}`);
  }
}
