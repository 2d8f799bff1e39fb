// The prompt of a shard in a panel: follows what is typed, keeps its scroll, leads to origins, and is there again after a reload.

export default {
  files: { prompts: "." },
  async run(bench) {
    const kernel = "fix-auth.kernel.mg";
    let panel;
    await bench.load();
    await bench.check("the prompt with its sections, origins and budget", async () => {
      await bench.open(kernel, "test_state(");
      await bench.command("Mangle: Preview Prompt");
      await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "fix-auth" }), "the choice")).click();
      panel = await bench.panel("details.section");
      await bench.see(panel.locator(".line.derived", { hasText: "Tests are failing" }).filter({ hasText: "derived by policy.mg:" }), "a line with its origin");
      await bench.see(panel.locator(".budget", { hasText: /of 191,500 tokens/ }), "the budget");
    });
    await bench.check("it follows typing, and keeps its scroll", async () => {
      await panel.evaluate(() => window.scrollTo(0, 150));
      await bench.open(kernel, "injectable_context(");
      await bench.type('injectable_context("coder-7", "Say what you have changed.").\n');
      await bench.see(panel.locator(".line.new", { hasText: "Say what you have changed." }), "the new line, marked");
      const top = await panel.evaluate(() => window.scrollY);
      if (top !== 150) throw new Error(`scrolled from 150 to ${top}`);
      await panel.evaluate(() => window.scrollTo(0, 0));
      await bench.screenshot("prompt");
    });
    await bench.check("it follows the session file, too", async () => {
      await bench.open("fix-auth.session.yaml", "  - TestRenewExpired");
      await bench.type("  - TestOfToday\n");
      await bench.see(panel.locator(".line.session.new", { hasText: "TestOfToday" }), "the new line");
      await bench.command("File: Revert File");
      await bench.gone(panel.locator(".line", { hasText: "TestOfToday" }));
      await bench.open(kernel, "test_state(");
    });
    await bench.check("a line leads to its origin, by keyboard", async () => {
      await panel.locator(".line", { hasText: "Tests are failing" }).first().press("Enter");
      await bench.see(bench.locator('.tab.active[data-resource-name="policy.mg"]'), "the policy");
    });
    await bench.check("it is there again after a reload", async () => {
      await bench.command("File: Save All Files");
      await bench.reload();
      panel = await bench.panel("details.section");
      await bench.see(panel.locator(".line", { hasText: "Say what you have changed." }), "the line");
    });
    await bench.check("the same as text, which folds and leads to origins", async () => {
      await panel.locator("button", { hasText: "Open as Text" }).click();
      await bench.see(bench.line("- Say what you have changed."), "the line");
      await bench.see(bench.tab("fix-auth (prompt)"), "its tab");
    });
  },
};
