// Drives the real VS Code, as code-server in Chromium, with the packaged extension.
//   node run.mjs CODE-SERVER MANGLE-LS VSIX OUTPUT [SCENARIO…]
// OUTPUT gets the screenshots, which are for a person. Without names all of scenarios/ are run.

import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { Bench } from "./driver/bench.mjs";
import { Code } from "./driver/code.mjs";

const [codeServer, server, vsix, output] = process.argv.slice(2, 6).map((path) => resolve(path));
const all = readdirSync(new URL("scenarios/", import.meta.url)).map((file) => file.replace(/\.mjs$/, "")).sort();
const named = process.argv.slice(6);

mkdirSync(output, { recursive: true });
const code = new Code(codeServer, join(output, "home"));
code.install(vsix);
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
const bench = new Bench(code, browser, server, output);
try {
  for (const name of named.length === 0 ? all : named) {
    const { default: scenario } = await import(`./scenarios/${name}.mjs`);
    await bench.run({ name, ...scenario });
  }
} finally {
  await browser.close();
  code.stop();
}
process.exit(bench.failed ? 1 : 0);
