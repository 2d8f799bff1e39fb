// An animation: a negation with a wildcard is typed, which denies nothing; its quick fix does, and the replay beside it shows that.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What denies a dangerous request, in the policy as it is. */
const NEGATION = "    !has_danger(ActionID),\n";

/** What is typed instead, in steps. */
const STEPS = ["!", "danger_", "found(", "ActionID", ", _", "),"];

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  settings: {
    "editor.autoClosingBrackets": "never",
    "editor.codeLens": false,
    "editor.inlayHints.enabled": "off",
    "editor.lightbulb.enabled": "off",
    "editor.parameterHints.enabled": false,
    "editor.quickSuggestions": { "other": "off", "comments": "off", "strings": "off" },
    "editor.suggestOnTriggerCharacters": false,
    "workbench.editor.openSideBySideDirection": "down",
  },
  width: 840,
  height: 660,
  async take(bench, camera) {
    const path = join(bench.folder, "constitution.mg");
    const policy = readFileSync(path, "utf8");
    if (!policy.includes(NEGATION)) throw new Error("the policy has another negation");
    writeFileSync(path, policy.replace(NEGATION, ""));
    await bench.open("session.piggyback.jsonl");
    await bench.command("Mangle: Replay Transcript");
    const panel = await bench.panel(".report .turn");
    const turn = panel.locator(".turn").nth(1);
    await bench.see(turn.locator(".verdict"), "a verdict");
    await bench.tab("session.piggyback.jsonl").click();
    await bench.open("constitution.mg", "\n    !is_frozen(Action),\n    !halted()");
    const frame = async (milliseconds) => {
      // What is above the turn grows when a request is denied.
      await turn.evaluate((element) => element.scrollIntoView({ block: "start" }));
      await camera.frame(milliseconds, [bench.locator(".part.editor")]);
    };
    await bench.see(turn.locator(".verdict.good"), "a permission");
    await frame(1600);
    await bench.press("Enter");
    for (const step of STEPS) {
      await bench.type(step);
      await frame(180);
    }
    await bench.see(bench.locator(".squiggly-error"), "a squiggle");
    await bench.see(turn.locator(".verdict.good"), "the same permission");
    await bench.press("ArrowLeft", "ArrowLeft", "ArrowLeft");
    await frame(1200);
    const fix = await bench.offered("has_danger");
    await frame(1800);
    await fix.click();
    await bench.see(bench.line("!has_danger(ActionID)"), "the fixed line");
    await bench.see(turn.locator(".verdict.bad", { hasText: "The request contains a blocked pattern" }), "the denial");
    await bench.leave();
    await frame(1600);
    await turn.locator(".verdict.bad summary").first().click();
    await bench.leave();
    await frame(3600);
  },
};
