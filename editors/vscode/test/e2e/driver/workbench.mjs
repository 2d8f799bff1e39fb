// What a person does in the window of VS Code: opens files, runs commands, looks at things.

import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PATIENCE } from "./code.mjs";

export class Workbench {
  /** `folder` is what is opened; `output` gets the screenshots. */
  constructor(page, address, folder, output) {
    Object.assign(this, { page, address, folder, output });
  }

  /** Writes a program that is no good as a server, beside the folder; gives its path. */
  program(name, script) {
    const path = join(this.folder, "..", `${name}.sh`);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** Opens the folder, or another, or a workspace file. */
  async load(what = { folder: this.folder }) {
    const query = Object.entries(what).map(([key, path]) => `${key}=${encodeURIComponent(path)}`);
    await this.page.goto(`${this.address}/?${query.join("&")}`);
    await this.ready();
  }

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  /** Waits until the window has written to its storage what a page wants to be remembered: it does so now and then. */
  async remembered(text) {
    const isThere = async (text) => {
      const done = (request) => new Promise((good, bad) => Object.assign(request, { onsuccess: () => good(request.result), onerror: bad }));
      for (const { name } of await indexedDB.databases()) {
        const database = await done(indexedDB.open(name));
        const tables = [...database.objectStoreNames];
        const rows = await Promise.all(tables.map((table) => done(database.transaction(table).objectStore(table).getAll())));
        database.close();
        // A JSON in a JSON in a JSON.
        if (rows.flat().some((row) => typeof row === "string" && row.replaceAll("\\", "").includes(text))) return true;
      }
      return false;
    };
    await this.until(`${text} in what is remembered`, () => this.page.evaluate(isThere, text));
  }

  async ready() {
    await this.page.locator(".monaco-workbench").waitFor({ timeout: PATIENCE });
  }

  locator(selector, options) {
    return this.page.locator(selector, options);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  /** Runs a command from the palette: its row may take seconds to come, and must be the exact one. */
  async command(name) {
    await this.press("F1");
    await this.input.fill(`>${name}`);
    const rows = this.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ has: this.page.getByText(name, { exact: true }) }).first().click({ timeout: PATIENCE });
    await this.leave();
  }

  /** The mouse goes to where nothing is said of what is under it. */
  async leave() {
    const { width, height } = this.page.viewportSize();
    await this.page.mouse.move(width * 0.35, height - 15);
  }

  get input() {
    return this.locator(".quick-input-widget input:visible").first();
  }

  /** Opens a file of the folder with the cursor before the first place with this text. */
  async open(path, text = "") {
    const name = basename(path);
    const before = readFileSync(join(this.folder, path), "utf8").split(text === "" ? /(?!)/ : text)[0];
    const lines = text === "" ? [""] : before.split("\n");
    const [line, column] = [lines.length, lines.at(-1).length + 1];
    await this.press("Control+p");
    await this.input.fill(`${path}:${line}:${column}`);
    // Rows come late and change places, so none is clicked.
    const chosen = this.locator(".quick-input-list .monaco-list-row.focused .label-name");
    let looked = 0;
    await this.until(`${name} among the files`, async () => {
      const label = await chosen.first().textContent({ timeout: 1000 }).catch(() => "");
      if (label?.trim() === name) return true;
      if (++looked % 20 === 0) await this.press("ArrowDown");
      return false;
    });
    await this.press("Enter");
    await this.leave();
    await this.locator(`.tab.active[data-resource-name="${name}"]`).waitFor({ timeout: PATIENCE });
    await this.status(`Ln ${line}, Col ${column}`).waitFor({ timeout: PATIENCE });
  }

  /** The tab of an editor, by its whole title. */
  tab(title) {
    return this.locator(`.tab[data-resource-name="${title}"]`).first();
  }

  /** An item of the status bar. */
  status(text) {
    return this.locator(".statusbar-item", { hasText: text }).first();
  }

  /** The item of the extension. */
  get item() {
    return this.locator('[id="mangle-ls.mangle-ls.mangle.status"]');
  }

  /** A visible line of an editor. */
  line(text) {
    return this.locator(".view-line", { hasText: text }).first();
  }

  async see(locator, what = "it") {
    await locator.first().waitFor({ timeout: PATIENCE }).catch(() => {
      throw new Error(`waited in vain for ${what}`);
    });
    return locator.first();
  }

  async gone(locator) {
    await locator.first().waitFor({ state: "detached", timeout: PATIENCE });
  }

  async until(what, condition) {
    const end = Date.now() + PATIENCE;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Shows something until it stays: lenses that come late move the lines, and what is shown at them goes. */
  async shown(what, show) {
    for (let tries = 0; tries < 6; tries++) {
      await show();
      if (await what.waitFor({ timeout: PATIENCE / 6 }).then(() => true, () => false)) return;
    }
    throw new Error("what is shown does not stay");
  }

  /** The first quick fix offered at the cursor. Asked for anew if the menu does not stay: it goes when focus returns late. */
  async offered(text = "") {
    const fix = this.locator(".action-widget .monaco-list-row.action:visible", { hasText: text }).first();
    await this.shown(fix, () => this.command("Quick Fix..."));
    return fix;
  }

  /**
   * Chooses a quick fix until what it shows is there. VS Code forgets the command of an action when diagnostics arrive between the click
   * and the call, and then says "Actual command not found".
   */
  async choose(text, effect) {
    await this.shown(effect, async () => (await this.offered(text)).click());
  }

  /** The colours of the words of a line. */
  async colours(line) {
    const spans = await (await this.see(line)).locator("span span").evaluateAll((all) => all.map((span) => getComputedStyle(span).color));
    return new Set(spans);
  }

  /** A notification with this text. */
  toast(text) {
    return this.locator(".notification-toast", { hasText: text });
  }

  /** The page inside of a panel: the frame that has this. */
  async panel(selector) {
    let found;
    await this.until(`a panel with ${selector}`, async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator(selector).first().isVisible().catch(() => false)) found = frame;
      }
      return found !== undefined;
    });
    return found;
  }

  /** The words on the screen, line by line. */
  async words() {
    const text = await this.locator(".monaco-workbench").innerText({ timeout: 5000 });
    return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").slice(0, 200);
  }

  async screenshot(name) {
    // What fades in is there by then.
    await new Promise((done) => setTimeout(done, 400));
    await this.page.screenshot({ path: join(this.output, `${name}.png`) });
  }
}
