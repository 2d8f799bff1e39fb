// A circle through a negation, which the engine refuses: red in the graph, and said above it.

export default {
  files: { incident: "." },
  async run(bench) {
    await bench.load();
    await bench.check("a circle through a negation", async () => {
      await bench.press("Control+b");
      await bench.open("campaign.mg", "is_ready(");
      await bench.command("Mangle: Show Dependency Graph");
      const panel = await bench.panel(".canvas svg .node");
      await bench.see(panel.locator(".node.recursive.centre", { hasText: "is_ready/1" }), "the predicate");
      await bench.see(panel.locator("path.edge.negated.recursive"), "the negation on the circle");
      await bench.see(panel.locator(".note.error", { hasText: "a negation is on a cycle" }), "what is said");
      await bench.screenshot("circle");
    });
    await bench.check("only circles", async () => {
      const panel = await bench.panel(".canvas svg .node");
      await panel.locator("button", { hasText: "Show All" }).click();
      await bench.see(panel.locator(".node", { hasText: "blocked_action/2" }), "another predicate");
      await panel.locator("#cycles").check();
      await bench.gone(panel.locator(".node", { hasText: "blocked_action/2" }));
      await bench.see(panel.locator(".node.recursive", { hasText: "needs_person/1" }), "the circle");
    });
  },
};
