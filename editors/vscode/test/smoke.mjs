// Drives the real VS Code, as code-server in Chromium: a program with mistakes is opened,
// coloured, reported, mended. Prints a line `ok - …` or `not ok - …` for each check.
//   node smoke.mjs CODE-SERVER MANGLE-LS VSIX PROGRAM OUTPUT
// PROGRAM is a copy of examples/incident that may be changed; OUTPUT gets the screenshots, which are for a person.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [codeServer, server, vsix, program, output] = process.argv.slice(2).map((path) => resolve(path));
const file = join(program, "constitution.mg");
const home = join(output, "home");
const patience = 60_000;

/** Settings of a user who wants to be left alone by everything that is not tested. */
const settings = {
  "chat.disableAIFeatures": true,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "git.enabled": false,
};

let failed = false;

async function check(name, page, test) {
  try {
    await test();
    console.log(`ok - ${name}`);
  } catch (error) {
    failed = true;
    console.log(`not ok - ${name}: ${error.message.split("\n")[0]}`);
    const picture = join(output, `failed-${name.replaceAll(/\W+/g, "-")}.png`);
    await page.screenshot({ path: picture }).catch(() => console.log("the page is gone: no picture"));
  }
}

const folders = ["--config", join(home, "config.yaml"), "--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
const environment = { ...process.env, HOME: home };

function write(name, content) {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** The path belongs to the machine that the server runs on, so it is not among the user's settings. */
function setServer(path) {
  write("data/Machine/settings.json", JSON.stringify({ "mangle.server.path": path }));
}

function install() {
  rmSync(home, { recursive: true, force: true });
  write("config.yaml", "auth: none\n");
  write("data/User/settings.json", JSON.stringify(settings));
  setServer(server);
  execFileSync(codeServer, [...folders, "--install-extension", vsix], { env: environment, stdio: "ignore" });
}

/** Starts code-server on a free port; gives the process and its address. */
function start() {
  const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override", "--disable-proxy"];
  const child = spawn(codeServer, [...folders, "--bind-addr", "127.0.0.1:0", "--auth", "none", ...quiet], { env: environment });
  return new Promise((done, fail) => {
    let said = "";
    const late = setTimeout(() => fail(new Error(`code-server does not start: ${said}`)), patience);
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const address = /HTTP server listening on (http:\S+?)\/?\s/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(late);
      done({ child, address });
    });
  });
}

/** Runs a command from the palette: its row may take seconds to come, and must be the exact one. */
async function command(page, name) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input:visible").first().fill(`>${name}`);
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ has: page.getByText(name, { exact: true }) }).first().click({ timeout: patience });
}

/** Where a file is: a transcript, or a policy. */
function path_of(name) {
  return join(program, name.endsWith(".mg") ? "." : "captured/failures", name);
}

/** Opens a file with the cursor before the first place with this text. */
async function open(page, name, text) {
  const before = readFileSync(path_of(name), "utf8").split(text)[0].split("\n");
  const [line, column] = [before.length, before.at(-1).length + 1];
  await page.keyboard.press("Control+p");
  await page.locator(".quick-input-widget input:visible").first().fill(`${name}:${line}:${column}`);
  await page.locator(`.quick-input-list .monaco-list-row:has-text("${name}")`).first().click({ timeout: patience });
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor({ timeout: patience });
  await page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` }).waitFor({ timeout: patience });
}

async function until(what, condition) {
  const end = Date.now() + patience;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Shows something until it stays: lenses that come late move the lines, and what is shown at them goes. */
async function shown(what, show) {
  for (let tries = 0; tries < 6; tries++) {
    await show();
    if (await what.waitFor({ timeout: patience / 6 }).then(() => true, () => false)) return;
  }
  throw new Error("what is shown does not stay");
}

/** The first line above a rule that says how many facts it gives. */
const lens = (page) => page.locator(".codelens-decoration a", { hasText: /^\d+ rows?/ }).first();

/** The first quick fix offered at the cursor. Asked for anew if the menu does not stay: it goes when focus returns late. */
async function offeredFix(page) {
  const fix = page.locator(".action-widget .monaco-list-row.action:visible").first();
  for (let tries = 0; tries < 6; tries++) {
    await command(page, "Quick Fix...");
    const offered = fix.waitFor({ timeout: patience / 6 });
    if (await offered.then(() => true, () => false)) return fix;
  }
  throw new Error("no quick fix is offered");
}

const line = (page, text) => page.locator(".view-line", { hasText: text }).first();

/** Captured replies of an agent: looked at while they are closed, and open. */
async function transcripts(page) {
  const name = "lost-atoms.json";
  await check("a transcript that is not open is looked at", page, async () => {
    cpSync(new URL("../../../examples/transcripts", import.meta.url), join(program, "captured"), { recursive: true });
    // Of a folder that comes, the editor tells that it came, and nothing of the files in it; nor does it find them by name.
    await page.reload();
    await page.locator(".monaco-workbench").waitFor({ timeout: patience });
    await open(page, "constitution.mg", "permitted(");
    await command(page, "View: Focus Problems");
    await page.getByPlaceholder(/^Filter/).first().fill(name);
    const rows = page.locator(".markers-panel .monaco-list-row");
    await rows.filter({ hasText: name }).first().waitFor({ timeout: patience });
    await page.getByPlaceholder(/^Filter/).first().fill("");
    await command(page, "View: Focus Active Editor Group");
  });
  await check("a transcript shows what became of it", page, async () => {
    await open(page, name, "modified(");
    await page.locator(".squiggly-error").first().waitFor({ timeout: patience });
    await line(page, "lost: dropped").waitFor({ timeout: patience });
    await line(page, /json\s1\.00/).waitFor({ timeout: patience });
    const hover = page.locator(".monaco-hover:visible", { hasText: "passes both filters" }).filter({ hasText: "a file that the agent has changed" });
    await shown(hover, () => command(page, "Show or Focus Hover"));
    await page.screenshot({ path: join(output, "transcript.png") });
    await page.keyboard.press("Escape");
  });
  await check("a finding in a transcript can be silenced, and the reply asked for again", page, async () => {
    await open(page, name, 'file_state(\\"core/lease.rs\\", /changed');
    await offeredFix(page);
    const row = (text) => page.locator(".action-widget .monaco-list-row.action:visible", { hasText: text }).first();
    await row("Silence `undeclared` here").waitFor({ timeout: patience });
    await page.screenshot({ path: join(output, "transcript-actions.png") });
    await row("Copy the repair prompt").click();
    await page.locator(".statusbar-item", { hasText: "the message for the model is in the clipboard" }).waitFor({ timeout: patience });
  });
  await check("both channels side by side", page, async () => {
    await command(page, "Mangle: Show Both Channels");
    const update = line(page, /\+\smodified\("core/);
    await update.waitFor({ timeout: patience });
    await update.locator("span span").nth(3).waitFor({ timeout: patience }); // coloured
    await page.screenshot({ path: join(output, "channels.png") });
    await page.locator(".view-line", { hasText: "- task_status" }).first().waitFor({ timeout: patience });
    await command(page, "View: Close All Editor Groups");
  });
}

async function drive(page, address) {
  await page.goto(`${address}/?folder=${encodeURIComponent(program)}`);
  await page.locator(".monaco-workbench").waitFor({ timeout: patience });
  await check("the file opens as Mangle", page, async () => {
    await open(page, "constitution.mg", "permitted(");
    await page.locator(".statusbar-item", { hasText: /^Mangle$/ }).waitFor({ timeout: patience });
  });
  await check("highlighting", page, async () => {
    const head = line(page, "permitted(Action, Target, Payload) :-");
    await head.locator("span span").nth(3).waitFor({ timeout: patience });
    const colours = await head.locator("span span").evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
    if (new Set(colours).size < 3) throw new Error(`only these colours in a clause: ${colours}`);
  });
  await check("squiggles and the problems panel", page, async () => {
    await command(page, "View: Focus Problems");
    const rows = page.locator(".markers-panel .monaco-list-row");
    await rows.filter({ hasText: "constitution.mg" }).first().waitFor({ timeout: patience });
    await rows.filter({ hasText: "campaign.mg" }).first().waitFor({ timeout: patience }); // which is not open
    await open(page, "constitution.mg", "_, Action).");
    await page.locator(".squiggly-error").first().waitFor({ timeout: patience });
    await lens(page).waitFor({ timeout: patience });
    const hover = page.locator(".monaco-hover:visible", { hasText: "the engine drops" }).filter({ hasText: /Quick Fix/ });
    await shown(hover, () => command(page, "Show or Focus Hover"));
    await page.screenshot({ path: join(output, "diagnostics.png") });
    await page.keyboard.press("Escape");
  });
  await check("a quick fix changes the text", page, async () => {
    await open(page, "constitution.mg", "not is_known(");
    const fix = await offeredFix(page);
    await page.screenshot({ path: join(output, "quick-fix.png") });
    await fix.click();
    await line(page, "    !is_known(Action)").waitFor({ timeout: patience });
    await command(page, "File: Save");
    await until("the fix in the saved file", () => readFileSync(file, "utf8").includes("\n    !is_known(Action)."));
    await page.screenshot({ path: join(output, "fixed.png") });
  });
  await check("a lens shows the facts of a predicate", page, async () => {
    await lens(page).waitFor({ timeout: patience });
    // Those at the edge of what is seen are covered.
    for (const one of await page.locator(".codelens-decoration a").all()) {
      if (await one.click({ timeout: 3000 }).then(() => true, () => false)) break;
    }
    await line(page, "facts, the engine").waitFor({ timeout: patience });
    await page.screenshot({ path: join(output, "lens.png") });
  });
  await transcripts(page);
  await check("restart and logs", page, async () => {
    await command(page, "Mangle: Restart Server");
    await command(page, "Mangle: Show Logs");
    await page.locator(".panel .view-line", { hasText: "Starting mangle-ls" }).nth(1).waitFor({ timeout: patience });
    await page.screenshot({ path: join(output, "logs.png") });
  });
  await check("a server that is not there is said", page, async () => {
    setServer(join(home, "mangle-ls"));
    await page.locator(".notification-toast", { hasText: "there is no program there" }).waitFor({ timeout: patience });
    await page.screenshot({ path: join(output, "missing.png") });
  });
}

install();
const { child, address } = await start();
let browser;
try {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  await drive(await browser.newPage({ viewport: { width: 1280, height: 1000 } }), address);
} finally {
  await browser?.close();
  child.kill();
}
process.exit(failed ? 1 : 0);
