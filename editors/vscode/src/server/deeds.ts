// Commands of lenses and actions that an editor does better than the server, which has messages alone.

import * as vscode from "vscode";
import type { ExecuteCommandMiddleware, LanguageClient } from "vscode-languageclient/node";

/** What is done with the argument of a command. */
export type Deed = (argument: object, client: LanguageClient) => Promise<unknown>;

/** Takes over the commands that have a deed; the server does the others. */
export function commands(running: () => LanguageClient | undefined, deeds: Record<string, Deed>): ExecuteCommandMiddleware {
  return {
    executeCommand: async (command, args, next) => {
      const [argument] = args as unknown[];
      if (command === "mangle.copyQuery" && typeof argument === "string") {
        await vscode.env.clipboard.writeText(argument);
        vscode.window.setStatusBarMessage("Mangle: command line copied", 5000);
        return undefined;
      }
      const [deed, client] = [deeds[command], running()];
      if (deed === undefined || client === undefined || typeof argument !== "object" || argument === null) return next(command, args);
      await deed(argument, client);
      return undefined;
    },
  };
}

/** Puts the message that asks a model for a reply again into the clipboard. */
export async function copyRepair(argument: object, client: LanguageClient): Promise<void> {
  const { message } = await client.sendRequest<{ message: string | null }>("mangle/repair", argument);
  if (message !== null) await vscode.env.clipboard.writeText(message);
  const said = message === null ? "no invalid replies" : "retry prompt copied";
  vscode.window.setStatusBarMessage(`Mangle: ${said}`, 5000);
}
