// A policy with mistakes is opened, coloured, reported, explained, completed, mended, renamed and formatted.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export default {
  files: { incident: "." },
  async run(bench) {
    const text = (name = "constitution.mg") => readFileSync(join(bench.folder, name), "utf8");
    await bench.load();
    await bench.check("the file opens as Mangle", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.see(bench.status(/^Mangle$/));
    });
    await bench.check("highlighting", async () => {
      const colours = await bench.colours(bench.line("permitted(Action, Target, Payload) :-"));
      if (colours.size < 3) throw new Error(`only these colours in a clause: ${[...colours]}`);
    });
    await bench.check("squiggles and the problems panel", async () => {
      await bench.command("View: Focus Problems");
      const rows = bench.locator(".markers-panel .monaco-list-row");
      const other = await bench.see(rows.filter({ hasText: "campaign.mg" }), "problems of a file that is not open");
      // The panel has only the rows that are in view: the file is folded.
      await other.click();
      await bench.see(rows.filter({ hasText: "constitution.mg" }), "problems of the open file");
    });
    await bench.check("hover says what the engine does", async () => {
      await bench.open("constitution.mg", "_, Action).");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      const hover = bench.locator(".monaco-hover:visible", { hasText: "the engine ignore" }).filter({ hasText: /Quick Fix/ });
      await bench.shown(hover, () => bench.command("Show or Focus Hover"));
      await bench.screenshot("diagnostics");
      await bench.press("Escape");
    });
    await bench.check("a quick fix changes the text", async () => {
      await bench.open("constitution.mg", "not is_known(");
      const fix = await bench.offered();
      await bench.screenshot("quick-fix");
      await fix.click();
      await bench.see(bench.line("    !is_known(Action)"));
      await bench.command("File: Save");
      await bench.until("the fix in the saved file", () => text().includes("\n    !is_known(Action)."));
    });
    await bench.check("completion of a predicate", async () => {
      await bench.open("constitution.mg", "write_action(Action),");
      await bench.press("End", "Enter");
      await bench.type("dang");
      const row = bench.locator(".suggest-widget:visible .monaco-list-row", { hasText: "dangerous_action" });
      await bench.shown(row, () => bench.command("Trigger Suggest"));
      await bench.screenshot("completion");
      await bench.press("Escape", "Control+z", "Control+z", "Control+z");
      await bench.command("File: Revert File");
    });
    await bench.check("rename in all files", async () => {
      await bench.open("constitution.mg", "dangerous_action(Action)");
      const box = bench.locator(".rename-box input:visible");
      await bench.shown(box, () => bench.command("Rename Symbol"));
      await box.fill("risky_action");
      await box.press("Enter");
      await bench.see(bench.line("risky_action(Action)"));
      await bench.command("File: Save All Files");
      await bench.until("the new name in the saved file", () => text().includes("risky_action(Action)") && !text().includes("dangerous_action"));
      await bench.until("the new name in the schema", () => text("schemas.gl").includes("Decl risky_action("));
    });
    await bench.check("format", async () => {
      await bench.open("facts.mg");
      await bench.press("Control+Home");
      await bench.type("formatted( /a ,  1 ).\n");
      await bench.command("Format Document");
      await bench.see(bench.line(/^formatted\(\/a,\s1\)\./), "the formatted line");
      await bench.command("File: Revert File");
    });
    await bench.check("the log tells which server runs", async () => {
      await bench.command("Mangle: Restart Server");
      await bench.command("Mangle: Show Logs");
      await bench.see(bench.locator(".panel .view-line", { hasText: "Starting mangle-ls" }).nth(1), "the second start");
    });
  },
};
