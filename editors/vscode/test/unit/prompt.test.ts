// A prompt as its panel shows it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Preview, joined } from "../../src/panels/prompt.ts";

const place = (line: number): { uri: string; range: { start: { line: number; character: number }; end: { line: number; character: number } } } => ({
  uri: "file:///w/policy.mg",
  range: { start: { line, character: 0 }, end: { line, character: 3 } },
});
const origin = (at: number, line: number): { range: ReturnType<typeof place>["range"]; location: ReturnType<typeof place> } => ({
  range: { start: { line: at, character: 0 }, end: { line: at, character: 1 } },
  location: place(line),
});

const preview: Preview = {
  name: "fix",
  shard: "coder-7",
  shard_type: "coder",
  mode: "legacy",
  sections: [
    { section: "base", title: "BASE", tokens: 3, lines: [{ text: "two\nlines", role: "text", origin: { kind: "fact", file: "w/policy.mg", line: 3 } }] },
    {
      section: "context",
      title: "",
      tokens: 4,
      lines: [
        { text: "", role: "layout", origin: { kind: "builtin", name: "layout" } },
        { text: "- mend", role: "text", origin: { kind: "derived", file: "w/policy.mg", line: 20, proof: ["p(1)  by policy.mg:20\n  q(1)\n"] } },
        { text: "x", role: "text", origin: { kind: "session", pointer: "/git_branch" } },
      ],
    },
  ],
  totals: { tokens: 7, tokenizer: "bytes4", available: 100 },
  diagnostics: [{ code: "PP004", rule: "below-threshold", severity: "information", message: "below", place: "policy.mg:16" }],
};

test("lines have their places, also behind those that are several", () => {
  const prompt = joined(preview, [origin(0, 2), origin(3, 19)]);
  const lines = prompt.sections.flatMap(({ lines }) => lines);
  assert.deepEqual(lines.map(({ place }) => place?.range.start.line ?? null), [2, null, 19, null]);
  assert.deepEqual(lines.map(({ from }) => from), ["fact policy.mg:3", "", "derived by policy.mg:20", "session /git_branch"]);
  assert.equal(lines[2]?.proof, "p(1)  by policy.mg:20\n  q(1)");
});

test("sections, and the whole in numbers", () => {
  const prompt = joined(preview, []);
  assert.deepEqual(prompt.sections.map(({ title, tokens }) => [title, tokens]), [["BASE", 3], ["context", 4]]);
  assert.equal(prompt.shard, "coder-7 (coder)");
  assert.deepEqual(prompt.notes, [{ severity: "information", text: "below", rule: "below-threshold", place: "policy.mg:16" }]);
});
