// What a client reports about its server, and the options by which it does.

import { CloseAction, ErrorAction, type LanguageClientOptions, type Middleware } from "vscode-languageclient";

/** What is called at each request to a server and at its end. */
export interface Listener {
  /** A request goes to the server. */
  asked(): void;
  /** The server is gone. */
  closed(): void;
}

/** The options of each client: a listener is called, and the client starts nothing by itself. */
export function listening(middleware: Middleware, listener: Listener): Pick<LanguageClientOptions, "middleware" | "initializationFailedHandler" | "errorHandler"> {
  return {
    middleware: {
      ...middleware,
      sendRequest: (type, param, token, next) => {
        listener.asked();
        return next(type, param, token);
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
