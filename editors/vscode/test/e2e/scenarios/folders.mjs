// Several folders in one window, folders that cannot be written, and files that are huge.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export default {
  files: { guardian: "guardian", incident: "incident" },
  async run(bench) {
    const workspace = join(bench.folder, "both.code-workspace");
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: "guardian" }, { path: "incident" }] }));
    mkdirSync(join(bench.folder, "guardian/.vscode"));
    writeFileSync(join(bench.folder, "guardian/.vscode/settings.json"), JSON.stringify({ "files.readonlyInclude": { "**/*": true } }));
    const facts = Array.from({ length: 60_000 }, (_, at) => `measured(/sensor_${at % 100}, ${at}, "value ${at}").`);
    writeFileSync(join(bench.folder, "incident/huge.mg"), `Decl measured(Sensor, At, Value).\nMeasured(/bad).\n${facts.join("\n")}\n`);
    await bench.load({ workspace });
    await bench.check("each folder is a program of its own", async () => {
      await bench.open("incident/constitution.mg", "not is_known(");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.item.click();
      await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "Program incident" }), "its program");
      await bench.press("Escape");
    });
    await bench.check("a file that cannot be written is explained, and not changed", async () => {
      await bench.open("guardian/recovery_test.mg", "symptom(");
      await bench.type("nothing");
      await bench.press("Escape");
      const hover = bench.locator(".monaco-hover:visible", { hasText: "symptom" });
      await bench.shown(hover, () => bench.command("Show or Focus Hover"));
      await bench.press("Escape");
      if (await bench.locator(".tab.active.dirty").isVisible()) throw new Error("it was changed");
    });
    await bench.check("a file of 2 MB is checked, and can be typed in", async () => {
      await bench.open("incident/huge.mg", "Measured(");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.type("p(1).\n");
      await bench.see(bench.line("p(1)."), "what was typed");
      await bench.command("File: Revert File");
    });
  },
};
