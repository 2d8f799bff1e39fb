// How often a server that dies is started again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST, Restarts, WITHIN } from "../../src/server/restarts.ts";

test("a few times, and no more", () => {
  const restarts = new Restarts();
  const tries = Array.from({ length: MOST + 2 }, (_, at) => restarts.isWorthwhile(at * 1000));
  assert.deepEqual(tries, [true, true, true, false, false]);
});

test("what was long ago is forgiven", () => {
  const restarts = new Restarts();
  for (let at = 0; at < MOST; at++) restarts.isWorthwhile(at);
  assert.equal(restarts.isWorthwhile(WITHIN + MOST), true);
  assert.equal(restarts.count, 1);
});
