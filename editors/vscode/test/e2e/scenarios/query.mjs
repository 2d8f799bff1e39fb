// What follows from a policy: a lens with the number of facts, a query, the syntax tree.

const lens = (bench) => bench.locator(".codelens-decoration a:visible", { hasText: /^\d+ facts?/ }).first();

export default {
  files: { "silent-errors": "." },
  async run(bench) {
    await bench.load();
    await bench.check("a lens shows the facts of a predicate", async () => {
      await bench.open("constitution.mg", "is_known(Action) :- safe_action");
      await bench.see(lens(bench), "a lens");
      // Those at the edge of what is seen are covered.
      for (const one of await bench.locator(".codelens-decoration a").all()) {
        if (await one.click({ timeout: 3000 }).then(() => true, () => false)) break;
      }
      await bench.see(bench.line("facts, as the engine reads the program"), "the answer");
      await bench.screenshot("lens");
    });
    await bench.check("a query is asked, and the syntax tree shown", async () => {
      await bench.command("View: Close All Editors");
      await bench.open("constitution.mg", "permitted(");
      await bench.command("Mangle: Run Query");
      await bench.input.fill("safe_action(X)");
      await bench.press("Enter");
      await bench.see(bench.line("safe_action(/read_file)"), "the answer");
      await bench.open("constitution.mg", "permitted(");
      await bench.command("Mangle: Show Syntax Tree");
      await bench.see(bench.line(/^source_file\s/), "the tree");
      await bench.see(bench.tab("constitution.mg (syntax tree)"), "its tab");
    });
  },
};
