// Without a mouse: from problem to problem, a fix, a definition, the status of the server.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export default {
  files: { incident: "." },
  async run(bench) {
    const run = async (name) => {
      await bench.press("F1");
      await bench.input.fill(`>${name}`);
      await bench.see(bench.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }), "the command");
      await bench.press("Enter");
    };
    await bench.load();
    await bench.check("from problem to problem, and mended", async () => {
      await bench.open("constitution.mg", "clear_action(ActionID) :-");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.press("Alt+F8");
      await bench.see(bench.locator(".peekview-widget, .zone-widget", { hasText: "makes the engine ignore" }), "the problem");
      await bench.press("Escape");
      // The menu goes when the focus returns to the text later than it came.
      await bench.shown(bench.locator(".action-widget .monaco-list-row.action.focused").first(), () => bench.press("Control+."));
      await bench.press("Enter");
      await bench.see(bench.line("!has_danger(ActionID)"), "the mended line");
      await bench.press("Control+s");
      await bench.until("the saved file", () => readFileSync(join(bench.folder, "constitution.mg"), "utf8").includes("!has_danger(ActionID)"));
    });
    await bench.check("to the declaration and back", async () => {
      await bench.open("constitution.mg", "is_frozen(Action)");
      await bench.press("F12");
      await bench.see(bench.locator('.tab.active[data-resource-name="schemas.gl"]'), "the declaration");
      await bench.press("Control+Alt+-");
      await bench.see(bench.locator('.tab.active[data-resource-name="constitution.mg"]'), "where one was");
    });
    await bench.check("the status, and a restart from it", async () => {
      const starts = () => bench.code.logs().split("Starting mangle-ls").length;
      const before = starts();
      await run("Mangle: Show Status");
      await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "Restart Server" }), "what one can do");
      await bench.type("restart");
      await bench.press("Enter");
      await bench.until("another start", () => starts() > before);
    });
  },
};
