// Cases of policy tests, and what is said of those that fail.

import assert from "node:assert/strict";
import { test } from "node:test";
import { casesOf } from "../../src/testing/cases.ts";
import { messagesOf } from "../../src/testing/outcome.ts";

test("cases are the comments that open one", () => {
  const text = "p(1).\r\n# @test name: one \n#   @test   name:  two words\n# @expect p(1)\n# @test name:\n# @tests name: no\nq(\"# @test name: no\").\n";
  assert.deepEqual(casesOf(text), [
    { name: "one", line: 1 },
    { name: "two words", line: 2 },
  ]);
});

test("properties are listed with their names, else with their bodies", () => {
  const text =
    "# @never name: nothing odd\n#   odd(X)\n# @possible open(/a)\n#\n# @always\n#   p(X) then\n#     q(X)\n# @assume never r(X)\n# @never\n";
  assert.deepEqual(casesOf(text), [
    { name: "nothing odd", line: 0 },
    { name: "open(/a)", line: 2 },
    { name: "p(X) then q(X)", line: 4 },
  ]);
});

test("a failure is said at its line, with the proof", () => {
  const failure = { line: 8, expectation: "@forbid p(_)", message: "`p(_)` is forbidden, but holds.", explanation: "p(1)  by a.mg:3\n" };
  const report = { name: "one", line: 5, outcome: "failed" as const, message: null, failures: [failure] };
  assert.deepEqual(messagesOf(report), [{ line: 7, text: "`p(_)` is forbidden, but holds.\n\np(1)  by a.mg:3" }]);
});

test("a case that cannot be run is said where it opens", () => {
  const report = { name: "one", line: 5, outcome: "error" as const, message: "no such predicate", failures: [] };
  assert.deepEqual(messagesOf(report), [{ line: 4, text: "no such predicate" }]);
});
