// A policy in VS Code for the Web: findings, hover, fix, format, and no process.

export default {
  files: { incident: "." },
  async run(bench) {
    await bench.load();
    await bench.check("findings come without a server process", async () => {
      await bench.open("constitution.mg", "!danger_found(ActionID");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      await bench.screenshot("web-findings");
      if (bench.code.signal("SIGCONT")) throw new Error("there is a process");
    });
    await bench.check("hover", async () => {
      await bench.open("constitution.mg", "danger_found(ActionID");
      await bench.command("Show or Focus Hover");
      await bench.see(bench.locator(".monaco-hover", { hasText: "danger_found" }), "the hover");
      await bench.press("Escape");
    });
    await bench.check("a fix", async () => {
      await bench.open("campaign.mg", "/open.");
      await bench.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
      await bench.choose("insert a space before", bench.line("/open ."));
    });
    await bench.check("a change elsewhere counts", async () => {
      await bench.press("Control+End");
      await bench.type("\nfresh(X) :- not_there_yet(X).");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
    });
  },
};
