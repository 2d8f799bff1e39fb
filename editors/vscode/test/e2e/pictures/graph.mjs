// What a predicate depends on, and what depends on it.

export default {
  files: { guardian: "." },
  themes: ["light"],
  width: 1680,
  height: 1100,
  async take(bench, camera) {
    await bench.open("constitution.mg", "blocked_action(");
    await bench.command("Mangle: Show Dependency Graph");
    const panel = await bench.panel(".canvas svg .node");
    await bench.see(panel.locator("path.edge.negated"), "a negation");
    await camera.picture([panel.locator(".canvas svg").first()]);
  },
};
