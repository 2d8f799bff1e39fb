// The server as the rest of the extension knows it: a client of the protocol while it runs, and how it is. Which program, and when, is the
// business of its life; here are the settings and the messages of VS Code.

import * as vscode from "vscode";
import { type LanguageClient, type Middleware, State } from "vscode-languageclient/node";
import { reasonOf } from "../reason.ts";
import { Client } from "./client.ts";
import type { Health } from "./health.ts";
import { type Fate, Life } from "./life.ts";
import { type Found, locate } from "./locate.ts";
import { say } from "./say.ts";

/** What is said to a person who asks for something that only the server can do. */
export const NOT_RUNNING = "The Mangle server is not running. The item in the status bar shows the reason.";

/** What wants to know each new client, before that is started. */
export interface Served {
  serve(client: LanguageClient): void;
}

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Health>();
  private readonly log: vscode.LogOutputChannel;
  private readonly served: Served[];
  private readonly middleware: Middleware;
  private readonly life: Life<Client>;
  readonly onDidChangeHealth = this.changed.event;

  /** `extension` is the folder of the extension. */
  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel, served: Served[], middleware: Middleware) {
    this.log = log;
    this.served = served;
    this.middleware = middleware;
    this.life = new Life({
      find: () =>
        locate({
          setting: vscode.workspace.getConfiguration("mangle").get("server.path", "").trim(),
          searchPath: process.env["PATH"] ?? "",
          extension: extension.fsPath,
        }),
      open: (found, fate) => this.open(found, fate),
      tell: (health) => this.changed.fire(health),
      say,
      log,
    });
  }

  get health(): Health {
    return this.life.health;
  }

  /** The client of a server that answers. */
  get running(): LanguageClient | undefined {
    const client = this.life.program;
    return client?.isRunning() === true ? client : undefined;
  }

  /** Starts the server, a running one is stopped first. */
  restart(): Promise<void> {
    return this.life.restart();
  }

  /** Starts the server unless it runs. */
  start(): Promise<void> {
    return this.running === undefined ? this.restart() : Promise.resolve();
  }

  /** Stops the server, until somebody asks for it again. */
  stop(): Promise<void> {
    return this.life.stop();
  }

  private open(found: Found, fate: Fate): Client {
    const client = new Client(found.path, this.log, this.middleware, { asked: () => this.life.look(), closed: () => fate.closed() });
    for (const one of this.served) one.serve(client);
    client.onDidChangeState(({ newState }) => newState === State.Running && fate.opened(client.initializeResult?.serverInfo));
    client.start().catch((error: unknown) => fate.refused(reasonOf(error)));
    return client;
  }

  dispose(): void {
    this.changed.dispose();
  }
}
