// What a visitor does on the page.

import { join } from "node:path";

/** Milliseconds from the start of the page to its first findings, as they are meant to be; printed only, since a busy machine takes longer. */
const FIRST_FINDINGS = 1000;
/** Milliseconds from a key to the findings that it changes: the median, likewise. */
const EDIT = 16;

export async function page({ address, browser, check, scratch }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.setDefaultTimeout(20_000);

  const open = async (hash = "") => {
    await page.goto("about:blank");
    await page.goto(`${address}/index.html${hash}`);
    await page.waitForSelector("body[data-state=ready]");
  };
  const find = (text) => page.waitForFunction((text) => document.getElementById("panel").textContent.includes(text), text);
  const tab = (row, name) => page.locator(`#${row} [role=tab]`, { hasText: name }).first().click();
  const first = () => page.evaluate(() => performance.getEntriesByName("first-findings")[0]?.startTime);

  await check("the first findings come", async () => {
    await open();
    await find("negation-wildcard");
    await open();
    await page.waitForFunction(() => performance.getEntriesByName("first-findings").length > 0);
    const milliseconds = await first();
    console.log(`# first findings after ${Math.round(milliseconds)} ms, of ${FIRST_FINDINGS}`);
  });

  await check("an edit changes the findings", async () => {
    const times = await typed(page);
    times.sort((a, b) => a - b);
    const at = (share) => times[Math.floor(times.length * share)];
    console.log(`# ${times.length} edits: median ${at(0.5).toFixed(1)} ms, 95 % ${at(0.95).toFixed(1)} ms, of ${EDIT}`);
  });

  await check("hover, completion, fix and format are those of the server", async () => {
    await open(link({ files: { "main.mg": MAIN }, open: "main.mg" }));
    await find("negation-wildcard");
    await page.locator(".token-function", { hasText: "locked" }).first().hover();
    await page.waitForSelector(".hover");
    await page.screenshot({ path: join(scratch, "hover.png") });
    await page.mouse.move(5, 5);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("p(X) :- lo");
    await page.locator(".cm-tooltip-autocomplete", { hasText: "locked" }).waitFor();
    await page.screenshot({ path: join(scratch, "completion.png") });
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".cm-content").innerText.includes("p(X) :- locked"));
    for (let index = 0; index < 6; index += 1) await page.keyboard.press("Control+z");
    await page.locator(".cm-lintRange-error").first().hover();
    const fix = page.locator(".cm-diagnosticAction").first();
    await fix.waitFor();
    await page.screenshot({ path: join(scratch, "fix.png") });
    await fix.click();
    await page.waitForFunction(() => document.querySelector(".cm-content").innerText.includes("has_locked(D) :- locked(D, _)."));
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("q( 1 ).");
    await page.locator("#format").click();
    await page.waitForFunction(() => document.querySelector(".cm-content").innerText.includes("q(1)."));
  });

  await check("a list of fixes opens at the cursor", async () => {
    await open(link({ files: { "main.mg": MAIN }, open: "main.mg" }));
    await find("negation-wildcard");
    await page.locator("#panel .place").first().click();
    await page.keyboard.press("Control+.");
    await page.locator(".actions button").first().waitFor();
    await page.screenshot({ path: join(scratch, "actions.png") });
    await page.keyboard.press("Escape");
  });

  await check("a query shows its proof", async () => {
    await open(link({ files: { "main.mg": MAIN }, open: "main.mg", panel: "query", inputs: { atom: "open(D)" } }));
    await find("open(/d/main)");
    await find("door(/d/main)");
    await page.screenshot({ path: join(scratch, "query.png") });
  });

  for (const [example, panel, words] of [["starter", "Tests", "passed"], ["jailbreak", "Verdicts", "DENY"], ["prompts", "Prompt", "Tokens expire"], ["missing-line", "Prompt", "on_duty"]]) {
    await check(`${panel} of the example ${example}`, async () => {
      await open(`#example=${example}`);
      await tab("panels", panel);
      await find(words);
      await page.screenshot({ path: join(scratch, `${example}.png`) });
    });
  }

  await check("a command that is edited runs again, and one that is wrong says so", async () => {
    await open(link({ files: { "main.mg": MAIN }, open: "main.mg", panel: "command", inputs: { line: "query 'door(X)'" } }));
    await find("door(/d/main)");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("door(/d/new).\n");
    await find("door(/d/new)");
    await page.locator("#panel input").fill("nonsense");
    await page.keyboard.press("Enter");
    await find("unrecognized subcommand");
  });

  await check("a link holds the project", async () => {
    await open(link({ files: { "main.mg": MAIN, "b.gl": "Decl a(X).\n" }, open: "b.gl" }));
    await tab("files", "main.mg");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("# é 🦀\n");
    await page.locator("#share").click();
    await page.waitForFunction(() => location.hash.startsWith("#z="));
    await open(await page.evaluate(() => location.hash));
    await page.waitForFunction(() => document.querySelector(".cm-content").innerText.includes("# é 🦀") && document.querySelectorAll("#files [role=tab]").length === 2);
  });

  await check("a broken link is reported", async () => {
    for (const hash of ["#z=AAAA", "#p=e30", "#example=nothing-of-this-name", "#p=%00"]) {
      errors.length = 0;
      await open(hash);
      await page.waitForFunction(() => document.getElementById("message").textContent.includes("cannot be opened"));
    }
    errors.length = 0;
  });

  await check("a token is counted by the vocabulary that the project names", async () => {
    const files = { "mangle-ls.toml": '[prompt]\ntokenizer = "o200k"\n', "a.kernel.mg": '# @preview shard: coder-7 coder\ninjectable_context("*", "Hello world, hello world.").\n' };
    await open(link({ files, open: "a.kernel.mg", panel: "prompt" }));
    await find("tokens");
  });

  await check("files come and go, and findings follow", async () => {
    await open(link({ files: { "main.mg": "p(X) :- q(X).\n", "q.mg": "Decl q(X).\n" }, open: "main.mg" }));
    await page.waitForFunction(() => /\d+ errors?,/.test(document.getElementById("status").textContent));
    await tab("files", "q.mg");
    await page.locator("#files .close").click();
    await find("undefined-predicate");
    await page.locator("#files .add input").fill("r.mg");
    await page.keyboard.press("Enter");
    await page.locator(".cm-content").click();
    await page.keyboard.type("q(1).\n");
    await page.waitForFunction(() => !document.getElementById("panel").textContent.includes("undefined-predicate"));
  });

  await check("no error on the way", async () => {
    if (errors.length > 0) throw new Error(errors.slice(0, 3).join("; "));
  });

  for (const [name, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 400, height: 800 } }]]) {
    const other = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
    await other.goto(`${address}/index.html`);
    await other.waitForFunction(() => document.getElementById("panel").textContent.includes("negation-wildcard") && document.querySelector(".token-keyword, .token-function"));
    await other.waitForTimeout(300);
    await other.screenshot({ path: join(scratch, `${name}.png`) });
    await other.close();
  }
  await context.close();
}

const MAIN = "door(/d/main).\nlocked(/d/back, /k/one).\nopen(D) :- door(D), !locked(D, _).\n";

/** The fragment of a project. */
function link(project) {
  return `#p=${Buffer.from(JSON.stringify(project)).toString("base64url")}`;
}

/** Types into the example and takes the time of each key, from the change to its findings, as the page shows it. */
async function typed(page) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n");
  const times = [];
  for (const key of "typed(X) :- pending_action(X, _, _, _, _), X != /a.") {
    const before = await page.evaluate(() => document.getElementById("status").textContent);
    await page.keyboard.type(key);
    await page.keyboard.press("Escape");
    await page.waitForFunction((before) => document.getElementById("status").textContent !== before, before, { timeout: 3000 }).catch(() => undefined);
    const shown = await page.evaluate(() => document.getElementById("status").textContent);
    const milliseconds = /([\d.]+) ms/.exec(shown)?.[1];
    if (shown !== before && milliseconds !== undefined) times.push(Number(milliseconds));
  }
  return times;
}
