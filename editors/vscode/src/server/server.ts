// The connection to the server: find it, start it, stop it, and say plainly when that fails.

import * as vscode from "vscode";
import { type LanguageClient, type Middleware, State } from "vscode-languageclient/node";
import { makeClient } from "./client.ts";
import type { Health } from "./health.ts";
import { type Found, locate } from "./locate.ts";
import { LIMITS, type Noticed, Pulse } from "./pulse.ts";
import { MOST, Restarts } from "./restarts.ts";
import { say } from "./say.ts";
import * as trouble from "./trouble.ts";
import { type Trouble, named } from "./trouble.ts";
import { refusal, unfit } from "./unfit.ts";

/** Milliseconds until a server that says nothing at its start is reported. */
const PATIENCE = LIMITS.answer;
/** Milliseconds between the end of a server and the next try; the editor notices what else is gone. */
const BREATH = 300;

/** What wants to know each new client, before that is started. */
export interface Served {
  serve(client: LanguageClient): void;
}

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private pulse: Pulse | undefined;
  private pending: Promise<void> = Promise.resolve();
  private state: Health = { kind: "stopped" };
  private restarts = new Restarts();
  private readonly changed = new vscode.EventEmitter<Health>();
  private readonly context: vscode.ExtensionContext;
  private readonly log: vscode.LogOutputChannel;
  private readonly served: Served[];
  private readonly middleware: Middleware;
  readonly onDidChangeHealth = this.changed.event;

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, served: Served[], middleware: Middleware) {
    this.context = context;
    this.log = log;
    this.served = served;
    this.middleware = middleware;
  }

  get health(): Health {
    return this.state;
  }

  /** The client of a server that answers. */
  get running(): LanguageClient | undefined {
    return this.client?.isRunning() === true ? this.client : undefined;
  }

  /** Starts the server, a running one is stopped first. Calls queue up, so that two never run at once. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      this.restarts = new Restarts();
      await this.halt();
      this.launch();
    });
  }

  /** Starts the server unless it runs. */
  start(): Promise<void> {
    return this.running === undefined ? this.restart() : Promise.resolve();
  }

  /** Stops the server, until somebody asks for it again. */
  stop(): Promise<void> {
    return this.enqueue(async () => {
      await this.halt();
      this.become({ kind: "stopped" });
    });
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    this.pending = this.pending.then(task).catch((error: unknown) => this.log.error(`The server failed: ${text(error)}`));
    return this.pending;
  }

  private become(health: Health): void {
    this.state = health;
    this.changed.fire(health);
  }

  private launch(): void {
    const found = locate({
      setting: vscode.workspace.getConfiguration("mangle").get("server.path", "").trim(),
      searchPath: process.env["PATH"] ?? "",
      extension: this.context.extensionUri.fsPath,
    });
    if ("problem" in found) return this.fail(trouble.missing(found.problem));
    this.become({ kind: "starting", found });
    this.log.info(`Starting mangle-ls: ${named(found)}`);
    this.open(found);
  }

  /** Not awaited by anybody: a server that hangs must not hold up the next restart. */
  private open(found: Found): void {
    let isServed = false;
    const isWanted = (): boolean => this.client === client;
    const client: LanguageClient = makeClient(found.path, this.log, this.middleware, {
      asked: () => this.pulse?.look(),
      closed: () => isWanted() && isServed && this.again(found, "ended unasked"),
    });
    this.client = client;
    for (const one of this.served) one.serve(client);
    const late = setTimeout(() => isWanted() && this.fail(trouble.silent(found, PATIENCE / 1000)), PATIENCE);
    client.onDidChangeState(({ newState }) => {
      if (newState !== State.Running || !isWanted()) return;
      clearTimeout(late);
      isServed = true;
      this.opened(client, found);
    });
    client.start().catch((error: unknown) => {
      clearTimeout(late);
      if (!isServed) void refusal(found, text(error)).then((why) => isWanted() && this.fail(why));
    });
  }

  /** It has said hello, and what it is: to ask a program for its version first would cost time at each start. */
  private opened(client: LanguageClient, found: Found): void {
    const wrong = unfit(found, client.initializeResult?.serverInfo);
    if (wrong !== undefined) {
      this.fail(wrong);
      void this.enqueue(() => this.halt());
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? "";
    this.log.info(`mangle-ls ${version} runs.`);
    this.become({ kind: "running", found, version });
    this.pulse = new Pulse(() => client.sendRequest("mangle/status"), (noticed) => this.noticed(noticed, found, version));
  }

  /** It stopped answering at work, or was only slow. */
  private noticed(noticed: Noticed, found: Found, version: string): void {
    if (noticed === "answers") this.become({ kind: "running", found, version });
    else if (noticed === "lost") this.again(found, "does not answer");
    else {
      const stuck = trouble.stuck(found, LIMITS.answer / 1000);
      this.become({ kind: "stuck", found, version, trouble: stuck });
      this.log.warn(stuck.problem);
      say(stuck, "warning");
    }
  }

  /** Starts another server for one that died or hangs at work, but not for ever. */
  private again(found: Found, how: string): void {
    const isWorthwhile = this.restarts.isWorthwhile(Date.now());
    const count = this.restarts.count;
    if (isWorthwhile) {
      this.log.warn(`${named(found)} ${how} and is started again (${count} of ${MOST}).`);
      this.become({ kind: "restarting", found, failures: count });
    } else this.fail(trouble.failing(found, count));
    const gone = this.client;
    void this.enqueue(async () => {
      await new Promise((done) => setTimeout(done, BREATH));
      // Somebody was faster: they have stopped it, or started one.
      if (this.client !== gone) return;
      await this.halt();
      if (isWorthwhile) this.launch();
    });
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.pulse?.dispose();
    this.pulse = undefined;
    const process = client?.serverProcess;
    await client?.stop().catch((error: unknown) => {
      this.log.warn(`The server does not stop, it is ended: ${text(error)}`);
      process?.kill("SIGKILL");
    });
  }

  private fail(what: Trouble): void {
    this.become({ kind: "failed", trouble: what });
    this.log.error(what.problem);
    say(what, "error");
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
