// The life of the server: started when somebody asks for it, watched at work, started again when it dies or hangs, but not for ever.
// Knows nothing of VS Code, so that it can be tested alone.

import type { Health } from "./health.ts";
import type { Found, Missing } from "./locate.ts";
import { LIMITS, type Noticed, Pulse } from "./pulse.ts";
import { MOST, Restarts } from "./restarts.ts";
import { reasonOf } from "../reason.ts";
import * as trouble from "./trouble.ts";
import { type Trouble, named } from "./trouble.ts";
import { type Introduction, refusal, unfit } from "./unfit.ts";

/** Milliseconds until a server that says nothing at its start is reported. */
const PATIENCE = LIMITS.answer;
/** Milliseconds between the end of a server and the next try: its client notices meanwhile what else is gone. */
export const BREATH = 300;

/** A program that was started as a server. */
export interface Program {
  /** Asks for something that a server can say at any time. */
  ask(): Promise<unknown>;
  /** Ends it, whatever it does. */
  end(): Promise<void>;
}

/** Who is told what becomes of a program. */
export interface Fate {
  /** It has said hello, and what it is. */
  opened(introduction: Introduction | undefined): void;
  /** It did not come to say hello. */
  refused(why: string): void;
  /** It is gone. */
  closed(): void;
}

/** What a life takes place in. */
export interface World<P extends Program> {
  find(): Found | Missing;
  open(found: Found, fate: Fate): P;
  /** Tells how the server is by now. */
  tell(health: Health): void;
  say(what: Trouble, severity: "warning" | "error"): void;
  log: { info(message: string): void; warn(message: string): void; error(message: string): void };
}

export class Life<P extends Program> {
  private current: P | undefined;
  /** Given up, and still to be ended. */
  private leaving: P[] = [];
  private pulse: Pulse | undefined;
  private pending: Promise<void> = Promise.resolve();
  private state: Health = { kind: "stopped" };
  private restarts = new Restarts();
  private readonly world: World<P>;

  constructor(world: World<P>) {
    this.world = world;
  }

  get health(): Health {
    return this.state;
  }

  /** The program that was started last, unless it was given up. */
  get program(): P | undefined {
    return this.current;
  }

  /** Starts the server, a running one is stopped first. Calls queue up, so that two never run at once. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      this.restarts = new Restarts();
      await this.halt();
      this.launch();
    });
  }

  /** Stops the server, until somebody asks for it again. */
  stop(): Promise<void> {
    return this.enqueue(async () => {
      await this.halt();
      this.become({ kind: "stopped" });
    });
  }

  /** Something is asked of the server: a good time to see whether it answers. */
  look(): void {
    this.pulse?.look();
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    this.pending = this.pending.then(task).catch((error: unknown) => this.world.log.error(`The server failed: ${reasonOf(error)}`));
    return this.pending;
  }

  private become(health: Health): void {
    this.state = health;
    this.world.tell(health);
  }

  private launch(): void {
    const found = this.world.find();
    if ("problem" in found) return this.fail(trouble.missing(found.problem));
    this.become({ kind: "starting", found });
    this.world.log.info(`Starting mangle-ls: ${named(found)}`);
    this.open(found);
  }

  /** Not awaited by anybody: a server that hangs must not hold up the next restart. */
  private open(found: Found): void {
    let isServed = false;
    const isWanted = (): boolean => this.current === program;
    const late = setTimeout(() => isWanted() && this.fail(trouble.silent(found, PATIENCE / 1000)), PATIENCE);
    const program = this.world.open(found, {
      opened: (introduction) => {
        clearTimeout(late);
        if (!isWanted()) return;
        isServed = true;
        this.opened(program, found, introduction);
      },
      refused: (why) => {
        clearTimeout(late);
        if (!isServed) void refusal(found, why).then((what) => isWanted() && this.fail(what));
      },
      closed: () => isWanted() && isServed && this.again(found, "ended unexpectedly"),
    });
    this.current = program;
  }

  /** It has said hello, and what it is: to ask a program for its version first would cost time at each start. */
  private opened(program: P, found: Found, introduction: Introduction | undefined): void {
    const wrong = unfit(found, introduction);
    if (wrong !== undefined) {
      this.giveUp();
      this.fail(wrong);
      void this.enqueue(() => this.end());
      return;
    }
    const version = introduction?.version ?? "";
    this.world.log.info(`mangle-ls ${version} is running.`);
    this.become({ kind: "running", found, version });
    this.pulse = new Pulse(() => program.ask(), (noticed) => this.noticed(noticed, found, version));
  }

  /** It stopped answering at work, or was only slow. */
  private noticed(noticed: Noticed, found: Found, version: string): void {
    if (noticed === "answers") this.become({ kind: "running", found, version });
    else if (noticed === "lost") this.again(found, "does not answer");
    else {
      const stuck = trouble.stuck(found, LIMITS.answer / 1000);
      this.become({ kind: "stuck", found, version, trouble: stuck });
      this.world.log.warn(stuck.problem);
      this.world.say(stuck, "warning");
    }
  }

  /** Starts another server for one that died or hangs at work, but not for ever. */
  private again(found: Found, how: string): void {
    this.giveUp();
    const isWorthwhile = this.restarts.isWorthwhile(Date.now());
    const count = this.restarts.count;
    if (isWorthwhile) {
      this.world.log.warn(`${named(found)} ${how} and is restarted (${count} of ${MOST}).`);
      this.become({ kind: "restarting", found, failures: count });
    } else this.fail(trouble.failing(found, count));
    void this.enqueue(async () => {
      await new Promise((done) => setTimeout(done, BREATH));
      await this.end();
      // Unless somebody was faster: they have stopped it, or started one.
      if (this.state.kind === "restarting") this.launch();
    });
  }

  private halt(): Promise<void> {
    this.giveUp();
    return this.end();
  }

  /** From now on nothing that becomes of the program counts. */
  private giveUp(): void {
    if (this.current !== undefined) this.leaving.push(this.current);
    this.current = undefined;
    this.pulse?.dispose();
    this.pulse = undefined;
  }

  /** Ends what was given up. */
  private async end(): Promise<void> {
    for (let gone = this.leaving.shift(); gone !== undefined; gone = this.leaving.shift()) await gone.end();
  }

  private fail(what: Trouble): void {
    this.become({ kind: "failed", trouble: what });
    this.world.log.error(what.problem);
    this.world.say(what, "error");
  }
}
