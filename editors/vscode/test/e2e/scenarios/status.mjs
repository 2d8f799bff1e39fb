// The item in the status bar: how the server is, which one, which configuration; and what one can do with it.

export default {
  files: { incident: "." },
  async run(bench) {
    const row = (text) => bench.locator(".quick-input-list .monaco-list-row", { hasText: text });
    await bench.load();
    await bench.check("health, version and configuration", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.see(bench.item.locator(".codicon-check"), "the item");
      await bench.item.click();
      await bench.see(row(/mangle-ls \d+\.\d+\.\d+, from the setting mangle\.server\.path/), "the version");
      await bench.see(row("Program incident: "), "the program");
      await bench.see(row("Settings: mangle-ls.toml"), "the configuration");
      await bench.screenshot("status");
      await bench.press("Escape");
    });
    await bench.check("stop means stop, and start starts", async () => {
      await bench.command("Mangle: Stop Server");
      await bench.see(bench.item.locator(".codicon-circle-slash"), "a stopped server");
      await bench.gone(bench.locator(".squiggly-error"));
      await bench.command("Mangle: Start Server");
      await bench.see(bench.item.locator(".codicon-check"), "a server that runs");
      await bench.see(bench.locator(".squiggly-error"), "squiggles");
    });
    await bench.check("the configuration is checked while it is typed", async () => {
      await bench.open("mangle-ls.toml");
      await bench.press("Control+End");
      await bench.type("\n[kernel]\nreadings = 3\n");
      await bench.see(bench.locator(".squiggly-error, .squiggly-warning"), "a squiggle");
      await bench.command("File: Revert File");
    });
  },
};
