// Captured replies of an agent: looked at while they are closed, and open.

import { cpSync } from "node:fs";
import { join } from "node:path";

export default {
  files: { incident: "." },
  async run(bench) {
    const name = "captured/failures/lost-atoms.json";
    await bench.load();
    await bench.check("a transcript that is not open is looked at", async () => {
      cpSync(new URL("../../../../../examples/transcripts", import.meta.url), join(bench.folder, "captured"), { recursive: true });
      // Of a folder that comes, the editor tells that it came, and nothing of the files in it; nor does it find them by name.
      await bench.reload();
      await bench.open("constitution.mg", "permitted(");
      await bench.command("View: Focus Problems");
      const filter = bench.page.getByPlaceholder(/^Filter/).first();
      await filter.fill("lost-atoms.json");
      await bench.see(bench.locator(".markers-panel .monaco-list-row", { hasText: "lost-atoms.json" }), "its problems");
      await filter.fill("");
      await bench.command("View: Focus Active Editor Group");
    });
    await bench.check("a transcript shows what became of it", async () => {
      await bench.open(name, "modified(");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.see(bench.line("lost: dropped"), "what became of an update");
      await bench.see(bench.line(/json\s1\.00/), "how it was read");
      const hover = bench.locator(".monaco-hover:visible", { hasText: "Asserted." }).filter({ hasText: "a file that the agent has changed" });
      await bench.shown(hover, () => bench.command("Show or Focus Hover"));
      await bench.screenshot("transcript");
      await bench.press("Escape");
    });
    await bench.check("updates have the colours of Mangle", async () => {
      const colours = await bench.colours(bench.line('"modified('));
      if (colours.size < 3) throw new Error(`only these colours in an update: ${[...colours]}`);
    });
    await bench.check("a finding can be silenced, and the reply asked for again", async () => {
      await bench.open(name, 'file_state(\\"core/lease.rs\\", /changed');
      await bench.see(await bench.offered("Silence `undeclared` here"), "the action that silences");
      await bench.screenshot("transcript-actions");
      await bench.press("Escape");
      await bench.choose("Copy the repair prompt", bench.status("Mangle: retry prompt copied"));
    });
    await bench.check("both channels side by side", async () => {
      await bench.command("Mangle: Show Both Channels");
      const update = bench.line(/\+\smodified\("core/);
      await bench.see(update, "an update");
      await bench.see(update.locator("span span").nth(3), "its colours");
      await bench.screenshot("channels");
      await bench.see(bench.locator(".view-line", { hasText: "- task_status" }), "a lost update");
      await bench.tab("lost-atoms.json (both channels)").click();
      await bench.see(bench.status(/^Mangle Channels$/), "its language");
      await bench.press("Control+Home", "Control+f");
      await bench.type("modified(");
      await bench.press("Escape", "F12");
      await bench.see(bench.status("Ln 12, Col"), "the update in the transcript");
    });
  },
};
