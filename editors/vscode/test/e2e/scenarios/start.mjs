// How soon the first diagnostics come: the log tells. A figure for people; a test that measures time fails on a busy day.

export default {
  files: { ".": "." },
  async run(bench) {
    const times = () => [...bench.code.logs().matchAll(/First diagnostics (\d+) ms after activation/g)].map(([, time]) => Number(time));
    await bench.load();
    await bench.check("the log tells when the first diagnostics came", async () => {
      await bench.open("incident/constitution.mg", "!danger_found(ActionID");
      await bench.see(bench.locator(".squiggly-error"), "a squiggle");
      // With an editor open from the start, as on most days.
      for (let windows = 0; windows < 3; windows++) {
        const known = times().length;
        await bench.reload();
        await bench.until("the line in the log", () => times().length > known);
      }
      console.log(`# examples/: first diagnostics after activation, in ms: ${times().join(", ")}`);
    });
  },
};
