// The walkthrough: found among the others, and its steps do what they say.

export default {
  files: { guardian: "." },
  async run(bench) {
    await bench.load();
    await bench.check("its steps, and a button of one", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.command("Welcome: Open Walkthrough...");
      await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "Mangle: Policies That Do What They Say" }), "the walkthrough")).click();
      await bench.see(bench.locator(".step-title", { hasText: "What a shard will read" }), "a step");
      await bench.see(bench.locator(".getting-started-step", { hasText: "The server" }), "the first step");
      await bench.screenshot("walkthrough");
      await bench.locator("a, .monaco-button", { hasText: "Show Status" }).first().click();
      await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "mangle-ls" }), "the status");
      await bench.press("Escape");
    });
  },
};
