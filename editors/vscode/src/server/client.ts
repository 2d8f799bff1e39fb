// The client of the protocol for one program. What it has to say goes to the log: of a server that is gone it would show a message, with a
// trace of its own inside, for each thing that it could not send.

import type * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type MessageTransports, type Middleware } from "vscode-languageclient/node";
import { reasonOf } from "../reason.ts";
import type { Program } from "./life.ts";
import { type Listener, listening } from "./listener.ts";
import { SELECTOR } from "./selector.ts";

export class Client extends LanguageClient implements Program {
  private readonly log: vscode.LogOutputChannel;
  private hasProcess: () => void = () => undefined;
  private readonly process = new Promise<void>((done) => (this.hasProcess = done));

  /** A client that is not started yet. */
  constructor(program: string, log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener) {
    super("mangle", "Mangle", { command: program, args: ["lsp"] }, options(log, middleware, listener, () => this.isRunning()));
    this.log = log;
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    try {
      return await super.createMessageTransports(encoding);
    } finally {
      this.hasProcess();
    }
  }

  ask(): Promise<unknown> {
    return this.sendRequest("mangle/status");
  }

  /** One that runs is asked to stop. One that does not do it, or is just starting, is ended with its process, once there is one. */
  async end(): Promise<void> {
    await this.process;
    const process = this.serverProcess;
    await this.stop().catch((error: unknown) => {
      this.log.warn(`The server does not stop and is killed: ${reasonOf(error)}`);
      process?.kill("SIGKILL");
    });
  }
}

function options(log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener, isRunning: () => boolean): LanguageClientOptions {
  const workspace: Middleware["workspace"] = {
    // A change of settings can be why this server is on its way out; the next one starts with them.
    didChangeConfiguration: (sections, next) =>
      next(sections).catch((error: unknown) => {
        if (isRunning()) throw error;
      }),
  };
  return {
    documentSelector: SELECTOR,
    synchronize: { configurationSection: "mangle" },
    outputChannel: log,
    ...listening({ ...middleware, workspace }, listener),
  };
}
