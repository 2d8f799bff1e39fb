// A transcript as a conversation, with its turns at the side: a denied request, updates that are lost, findings at their places.

export default {
  files: { guardian: ".", "jailbreak/session.piggyback.jsonl": "session.piggyback.jsonl" },
  settings: { "editor.lightbulb.enabled": "off", "problems.decorations.enabled": false },
  width: 1240,
  height: 800,
  async take(bench, camera) {
    await bench.open("session.piggyback.jsonl");
    await bench.command("Mangle: Open as Conversation");
    const conversation = bench.tab("session.piggyback.jsonl (conversation)");
    await (await bench.see(conversation, "the conversation")).click();
    await bench.command("View: Maximize Editor Group");
    await bench.command("Explorer: Focus on Turns View");
    const turn = bench.locator('.monaco-list-row[aria-label*="denied"]').first();
    await (await bench.see(turn, "a denied turn")).click();
    await bench.see(bench.line(/turn\s2\s/), "the turn");
    await bench.command("Notifications: Clear All Notifications");
    await bench.leave();
    await camera.picture([bench.locator(".part.sidebar"), bench.locator(".part.editor")]);
  },
};
