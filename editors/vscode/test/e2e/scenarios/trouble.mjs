// Servers that are missing, old, something else, silent, or die: what is said, and what becomes of the text.

import { join } from "node:path";

export default {
  files: { incident: "." },
  async run(bench) {
    const program = (name, script) => bench.program(name, script);
    const close = () => bench.command("Notifications: Clear All Notifications");
    await bench.load();
    await bench.check("a server that dies is started again, a few times, and the text stays", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      await bench.press("Home");
      await bench.type("# not saved\n");
      const starts = () => bench.code.logs().split("Starting mangle-ls").length;
      for (let times = 1; times <= 4; times++) {
        const before = starts();
        await bench.until("a server to kill", () => bench.code.signal("SIGKILL"));
        if (times === 4) break;
        await bench.until("another start", () => starts() > before);
        await bench.see(bench.item.locator(".codicon-check"), "a server that runs again");
      }
      await bench.see(bench.toast("crashed or stopped answering 4 times within 3 minutes and is not restarted"), "the message");
      await bench.see(bench.item.locator(".codicon-error"), "the item");
      await bench.see(bench.line("# not saved"), "the text");
      await bench.screenshot("crashed");
      await bench.toast("answering 4 times").locator("a, .monaco-button", { hasText: "Restart Server" }).first().click();
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      await bench.see(bench.line("# not saved"), "the text");
    });
    await bench.check("a server that is not there", async () => {
      bench.code.setServer(join(bench.folder, "no-mangle-ls"));
      await bench.see(bench.toast("there is no program at this path"), "the message");
      await bench.screenshot("missing");
      await close();
    });
    await bench.check("a server that is too old", async () => {
      bench.code.setServer(program("old", 'echo "mangle-ls 0.0.9"'));
      await bench.see(bench.toast("is version 0.0.9, and this extension needs").filter({ hasText: "Update that program" }), "the message");
      await close();
    });
    await bench.check("another program", async () => {
      bench.code.setServer(program("other", 'echo "git version 2.39.5"'));
      await bench.see(bench.toast('is not mangle-ls: its version is "git version 2.39.5"'), "the message");
      await close();
    });
    await bench.check("a server that says nothing", async () => {
      bench.code.setServer(program("silent", 'test "$1" = --version && echo "mangle-ls 0.1.0" || exec sleep 600'));
      await bench.see(bench.toast("has not answered for 10 seconds"), "the message");
      await bench.see(bench.toast("has not answered").locator("a, .monaco-button", { hasText: "Restart Server" }), "the remedy");
      bench.code.setServer(bench.server);
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      await bench.see(bench.line("# not saved"), "the text");
    });
  },
};
