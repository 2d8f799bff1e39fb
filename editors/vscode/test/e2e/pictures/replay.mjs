// A turn of a replay: what the model answered, and the verdict with its reason.

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  width: 1680,
  height: 1400,
  async take(bench, camera) {
    await bench.open("session.piggyback.jsonl");
    await bench.command("Mangle: Replay Transcript");
    const panel = await bench.panel(".report .turn");
    const turn = panel.locator(".turn", { has: panel.locator(".verdict.bad", { hasText: "The request contains a blocked pattern" }) }).first();
    await bench.see(turn, "a verdict");
    const verdict = turn.locator(".verdict").first();
    await verdict.locator("details", { hasText: "why no rule permits it" }).last().evaluate((element) => (element.open = false));
    // The panel may be drawn anew meanwhile, and is at its top then.
    await bench.until("the turn at the top", async () => {
      await turn.evaluate((element) => element.scrollIntoView({ block: "start" }));
      await new Promise((done) => setTimeout(done, 1000));
      return (await turn.boundingBox())?.y < 100;
    });
    const { x, y, width } = await turn.boundingBox();
    await camera.picture([verdict], { left: x - 8, top: y - 8, right: x + width + 8 });
  },
};
