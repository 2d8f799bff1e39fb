// Messages of a page: only what its panel offers gets through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readPromptOf } from "../../src/documents/prompt_of.ts";
import { readGraphOf } from "../../src/panels/graph_data.ts";
import { type Expected, incoming, placesIn } from "../../src/panels/incoming.ts";
import { readReportOf } from "../../src/panels/report_data.ts";

const uri = "file:///w/policy.mg";
const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 9 } };
const place = { uri, range };
const graph: Expected<{ uri: string }> = {
  of: { uri },
  read: readGraphOf,
  places: placesIn({ programs: [{ predicates: [{ id: "p/1", where: place }, { id: "q/1", where: null }] }] }),
};

test("what a page sends gets through", () => {
  const messages = [{ type: "ready" }, { type: "text" }, { type: "open", place }, { type: "want", of: { uri, of: "p", depth: 2, direction: "uses", recursive: true } }];
  for (const message of messages) assert.deepEqual(incoming(message, graph), message);
});

test("what has no known shape does not", () => {
  for (const message of [undefined, null, 7, "ready", [], {}, { type: "run" }, { type: ["ready"] }, { type: "open" }, { type: "want" }]) {
    assert.equal(incoming(message, graph), undefined, JSON.stringify(message));
  }
});

test("only places that the server named are opened", () => {
  const elsewhere = [
    { uri: "file:///etc/passwd", range },
    { uri: "command:workbench.action.terminal.new", range },
    { uri, range: { ...range, end: { line: 9, character: 9 } } },
    { uri, range: { start: range.start } },
    { uri, range: { start: { line: -1, character: 0 }, end: range.end } },
    { uri, range: { start: { line: "3", character: 0 }, end: range.end } },
    { uri: [uri], range },
    place.uri,
  ];
  for (const other of elsewhere) assert.equal(incoming({ type: "open", place: other }, graph), undefined, JSON.stringify(other));
});

test("a place is a copy without other fields", () => {
  const message = { type: "open", place: { ...place, options: { preview: false } } };
  assert.deepEqual(incoming(message, graph), { type: "open", place });
});

test("a page stays with the document of its panel", () => {
  assert.equal(incoming({ type: "want", of: { uri: "file:///w/other.mg" } }, graph), undefined);
});

test("requests for views have known fields only", () => {
  assert.deepEqual(readGraphOf({ uri, of: "p", command: "x" }), { uri, of: "p" });
  assert.deepEqual(readReportOf({ uri, format: "json" }), { uri });
  assert.deepEqual(readPromptOf({ uri, shard: ["coder-7", "coder"], provenance: true }), { uri, shard: ["coder-7", "coder"] });
  for (const strange of [{ of: "p" }, { uri, of: 7 }, { uri, depth: 1e9 }, { uri, depth: "1" }, { uri, direction: "up" }, { uri, recursive: "yes" }]) {
    assert.equal(readGraphOf(strange), undefined, JSON.stringify(strange));
  }
  for (const strange of [{ name: "a" }, { uri, name: 1 }, { uri, shard: ["a"] }, { uri, shard: ["a", 1] }, { uri, part: {} }, null]) {
    assert.equal(readPromptOf(strange), undefined, JSON.stringify(strange));
  }
});
