// The life of a server: one at a time, and what is said of it is true.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { BREATH, type Fate, Life, type Program } from "../../src/server/life.ts";
import { LIMITS } from "../../src/server/pulse.ts";
import { MOST } from "../../src/server/restarts.ts";

/** A program that does what it is told, and is slow to end. */
class Started implements Program {
  readonly fate: Fate;
  isEnded = false;
  private answer: ((error?: Error) => void) | undefined;

  constructor(fate: Fate) {
    this.fate = fate;
  }

  ask(): Promise<unknown> {
    return new Promise<void>((done, fail) => (this.answer = (error) => (error === undefined ? done() : fail(error))));
  }

  async end(): Promise<void> {
    await new Promise((done) => setImmediate(done));
    this.isEnded = true;
  }

  hello(name = "mangle-ls"): void {
    this.fate.opened({ name, version: "0.1.0" });
  }

  /** As a client does it: first what waits for an answer is told that there is none. */
  die(): void {
    this.answer?.(new Error("the connection is closed"));
    this.fate.closed();
  }
}

interface Lived {
  life: Life<Started>;
  started: Started[];
  /** All that was told, and at the end how many programs are left. */
  story: () => string[];
  /** Time goes by, and what is due gets done. */
  wait: (time?: number) => Promise<void>;
}

function lived(t: TestContext): Lived {
  t.mock.timers.enable({ apis: ["Date", "setInterval", "setTimeout"] });
  const [started, told]: [Started[], string[]] = [[], []];
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const life = new Life<Started>({
    find: () => ({ path: "/bin/mangle-ls", source: "PATH" }),
    open: (_, fate) => {
      assert.deepEqual(started.filter(({ isEnded }) => !isEnded), [], "there is one already");
      const program = new Started(fate);
      started.push(program);
      return program;
    },
    tell: ({ kind }) => told.push(kind),
    say: (_, severity) => told.push(`(${severity})`),
    log: silent,
  });
  const wait = async (time = 0): Promise<void> => {
    await settled();
    t.mock.timers.tick(time);
    await settled();
  };
  return { life, started, story: () => [...told, `${started.filter(({ isEnded }) => !isEnded).length} left`], wait };
}

/** Whatever can be done without time going by is done. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise((done) => setImmediate(done));
}

test("who asks twice for a start gets one server", async (t) => {
  const { life, started, story } = lived(t);
  void life.restart();
  await life.restart();
  started.at(-1)?.hello();
  assert.deepEqual(story(), ["starting", "starting", "running", "1 left"]);
});

test("one that was given up while it started has nothing more to say", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  await life.stop();
  started[0]?.hello();
  started[0]?.fate.refused("it was ended");
  await wait(LIMITS.answer);
  assert.deepEqual(story(), ["starting", "stopped", "0 left"]);
});

test("one that dies is started again, until that is no use", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  for (let deaths = 0; deaths <= MOST; deaths++) {
    started.at(-1)?.hello();
    started.at(-1)?.die();
    await wait(BREATH);
  }
  const once = ["starting", "running", "restarting"];
  assert.deepEqual(story(), [...Array(MOST).fill(once).flat(), "starting", "running", "failed", "(error)", "0 left"]);
});

test("one that dies while it is silent does not answer by that", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  started[0]?.hello();
  life.look();
  await wait(LIMITS.answer);
  started[0]?.die();
  await wait();
  assert.deepEqual(story(), ["starting", "running", "stuck", "(warning)", "restarting", "1 left"]);
});

test("one that hangs is ended, and what becomes of it then is no second failure", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  started[0]?.hello();
  life.look();
  await wait(LIMITS.answer);
  await wait(LIMITS.answer);
  started[0]?.die();
  await wait(BREATH);
  assert.equal(life.health.kind, "starting");
  started[1]?.hello();
  assert.deepEqual(story(), ["starting", "running", "stuck", "(warning)", "restarting", "starting", "running", "1 left"]);
});

test("who stops one that is being started again keeps it stopped", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  started[0]?.hello();
  const stopping = life.stop();
  started[0]?.die();
  await stopping;
  await wait(BREATH);
  assert.deepEqual(story().slice(-2), ["stopped", "0 left"]);
});

test("another program is ended, and only that", async (t) => {
  const { life, started, story, wait } = lived(t);
  await life.restart();
  const next = life.restart();
  started[0]?.hello("gopls");
  await next;
  await wait();
  started[1]?.hello();
  assert.deepEqual(story(), ["starting", "failed", "(error)", "starting", "running", "1 left"]);
});
