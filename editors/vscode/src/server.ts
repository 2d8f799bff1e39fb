// The connection to the server: find it, start it, stop it, and say plainly when that fails.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import { type Found, locate } from "./locate.ts";

export class Server {
  private client: LanguageClient | undefined;
  private pending: Promise<void> = Promise.resolve();
  private readonly extension: vscode.Uri;
  private readonly log: vscode.LogOutputChannel;

  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel) {
    this.extension = extension;
    this.log = log;
  }

  /** Starts the server, a running one is stopped first. Calls queue up, so that two never run at once. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.halt();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.halt());
  }

  private enqueue(task: () => Promise<void>): Promise<void> {
    this.pending = this.pending.then(task).catch((error: unknown) => this.fail(`The server failed: ${text(error)}`));
    return this.pending;
  }

  private async launch(): Promise<void> {
    const found = locate({
      setting: vscode.workspace.getConfiguration("mangle").get("server.path", "").trim(),
      searchPath: process.env["PATH"] ?? "",
      extension: this.extension.fsPath,
    });
    if ("problem" in found) return this.fail(found.problem);
    const version = await this.version(found);
    if (version === undefined) return;
    this.log.info(`Starting ${version}: ${found.path} (${origin(found)})`);
    this.client = new LanguageClient(
      "mangle",
      "Mangle",
      { command: found.path, args: ["serve"] },
      {
        documentSelector: ["file", "untitled"].map((scheme) => ({ scheme, language: "mangle" })),
        outputChannel: this.log,
      },
    );
    await this.client.start();
  }

  /** What the program says of itself; a program that cannot even say that is not started. */
  private async version(found: Found): Promise<string | undefined> {
    try {
      const { stdout } = await promisify(execFile)(found.path, ["--version"], { timeout: 10_000 });
      return stdout.trim();
    } catch (error) {
      this.fail(`${found.path} (${origin(found)}) does not run: ${text(error)}`);
      return undefined;
    }
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that failed to start, or whose server died, has nothing to stop.
    if (client?.needsStop() === true) await client.stop(5_000);
    await client?.dispose();
  }

  /** Not awaited: the message stays until the user has dealt with it. */
  private fail(problem: string): void {
    this.log.error(problem);
    const advice = "Set mangle.server.path to a mangle-ls program, or install one on PATH; highlighting works without.";
    const settings = "Open Setting";
    const logs = "Show Logs";
    void vscode.window.showErrorMessage(`${problem} ${advice}`, settings, logs).then((choice) => {
      if (choice === settings) void vscode.commands.executeCommand("workbench.action.openSettings", "mangle.server.path");
      if (choice === logs) this.log.show();
    });
  }
}

function origin(found: Found): string {
  return { setting: "from the setting mangle.server.path", PATH: "found on PATH", bundled: "bundled with the extension" }[found.source];
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
