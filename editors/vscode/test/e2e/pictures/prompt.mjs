// The prompt of a role, each line with its origin.

export default {
  files: { prompts: "." },
  width: 1680,
  height: 1000,
  async take(bench, camera) {
    await bench.open("fix-auth.kernel.mg", "test_state(");
    await bench.command("Mangle: Preview Prompt");
    await (await bench.see(bench.locator(".quick-input-list .monaco-list-row", { hasText: "fix-auth" }), "the choice")).click();
    const panel = await bench.panel("details.section");
    const line = panel.locator(".line.derived", { hasText: "Tests are failing" }).first();
    await bench.see(line, "a line with its origin");
    const sections = panel.locator("details.section");
    await camera.picture([panel.locator("h1").first(), sections.nth(0), sections.nth(1), sections.nth(2)]);
  },
};
