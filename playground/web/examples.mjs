// The projects to pick in the playground, made of the folders of `examples`: one row each. The last column is what panels begin with.

export const EXAMPLES = [
  ["starter", "A first policy and its tests", { starter: "" }, "constitution.mg", "tests", {
    atom: "permitted(Action, Target, Payload)", queryOptions: "--facts coder.kernel.mg", line: "check --evaluate" }],
  ["habits", "Habits of other languages", { habits: "" }, "draft.mg", "findings", { line: "check --diff --unsafe" }],
  ["incident", "The incident: mistakes of every kind", { incident: "" }, "constitution.mg", "findings", { line: "check --diff" }],
  ["silent-errors", "Silent errors: what the engine accepts", { "silent-errors": "" }, "constitution.mg", "findings", {
    atom: "permitted(Action, Target, Payload)", line: "verify" }],
  ["guardian", "Guardian: a constitution", { guardian: "" }, "constitution.mg", "query", {
    atom: "safe_action(A)", line: "verify" }],
  ["jailbreak", "Jailbreak: verdicts of a session", { jailbreak: "jailbreak/", guardian: "guardian/", "silent-errors": "silent-errors/" }, "jailbreak/session.piggyback.jsonl", "verdicts", {
    transcript: "jailbreak/session.piggyback.jsonl", replayOptions: "--policy guardian --turn 2", sample: "jailbreak/guardian.kernel.mg" }],
  ["shift", "A shift: replies of which little is kept", { shift: "shift/", guardian: "guardian/" }, "shift/session.jsonl", "verdicts", {
    transcript: "shift/session.jsonl", replayOptions: "--policy guardian", line: "check shift --statistics" }],
  ["prompts", "Prompts of shards", { prompts: "" }, "fix-auth.kernel.mg", "prompt", {
    sample: "fix-auth.kernel.mg", previewOptions: "--provenance" }],
  ["missing-line", "A line is missing in a prompt", { "missing-line": "" }, "policy.mg", "prompt", {
    sample: "review.kernel.mg", previewOptions: "--why-not reviewer-1 'Migration 42'" }],
  ["transcripts", "Replies in many containers", { transcripts: "" }, "clean/chat.jsonl", "findings", { line: "show clean/chat.jsonl" }],
  ["decoding", "Grammars of replies", { decoding: "" }, "schemas.gl", "command", { line: "lark" }],
].map(([id, title, folders, open, panel, inputs]) => ({ id, title, folders, open, panel, inputs }));
