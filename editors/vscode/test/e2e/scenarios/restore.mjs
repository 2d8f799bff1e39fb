// A window that is loaded anew: graph and report are there again, as they were left.

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  async run(bench) {
    const session = "session.piggyback.jsonl";
    await bench.load();
    await bench.check("a graph, with what was chosen in it", async () => {
      await bench.press("Control+b");
      await bench.open("constitution.mg", "blocked_action(");
      await bench.command("Mangle: Show Dependency Graph");
      const before = await bench.panel(".canvas svg .node.centre");
      await before.locator("label", { hasText: "Direction" }).locator("select").selectOption("users");
      await bench.gone(before.locator(".canvas path.edge.negated"));
      await bench.remembered('"direction":"users"');
      await bench.reload();
      const after = await bench.panel(".canvas svg .node");
      await bench.see(after.locator(".node.centre", { hasText: "blocked_action/2" }), "the predicate");
      const direction = await after.locator("label", { hasText: "Direction" }).locator("select").inputValue();
      if (direction !== "users") throw new Error(`the direction is ${direction}`);
      await bench.see(bench.locator(".tab", { hasText: "Dependencies: blocked_action" }), "its tab");
    });
    await bench.check("a report, with what is unfolded and where it is scrolled to", async () => {
      await bench.command("View: Close All Editors");
      await bench.open(session);
      await bench.command("Mangle: Replay Transcript");
      const before = await bench.panel(".report .turn");
      await before.locator("details summary", { hasText: "why no rule permits it" }).first().click();
      await before.evaluate(() => window.scrollTo(0, 300));
      const open = await before.locator("details[open]").count();
      const left = (panel) => panel.evaluate(() => window.scrollY);
      await bench.remembered('"top":300');
      await bench.reload();
      const after = await bench.panel(".report .turn");
      await bench.until("the same scroll", async () => (await left(after)) === 300);
      const now = await after.locator("details[open]").count();
      if (now !== open) throw new Error(`${now} of ${open} are unfolded`);
    });
    await bench.check("a report alone, with no document open", async () => {
      await bench.tab(session).click();
      await bench.command("View: Close Editor");
      await bench.gone(bench.tab(session));
      await bench.reload();
      const panel = await bench.panel(".report .turn");
      await bench.see(panel.locator(".verdict.bad", { hasText: "The request contains a blocked pattern" }), "a verdict");
    });
  },
};
