// The item in the status bar: how the server is, which version, which configuration. A click opens what one can do about it.

import * as vscode from "vscode";
import { isOurs } from "../documents/ours.ts";
import type { Server } from "../server/server.ts";
import { type Shown, type Status, shown } from "./details.ts";

/** Milliseconds after an edit or a change of editors until the server is asked how it is. */
const DELAY = 300;

interface Choice extends vscode.QuickPickItem {
  command?: string;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("mangle.status", vscode.StatusBarAlignment.Right, 90);
  private readonly server: Server;
  private readonly registrations: vscode.Disposable[];
  private status: Status | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    this.server = server;
    this.item.name = "Mangle";
    this.item.command = "mangle.showStatus";
    this.registrations = [
      server.onDidChangeHealth(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      // Another configuration, another set of files.
      vscode.workspace.onDidSaveTextDocument(() => this.later()),
      vscode.workspace.onDidOpenTextDocument(() => this.later()),
    ];
    this.refresh();
  }

  private refresh(): void {
    if (this.server.running === undefined) this.status = undefined;
    else this.later();
    this.paint();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask().then(() => this.paint()), DELAY);
  }

  private async ask(): Promise<void> {
    try {
      this.status = await this.server.running?.sendRequest<Status>("mangle/status");
    } catch {
      // Between two lives of the server: it is asked again when it is there.
    }
  }

  private now(): Shown {
    const path = vscode.window.activeTextEditor?.document.uri.fsPath;
    return shown(this.server.health, this.status, path, (path) => vscode.workspace.asRelativePath(path));
  }

  private paint(): void {
    const { text, severity, spoken, details } = this.now();
    this.item.text = text;
    this.item.accessibilityInformation = { label: spoken };
    const tooltip = new vscode.MarkdownString();
    for (const line of details) tooltip.appendText(line).appendMarkdown("\n\n");
    this.item.tooltip = tooltip;
    this.item.backgroundColor = severity === "ordinary" ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    const document = vscode.window.activeTextEditor?.document;
    // What is wrong is to be seen wherever one is. Beside a panel the item stays as it was.
    if (severity === "error" || (document !== undefined && isOurs(document))) this.item.show();
    else if (document !== undefined) this.item.hide();
  }

  /** The details, and what one can do. */
  async show(): Promise<void> {
    await this.ask();
    const { details } = this.now();
    const runs = this.server.running !== undefined;
    const separator = { label: "", kind: vscode.QuickPickItemKind.Separator };
    const choices: Choice[] = [
      ...details.map((label) => ({ label })),
      separator,
      { label: "$(debug-restart) Restart Server", command: "mangle.restart" },
      runs ? { label: "$(debug-stop) Stop Server", command: "mangle.stop" } : { label: "$(play) Start Server", command: "mangle.start" },
      { label: "$(output) Show Logs", command: "mangle.showLogs" },
      { label: "$(gear) Open Settings", command: "mangle.openSettings" },
    ];
    const choice = await vscode.window.showQuickPick(choices, { title: "Mangle", placeHolder: "Select an action for the server" });
    if (choice?.command !== undefined) await vscode.commands.executeCommand(choice.command);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const registration of this.registrations) registration.dispose();
    this.item.dispose();
  }
}
