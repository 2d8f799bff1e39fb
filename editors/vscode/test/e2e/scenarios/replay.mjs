// A session is replayed against the policies around it: a report with verdicts, in a panel that follows what is edited.

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  async run(bench) {
    let panel;
    await bench.load();
    await bench.check("the report of a replay", async () => {
      await bench.open("session.piggyback.jsonl");
      await bench.command("Mangle: Replay Transcript");
      panel = await bench.panel(".report .turn");
      await bench.see(panel.locator(".verdict.bad", { hasText: "The request contains a blocked pattern" }), "a verdict");
      await bench.screenshot("replay");
    });
    await bench.check("nothing from elsewhere is allowed in", async () => {
      const policy = await panel.locator('meta[http-equiv="Content-Security-Policy"]').first().getAttribute("content");
      if (!policy.startsWith("default-src 'none'")) throw new Error(policy);
    });
    await bench.check("it follows edits, and keeps its scroll and what is unfolded", async () => {
      await panel.locator("details summary", { hasText: "why no rule permits it" }).first().click();
      await panel.evaluate(() => window.scrollTo(0, 400));
      const folds = () => panel.locator("details[open]").count();
      const before = await folds();
      // What is opened comes to where one is, and that is the panel after a click in it.
      await bench.tab("session.piggyback.jsonl").click();
      await bench.open("facts.mg", "The request contains a blocked pattern");
      await bench.type("NEW: ");
      await bench.see(panel.locator(".verdict.bad", { hasText: "NEW: The request" }), "the new reason");
      const after = [await panel.evaluate(() => window.scrollY), await folds()];
      if (after[0] !== 400 || after[1] !== before) throw new Error(`scrolled to ${after[0]}, ${after[1]} of ${before} unfolded`);
    });
  },
};
