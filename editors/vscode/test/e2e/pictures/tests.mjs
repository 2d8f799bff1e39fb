// A policy test that fails, with the proof at its line.

export default {
  files: { "silent-errors": "." },
  settings: { "editor.codeLens": false },
  width: 1000,
  height: 760,
  async take(bench, camera) {
    await bench.open("constitution_test.mg", "@forbid");
    await bench.command("Mangle: Run Policy Tests");
    await bench.see(bench.locator(".test-explorer .monaco-list-row .codicon-testing-failed-icon"), "a failed test");
    await bench.press("Control+b");
    await bench.open("constitution_test.mg", "@forbid");
    const proof = bench.locator(".test-output-peek", { hasText: "is ignored by the engine" });
    await bench.shown(proof, async () => {
      await bench.press("Escape");
      await bench.command("Test: Peek Output");
    });
    await camera.picture([bench.locator(".part.editor")]);
  },
};
