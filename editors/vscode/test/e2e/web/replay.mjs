// The panels of VS Code for the Web: verdicts of a session, an answer to a query, tests.

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  async run(bench) {
    await bench.load();
    await bench.check("the report of a replay", async () => {
      await bench.open("session.piggyback.jsonl");
      await bench.command("Mangle: Replay Transcript");
      const panel = await bench.panel(".report .turn");
      await bench.see(panel.locator(".verdict.bad", { hasText: "The request contains a blocked pattern" }), "a verdict");
      await bench.screenshot("web-replay");
    });
    await bench.check("the answer to a query", async () => {
      await bench.open("constitution.mg");
      await bench.command("Mangle: Run Query");
      await bench.input.fill("safe_action(A)");
      await bench.press("Enter");
      await bench.see(bench.line("safe_action(/read_file)"), "a fact");
    });
  },
};
