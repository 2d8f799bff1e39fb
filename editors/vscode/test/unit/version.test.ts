// Which servers are taken, by what they say of themselves.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readVersion } from "../../src/server/version.ts";

test("the version, and what may stand behind it", () => {
  const good = (version: string): object => ({ kind: "good", version });
  assert.deepEqual(readVersion("mangle-ls 0.1.0\n"), good("0.1.0"));
  assert.deepEqual(readVersion("mangle-ls 1.2.3 (abc1234, grammar ABI 14)\nmore", "0.9.9"), good("1.2.3"));
  assert.deepEqual(readVersion("mangle-ls 0.10.0", "0.9.0"), good("0.10.0"));
  assert.deepEqual(readVersion("mangle-ls 0.2.0-rc.1", "0.2.0"), good("0.2.0-rc.1"));
});

test("what is too old", () => {
  assert.deepEqual(readVersion("mangle-ls 0.0.9"), { kind: "old", version: "0.0.9" });
  assert.deepEqual(readVersion("mangle-ls 1.9.10", "1.10.0"), { kind: "old", version: "1.9.10" });
});

test("what is no mangle-ls", () => {
  assert.deepEqual(readVersion("git version 2.39.5\n"), { kind: "foreign", said: "git version 2.39.5" });
  assert.deepEqual(readVersion(""), { kind: "foreign", said: "" });
});
