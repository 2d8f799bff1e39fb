// The client of the protocol for one program. What it has to say goes to the log: of a server that is gone it would show a message, with a
// trace of its own inside, for each thing that it could not send.

import type * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type LanguageClientOptions, type MessageTransports, type Middleware } from "vscode-languageclient/node";
import { reasonOf } from "../reason.ts";
import type { Program } from "./life.ts";
import { SELECTOR } from "./selector.ts";

/** Whoever wants to know what becomes of a client. */
export interface Listener {
  /** Something is asked of the server. */
  asked(): void;
  /** The server is gone. */
  closed(): void;
}

export class Client extends LanguageClient implements Program {
  private readonly log: vscode.LogOutputChannel;
  private hasProcess: () => void = () => undefined;
  private readonly process = new Promise<void>((done) => (this.hasProcess = done));

  /** A client that is not started yet. */
  constructor(program: string, log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener) {
    super("mangle", "Mangle", { command: program, args: ["serve"] }, options(log, middleware, listener, () => this.isRunning()));
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
  return {
    documentSelector: SELECTOR,
    synchronize: { configurationSection: "mangle" },
    outputChannel: log,
    middleware: {
      ...middleware,
      sendRequest: (type, param, token, next) => {
        listener.asked();
        return next(type, param, token);
      },
      workspace: {
        // A change of settings can be why this server is on its way out; the next one starts with them.
        didChangeConfiguration: (sections, next) =>
          next(sections).catch((error: unknown) => {
            if (isRunning()) throw error;
          }),
      },
    },
    // A failed start is said once, and not tried again by itself.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        listener.closed();
        // The next one is another client: one whose server dies while it starts anew does not recover.
        return { action: CloseAction.DoNotRestart, handled: true, message: "The connection to the server is closed." };
      },
    },
  };
}
