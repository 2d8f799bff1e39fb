// A transcript as a conversation: offered once, with its findings, fixes and hovers, its turns at the side, and both directions linked.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A line that the runtime does not keep, and what it becomes. */
const LOST = 'task_status("cache-key", /done)';

/** What the server takes for a transcript. */
const NAME = "session.piggyback.jsonl";

export default {
  files: { "shift/schemas.gl": "schemas.gl", "shift/mangle-ls.toml": "mangle-ls.toml", "shift/session.jsonl": NAME },
  async run(bench) {
    const path = () => join(bench.folder, NAME);
    const conversation = bench.tab(`${NAME} (conversation)`);
    /** Puts the cursor on a line of the conversation, at this word. */
    const goTo = async (word) => {
      await conversation.click();
      await bench.press("Control+Home", "Control+f");
      await bench.type(word);
      await bench.press("Enter", "Escape", "ArrowLeft");
    };
    await bench.load();
    await bench.check("it is offered", async () => {
      await bench.open(NAME);
      const offer = bench.toast("Read this transcript as a conversation?");
      await bench.see(offer, "the offer");
      await offer.locator("a, .monaco-button", { hasText: "Open as Conversation" }).first().click();
      await bench.see(conversation, "the conversation");
      await bench.see(bench.line(/turn\s1\s/), "the first turn");
    });
    await bench.check("updates are Mangle, findings are at their places", async () => {
      await goTo(LOST);
      const colours = await bench.colours(bench.line(/-\s~~task_status\("cache-key"/));
      if (colours.size < 3) throw new Error(`only these colours in an update: ${[...colours]}`);
      await bench.see(bench.locator(".squiggly-warning"), "a squiggle");
      const hover = bench.locator(".monaco-hover:visible", { hasText: "task_status(" });
      await bench.shown(hover, () => bench.command("Show or Focus Hover"));
      await bench.screenshot("conversation");
      await bench.press("Escape");
    });
    await bench.check("its turns are at the side", async () => {
      await bench.command("Explorer: Focus on Turns View");
      // That of the cursor is shown.
      const turn = bench.locator(".monaco-list-row", { hasText: "1 update lost" }).first();
      await bench.see(turn, "a turn that lost an update");
      const label = await turn.getAttribute("aria-label");
      if (!/turn \d+.*1 update lost/.test(label)) throw new Error(`a reader of the screen says "${label}"`);
      await bench.screenshot("conversation-turns");
      await turn.click();
      await bench.see(bench.locator(".view-line", { hasText: new RegExp(`turn\\s${label.match(/turn (\d+)/)[1]}\\s`) }), "the turn");
      if ((await bench.locator(`.tab[data-resource-name="${NAME} (conversation)"]`).count()) !== 1) throw new Error("another conversation was opened");
    });
    await bench.check("a place leads to the transcript and back", async () => {
      await goTo("The change in src/cache.rs");
      await bench.press("Alt+Enter");
      await bench.see(bench.locator(`.tab.active[data-resource-name="${NAME}"]`), "the transcript");
      const line = readFileSync(path(), "utf8").split("\n").findIndex((text) => text.includes("The change in src/cache.rs"));
      await bench.see(bench.status(`Ln ${line + 1}, Col`), "the place");
      await bench.command("Mangle: Open as Conversation");
      await conversation.click();
      await bench.see(bench.line(/The\schange\sin\ssrc/), "the line");
      if ((await bench.locator(`.tab[data-resource-name="${NAME} (conversation)"]`).count()) !== 1) throw new Error("another conversation was opened");
    });
    await bench.check("a finding that is fixed there is fixed in the transcript", async () => {
      await goTo(LOST);
      await bench.see(bench.line(/-\s~~task_status\("cache-key"/), "the lost update");
      // To the place of the finding, the last character.
      await bench.press(...Array.from({ length: LOST.length - 1 }, () => "ArrowRight"));
      const fix = bench.locator(".quick-input-list .monaco-list-row", { hasText: "add the full stop" }).first();
      await bench.shown(fix, () => bench.press("Control+."));
      await fix.click();
      await bench.see(bench.line(/\+\stask_status\("cache-key",\s\/done\)\./), "the update that is kept");
      await bench.see(bench.locator(`.tab.dirty[data-resource-name="${NAME}"]`), "a transcript that is not saved");
      await bench.screenshot("conversation-fixed");
      await bench.tab(NAME).click();
      await bench.command("File: Save");
      await bench.until("the fix on disk", () => /cache-key\\+", \/done\)\./.test(readFileSync(path(), "utf8")));
    });
    await bench.check("it follows a log that grows", async () => {
      const last = readFileSync(path(), "utf8").trimEnd().split("\n").findLast((line) => line.includes("surface_response"));
      appendFileSync(path(), `${last.replace(/(surface_response\\*":\s*\\*")/, "$1It grew. ")}\n`);
      // As the editor does when it notices.
      await bench.tab(NAME).click();
      await bench.command("File: Revert File");
      await conversation.click();
      await bench.press("Control+End");
      await bench.see(bench.line(/It\sgrew\./), "the new turn");
    });
  },
};
