// Policy tests in the Testing view: listed, run, and failed at their line with the proof.

export default {
  files: { "silent-errors": "." },
  async run(bench) {
    await bench.load();
    await bench.check("tests are listed and run", async () => {
      await bench.open("constitution_test.mg", "@forbid");
      await bench.command("Mangle: Run Policy Tests");
      const rows = bench.locator(".test-explorer .monaco-list-row");
      await bench.see(rows.filter({ hasText: "constitution_test.mg" }).filter({ has: bench.page.locator(".codicon-testing-failed-icon") }), "the file");
      await bench.see(bench.locator(".test-explorer", { hasText: "1/5" }), "one of five: two cases and three properties");
    });
    await bench.check("a failure stands at its line, with the proof", async () => {
      await bench.open("constitution_test.mg", "@forbid");
      await bench.see(bench.locator(".test-message-inline-content, .test-error-content-widget", { hasText: "is forbidden, but holds" }), "the message at the line");
      const proof = bench.locator(".test-output-peek", { hasText: "is ignored by the engine" });
      // VS Code opens it empty now and then, and leaves it so until it is closed.
      await bench.shown(proof, async () => {
        await bench.press("Escape");
        await bench.command("Test: Peek Output");
      });
      await bench.screenshot("tests");
      await bench.press("Escape");
    });
    await bench.check("what a property came to is above it, and its world beside it", async () => {
      const lens = bench.locator(".codelens-decoration a", { hasText: "violated by 1 fact" }).first();
      await (await bench.see(lens, "the verdict")).click();
      await bench.see(bench.locator(".view-line", { hasText: "the smallest world:" }), "the world");
      await bench.screenshot("property");
      await bench.command("View: Close Editor");
      await bench.open("constitution_test.mg", "@forbid");
    });
    await bench.check("a lens runs one case", async () => {
      const lens = bench.locator(".codelens-decoration a", { hasText: /^run$/ }).first();
      await (await bench.see(lens, "the lens")).click();
      await bench.see(bench.locator(".test-explorer", { hasText: /0\/1|0%/ }), "its result");
    });
  },
};
