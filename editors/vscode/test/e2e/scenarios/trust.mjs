// A folder that is not trusted: it is checked, but the server that its own settings name is not started before somebody trusts it.

import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export default {
  files: { incident: "." },
  trust: true,
  async run(bench) {
    const [trap, sprung] = [join(bench.folder, "trap.sh"), join(bench.folder, "sprung")];
    writeFileSync(trap, `#!/bin/sh\ntouch "${sprung}"\necho "mangle-ls 0.0.1"\n`);
    chmodSync(trap, 0o755);
    mkdirSync(join(bench.folder, ".vscode"));
    writeFileSync(join(bench.folder, ".vscode/settings.json"), JSON.stringify({ "mangle.server.path": trap }));
    await bench.load();
    await bench.check("it is checked, and its program is not run", async () => {
      await bench.open("constitution.mg", "!danger_found(ActionID");
      await bench.see(bench.status("Restricted Mode"), "the restricted mode");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      if (existsSync(sprung)) throw new Error("the program of the folder was run");
    });
    await bench.check("once it is trusted, its settings count", async () => {
      await bench.command("Workspaces: Manage Workspace Trust");
      await (await bench.see(bench.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }), "the button")).click();
      await bench.see(bench.toast("is version 0.0.1, and this extension needs"), "what is said of its program");
      const failed = bench.code.logs().split("\n").filter((line) => /didChangeConfiguration/.test(line));
      if (failed.length > 0) throw new Error(failed.join("\n"));
    });
  },
};
