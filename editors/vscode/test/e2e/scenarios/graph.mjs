// The graph of dependencies: drawn, clicked, walked through by keyboard.

export default {
  files: { guardian: "." },
  async run(bench) {
    let panel;
    await bench.load();
    await bench.check("around the predicate at the cursor", async () => {
      await bench.press("Control+b");
      await bench.open("constitution.mg", "blocked_action(");
      await bench.command("Mangle: Show Dependency Graph");
      panel = await bench.panel(".canvas svg .node");
      await bench.see(panel.locator(".node.centre", { hasText: "blocked_action/2" }), "the predicate");
      await bench.see(panel.locator("path.edge.negated"), "a negation");
      await bench.see(panel.locator(".word.negated", { hasText: "not" }), "its word");
      await bench.screenshot("graph");
    });
    await bench.check("a click leads to the predicate", async () => {
      await panel.locator('.node[data-id="has_danger/1"]').click();
      await bench.see(bench.locator('.tab.active[data-resource-name="schemas.gl"]'), "its declaration");
    });
    await bench.check("by keyboard: arrows move, Space centres, Enter opens", async () => {
      await panel.locator(".node.centre").first().focus();
      await bench.press("ArrowRight");
      const id = await panel.evaluate(() => document.activeElement?.getAttribute("data-id"));
      if (id === null || id === "blocked_action/2") throw new Error(`the focus is at ${id}`);
      await bench.press("Space");
      await bench.see(panel.locator(`.node.centre[data-id="${id}"]`), "another centre");
      await panel.locator(".node.centre").first().focus();
      await bench.press("Enter");
      await bench.see(bench.locator(".tab.active[data-resource-name$='.mg'], .tab.active[data-resource-name$='.gl']"), "an editor");
    });
    await bench.check("the whole program", async () => {
      await panel.locator("button", { hasText: "Show All" }).click();
      await bench.until("many predicates", async () => (await panel.locator(".node").count()) > 60);
      await bench.screenshot("graph-all");
    });
  },
};
