// Runs what the command line names of a folder of scenarios, and ends the process.

import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { Bench } from "./bench.mjs";
import { Code } from "./code.mjs";

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** `variants` makes of a scenario, by its name, those that are run. `prepare` changes what is installed. */
export async function runAll(folder, variants, prepare = () => undefined) {
  const [codeServer, server, vsix, output] = process.argv.slice(2, 6).map((path) => resolve(path));
  const all = readdirSync(folder).map((file) => file.replace(/\.mjs$/, "")).sort();
  const named = process.argv.slice(6);
  mkdirSync(output, { recursive: true });
  const code = new Code(codeServer, join(output, "home"));
  code.install(vsix);
  prepare(code);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGS });
  const bench = new Bench(code, browser, server, output);
  try {
    for (const name of named.length === 0 ? all : named) {
      const { default: scenario } = await import(new URL(`${name}.mjs`, folder));
      for (const variant of variants({ name, scenario })) await bench.run(variant);
    }
  } finally {
    await browser.close();
    code.stop();
  }
  process.exit(bench.failed ? 1 : 0);
}
