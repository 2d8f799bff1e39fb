// Whether a server that stops answering is noticed.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { LIMITS, type Noticed, Pulse } from "../../src/server/pulse.ts";

/** A server that answers when it is told to, and what is noticed of it. */
function watched(t: TestContext): { pulse: Pulse; noticed: Noticed[]; asked: () => number; answer: () => Promise<void>; wait: (time: number) => void } {
  t.mock.timers.enable({ apis: ["Date", "setInterval", "setTimeout"] });
  const answers: (() => void)[] = [];
  const noticed: Noticed[] = [];
  const pulse = new Pulse(() => new Promise<void>((done) => answers.push(done)), (what) => noticed.push(what));
  t.after(() => pulse.dispose());
  const answer = async (): Promise<void> => {
    answers.at(-1)?.();
    await new Promise((done) => setImmediate(done));
  };
  return { pulse, noticed, asked: () => answers.length, answer, wait: (time) => t.mock.timers.tick(time) };
}

test("one that answers is left in peace", async (t) => {
  const { pulse, noticed, asked, answer, wait } = watched(t);
  for (let looks = 0; looks < 3; looks++) pulse.look();
  assert.equal(asked(), 1);
  await answer();
  for (let looks = 0; looks < 3; looks++) pulse.look();
  assert.equal(asked(), 1);
  wait(LIMITS.pause);
  assert.equal(asked(), 2);
  await answer();
  wait(LIMITS.answer);
  assert.deepEqual(noticed, []);
});

test("one that is silent is noticed, then given up", (t) => {
  const { pulse, noticed, wait } = watched(t);
  pulse.look();
  wait(LIMITS.answer - 1);
  assert.deepEqual(noticed, []);
  wait(1);
  assert.deepEqual(noticed, ["silent"]);
  wait(LIMITS.answer);
  assert.deepEqual(noticed, ["silent", "lost"]);
});

test("who was held up himself does not give it up at once", async (t) => {
  const { pulse, noticed, answer, wait } = watched(t);
  pulse.look();
  wait(3 * LIMITS.answer);
  assert.deepEqual(noticed, ["silent"]);
  await answer();
  wait(LIMITS.answer);
  assert.deepEqual(noticed, ["silent", "answers"]);
});

test("one that was only slow answers again", async (t) => {
  const { pulse, noticed, answer, wait } = watched(t);
  pulse.look();
  wait(LIMITS.answer);
  await answer();
  wait(LIMITS.answer);
  assert.deepEqual(noticed, ["silent", "answers"]);
});

test("one that nobody needs is asked now and then, until it is stopped", (t) => {
  const { pulse, noticed, asked, wait } = watched(t);
  wait(LIMITS.idle);
  assert.equal(asked(), 1);
  pulse.dispose();
  wait(LIMITS.idle);
  assert.deepEqual([asked(), noticed], [1, []]);
});
