// Servers that hang at work: they said hello, and then do not answer what they are asked.

/** Answers the first question as a server does, and then nothing. */
const HELLO = JSON.stringify({ jsonrpc: "2.0", id: 0, result: { capabilities: {}, serverInfo: { name: "mangle-ls", version: "0.1.0" } } });
const MUTE = `test "$1" = --version && echo "mangle-ls 0.1.0" && exit
read -r question
printf 'Content-Length: ${HELLO.length}\\r\\n\\r\\n%s' '${HELLO}'
exec 3>&1 cat > /dev/null`;

export default {
  files: { incident: "." },
  async run(bench) {
    const starts = () => bench.code.logs().split("Starting mangle-ls").length;
    const message = bench.toast("has not answered for 10 seconds");
    await bench.load();
    await bench.check("it is said, and another one is started that knows the text", async () => {
      await bench.open("constitution.mg", "clear_action(ActionID) :-");
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      const before = starts();
      await bench.until("a server to stop", () => bench.code.signal("SIGSTOP"));
      await bench.press("Home");
      await bench.type("# typed while it hangs\n");
      await bench.see(message.filter({ hasText: "Your text is safe" }), "the message");
      await bench.see(bench.item.locator(".codicon-warning"), "the item");
      await bench.screenshot("hangs");
      await bench.until("what the log says", () => bench.code.logs().includes("does not answer and is restarted (1 of 3)"));
      await bench.until("another start", () => starts() > before);
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs again");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.see(bench.line("# typed while it hangs"), "the text");
      await bench.command("Notifications: Clear All Notifications");
    });
    await bench.check("the message starts another one at once", async () => {
      const before = starts();
      await bench.until("a server to stop", () => bench.code.signal("SIGSTOP"));
      await bench.type("# typed while the next one hangs\n");
      await bench.see(message, "the message");
      await message.locator("a, .monaco-button", { hasText: "Restart Server" }).first().click();
      await bench.until("another start", () => starts() > before);
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs again");
      await bench.see(bench.line("# typed while the next one hangs"), "the text");
    });
    await bench.check("one that always hangs is started again a few times, and no more", async () => {
      bench.code.setServer(bench.program("mute", MUTE));
      for (const times of [1, 2, 3]) {
        const again = `mute.sh (from the setting mangle.server.path) does not answer and is restarted (${times} of 3)`;
        await bench.until(again, () => bench.code.logs().includes(again));
      }
      await bench.see(bench.toast("crashed or stopped answering 4 times within 3 minutes and is not restarted"), "the message");
      await bench.see(bench.item.locator(".codicon-error"), "the item");
      const all = starts();
      bench.code.setServer(bench.server);
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      if (starts() !== all + 1) throw new Error(`${starts() - all} were started`);
      await bench.see(bench.line("# typed while it hangs"), "the text");
    });
  },
};
