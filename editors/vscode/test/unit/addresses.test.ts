import assert from "node:assert/strict";
import { test } from "node:test";
import { mapped, translated } from "../../src/browser/addresses.ts";

const FOLDERS = mapped([
  { uri: "vscode-vfs://github/o/r", name: "r" },
  { uri: "memfs:/a%20b/", name: "r" },
]);

test("folders have different places", () => {
  assert.deepEqual(FOLDERS.map(({ inside }) => inside), ["file:///workspace/r", "file:///workspace/r-1"]);
  assert.equal(FOLDERS[1]?.outside, "memfs:/a%20b");
});

test("addresses go in and come out as they were, also as keys and within others", () => {
  const message = { params: { uri: "vscode-vfs://github/o/r/x.mg", of: ["mangle-state:memfs:/a%20b/t.jsonl?turn=2"], changes: { "memfs:/a%20b/c.mg": [] } } };
  const inside = translated(message, FOLDERS, "in");
  assert.deepEqual(inside, { params: { uri: "file:///workspace/r/x.mg", of: ["mangle-state:file:///workspace/r-1/t.jsonl?turn=2"], changes: { "file:///workspace/r-1/c.mg": [] } } });
  assert.deepEqual(translated(inside, FOLDERS, "out"), message);
});

test("texts stay as they are", () => {
  const change = { contentChanges: [{ text: "# vscode-vfs://github/o/r" }], newText: "memfs:/a%20b" };
  assert.deepEqual(translated(change, FOLDERS, "in"), change);
});
