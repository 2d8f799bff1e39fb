// An open transcript with policies around it: verdicts behind requests and above turns, what was denied among the problems, and the
// kernel after a turn.

/** A request of turn 2, in the string of its record. */
const REQUEST = 'rm -rf src/\\"}';

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  async run(bench) {
    const session = "session.piggyback.jsonl";
    await bench.load();
    await bench.check("a verdict behind each request, and above each turn", async () => {
      await bench.open(session, REQUEST);
      await bench.see(bench.locator(".codelens-decoration a", { hasText: "1 denied" }), "the lens above a turn");
      await bench.see(bench.line(/denied/), "the verdict behind a request");
      await bench.command("Problems: Focus on Problems View");
      await bench.see(bench.locator(".markers-panel .monaco-list-row", { hasText: "is denied" }), "what was denied, among the problems");
      await bench.screenshot("verdicts");
      await bench.command("View: Toggle Panel Visibility");
    });
    await bench.check("why, in hover", async () => {
      const hover = bench.locator(".monaco-hover:visible", { hasText: "blocked pattern" });
      await bench.shown(hover, () => bench.command("Show or Focus Hover"));
      await bench.screenshot("verdict-hover");
      await bench.press("Escape");
    });
    await bench.check("the state after a turn", async () => {
      await bench.command("Mangle: Show State After Turn");
      await bench.see(bench.line(/^#\sAfter\sturn\s\d/), "the state");
      await (await bench.see(bench.tab(`${session} (state after turn 2)`), "its tab")).click();
      await bench.see(bench.status(/^Mangle$/), "its language");
      await bench.tab(session).click();
    });
    await bench.check("what became of the turns from here on", async () => {
      await bench.open(session, REQUEST);
      await bench.command("Mangle: Replay From Here");
      await bench.see(bench.line(/DENY/), "a verdict");
      await bench.see(bench.tab(`${session} (replay from turn 2)`), "its tab");
      await bench.screenshot("replay-from-here");
    });
  },
};
