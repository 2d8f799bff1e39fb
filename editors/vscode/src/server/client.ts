// The client of the protocol for one program. What it has to say goes to the log: of a server that is gone it would show a message, with a
// trace of its own inside, for each thing that it could not send.

import type * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, type Middleware } from "vscode-languageclient/node";
import { SELECTOR } from "./selector.ts";

class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Whoever wants to know what becomes of a client. */
export interface Listener {
  /** Something is asked of the server. */
  asked(): void;
  /** The server is gone. */
  closed(): void;
}

/** A client that is not started yet. */
export function makeClient(program: string, log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener): LanguageClient {
  const client: LanguageClient = new Client("mangle", "Mangle", { command: program, args: ["serve"] }, {
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
            if (client.isRunning()) throw error;
          }),
      },
    },
    // A failed start is said once, by the server, and not tried again by itself.
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        listener.closed();
        // The next one is another client: one whose server dies while it starts anew does not recover.
        return { action: CloseAction.DoNotRestart, handled: true, message: "The connection to the server is closed." };
      },
    },
  });
  return client;
}
