// Entry point: three commands, one setting, one server.

import * as vscode from "vscode";
import { Channels } from "./channels.ts";
import { Previews } from "./previews.ts";
import { Answers } from "./query.ts";
import { Server } from "./server.ts";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Mangle", { log: true });
  const answers = new Answers();
  const channels = new Channels();
  const previews = new Previews();
  const running = new Server(context.extensionUri, log, answers, channels, previews);
  server = running;
  context.subscriptions.push(
    log,
    answers,
    channels,
    previews,
    vscode.commands.registerCommand("mangle.showChannels", () => channels.show()),
    vscode.commands.registerCommand("mangle.restart", () => running.restart()),
    vscode.commands.registerCommand("mangle.showLogs", () => log.show()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("mangle.server.path")) void running.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.restart()),
  );
  void running.restart(); // not awaited: a server that hangs must not hang the extension
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
