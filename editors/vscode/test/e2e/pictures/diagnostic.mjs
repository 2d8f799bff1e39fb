// A negation that the engine ignores: the squiggle, and why.

export default {
  files: { incident: "." },
  settings: { "editor.codeLens": false, "editor.lightbulb.enabled": "off", "editor.inlayHints.enabled": "off" },
  width: 900,
  height: 900,
  async take(bench, camera) {
    await bench.open("constitution.mg", "!danger_found(ActionID, _),");
    await bench.see(bench.locator(".squiggly-error"), "a squiggle");
    const message = bench.locator(".marker-widget", { hasText: "the engine ignore" }).first();
    await bench.shown(message, async () => {
      await bench.open("constitution.mg", "!danger_found(ActionID, _),");
      await bench.press("F8");
    });
    const last = bench.line(/^\s*!halted\(\)\.$/);
    await camera.picture([bench.line("clear_action(ActionID) :-"), last], { left: 8, right: 892 });
  },
};
