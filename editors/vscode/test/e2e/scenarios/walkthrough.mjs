// The walkthrough: found among the others, and its steps do what they say.

export default {
  files: { guardian: "." },
  // Pictures of steps are shown where there is room for them.
  page: { viewport: { width: 1700, height: 1000 } },
  async run(bench) {
    await bench.load();
    await bench.check("a story in three steps, with pictures", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.command("Welcome: Open Walkthrough...");
      await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "Mangle: Why Was That Denied?" }), "the walkthrough")).click();
      for (const title of ["See why an action is denied", "Find lost updates in a transcript", "Test the policy"]) {
        await (await bench.see(bench.locator(".step-title", { hasText: title }), title)).click();
        const picture = bench.locator(".getting-started-media img:visible");
        await bench.until("its picture", () => picture.first().evaluate((image) => image.complete && image.naturalWidth > 0).catch(() => false));
      }
      await bench.screenshot("walkthrough-story");
      await bench.command("View: Close Editor");
    });
    await bench.check("its steps, and a button of one", async () => {
      await bench.open("constitution.mg", "permitted(");
      await bench.command("Welcome: Open Walkthrough...");
      await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "Mangle: Check and Test Your Policies" }), "the walkthrough")).click();
      await bench.see(bench.locator(".step-title", { hasText: "Preview the prompt of an agent role (shard)" }), "a step");
      await bench.see(bench.locator(".getting-started-step", { hasText: "The server" }), "the first step");
      await bench.screenshot("walkthrough");
      await bench.locator("a, .monaco-button", { hasText: "Show Status" }).first().click();
      await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "mangle-ls" }), "the status");
      await bench.press("Escape");
    });
  },
};
