// The playground in Chromium: `node test/run.mjs SITE PROGRAM OUTPUT`. A line `ok - …` or `not ok - …` for each check; pictures go to the output.

import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { editorEquality, equality, trials } from "./equality.mjs";
import { page as pageTests } from "./page.mjs";
import { serve } from "./serve.mjs";

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const [site, program, output] = process.argv.slice(2, 5).map((path) => resolve(path));
const named = process.argv.slice(5);
const web = fileURLToPath(new URL("..", import.meta.url));
const root = join(web, "../..");

let failed = false;

async function check(name, test) {
  try {
    await test();
    console.log(`ok - ${name}`);
  } catch (error) {
    failed = true;
    const [first, ...rest] = error.message.split("\n");
    console.log(`not ok - ${name}: ${first}`);
    for (const line of rest.slice(0, 10)) console.log(`#   ${line}`);
  }
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const copy = join(output, "site");
cpSync(site, copy, { recursive: true });
await build({ entryPoints: [join(web, "test/harness.ts")], bundle: true, format: "esm", outfile: join(copy, "harness.js"), logLevel: "warning" });
writeFileSync(join(copy, "harness.html"), '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="harness.js"></script>');

const server = await serve(copy);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGS });
try {
  const context = { program, root, scratch: output, check, address: server.address, browser };
  if (named.length === 0 || named.includes("page")) await pageTests(context);
  const page = await browser.newPage();
  await page.goto(`${server.address}/harness.html`);
  await page.waitForFunction(() => window.harness !== undefined);
  if (named.length === 0 || named.includes("findings")) await equality(page, context);
  if (named.length === 0 || named.includes("trials")) await trials(page, context);
  if (named.length === 0 || named.includes("editor")) await editorEquality(page, context);
} finally {
  await browser.close();
  server.close();
}
process.exit(failed ? 1 : 0);
