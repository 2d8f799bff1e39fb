// Prompts by what they are asked for with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { address, nameOf } from "../../src/documents/prompt_of.ts";

const uri = "file:///w/fix%20auth.kernel.mg";

test("what stands in an address is no part of its syntax", () => {
  assert.equal(address({ uri, name: "a/b?c&d=e" }), "mangle-preview:/a%2Fb%3Fc%26d%3De?of=file%3A%2F%2F%2Fw%2Ffix%2520auth.kernel.mg");
});

test("a prompt without a name is that of its shard", () => {
  const of = { uri, shard: ["coder-7", "coder"] as [string, string], mode: "jit", part: "turn" };
  assert.equal(nameOf(of), "coder-7, turn");
  assert.match(address(of), /^mangle-preview:\/\?shard=coder-7%20coder&mode=jit&part=turn&of=/);
});
