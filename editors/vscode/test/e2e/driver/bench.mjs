// Runs scenarios one after the other, each in a window of its own on copies of examples, and prints a line `ok - …` or `not ok - …` for
// each of their checks. A scenario with a failed check is run once more, in a new window: a window on a busy machine may miss a click. What
// failed the first time only is said to be unsteady (`ok - … # UNSTEADY why`), and counted as such by who reads these lines.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Workbench } from "./workbench.mjs";

const EXAMPLES = fileURLToPath(new URL("../../../../../examples/", import.meta.url));

/** Milliseconds that a scenario may take: one that hangs shall not hold up the others. */
const LIMIT = 240_000;

const PAGE = { viewport: { width: 1280, height: 1000 } };

export class Bench {
  failed = false;

  constructor(code, browser, server, output) {
    Object.assign(this, { code, browser, server, output });
  }

  /**
   * Runs a scenario: `{ name, files, trust, settings, page, run }`. `files` says which examples are copied to where in its folder, `settings`
   * are added to the user's, `page` says how large and how sharp the window is.
   */
  async run(scenario) {
    console.log(`# ${scenario.name}`);
    const first = await this.attempt(scenario);
    if (!hasFailed(first)) return report(first);
    const second = await this.attempt(scenario);
    this.failed ||= hasFailed(second);
    report(second, first);
  }

  /** Runs a scenario once. Gives what became of its checks, by name: nothing, or an error. */
  async attempt({ name, files = { incident: "." }, trust = false, settings = {}, page = PAGE, run }) {
    const outcomes = new Map();
    const folder = join(this.output, "work", name);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      cpSync(join(EXAMPLES, from), join(folder, to), { recursive: true });
    }
    this.code.set(settings);
    this.code.setServer(this.server);
    const address = await this.code.start({ trust });
    const context = await this.browser.newContext(page);
    const bench = new Workbench(await context.newPage(), address, folder, this.output);
    bench.code = this.code;
    bench.server = this.server;
    bench.check = async (what, test) => outcomes.set(`${name}: ${what}`, await tried(`${name}: ${what}`, bench, test));
    const late = new Promise((_, fail) => setTimeout(fail, LIMIT, new Error("it takes too long")).unref());
    try {
      await Promise.race([run(bench), late]);
    } catch (error) {
      outcomes.set(name, error);
    } finally {
      await context.close().catch(() => {});
      this.code.stop();
    }
    return outcomes;
  }
}

/** One check. Those behind it are tried as well when it fails. Gives the error. */
async function tried(name, bench, test) {
  try {
    await test();
    return undefined;
  } catch (error) {
    await bench.screenshot(`failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => console.log("# the page is gone: no picture"));
    // A log is often all that is left of a run elsewhere.
    console.log(`# on the screen as "${name}" failed:`);
    for (const line of await bench.words().catch(() => [])) console.log(`#   | ${line}`);
    await bench.press("Escape", "Escape").catch(() => {});
    return error;
  }
}

function hasFailed(outcomes) {
  return [...outcomes.values()].some((error) => error !== undefined);
}

/** Prints what became of each check, and why it had failed in the attempt before. */
function report(outcomes, before = new Map()) {
  for (const [name, error] of outcomes) {
    const earlier = before.get(name);
    if (error !== undefined) console.log(`not ok - ${name}: ${firstLine(error)}`);
    else if (earlier !== undefined) console.log(`ok - ${name} # UNSTEADY ${firstLine(earlier)}`);
    else console.log(`ok - ${name}`);
    for (const line of (error ?? earlier)?.message.split("\n").slice(1, 20) ?? []) console.log(`#   ${line}`);
  }
  // A scenario that broke off in the first attempt only has no line of its own above. One that fails again says nothing of what it did not reach.
  for (const [name, error] of hasFailed(outcomes) ? [] : before) {
    if (error !== undefined && !outcomes.has(name)) console.log(`ok - ${name} # UNSTEADY ${firstLine(error)}`);
  }
}

function firstLine(error) {
  return error.message.split("\n")[0];
}
