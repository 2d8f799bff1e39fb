// The connection to the server: find it, start it, stop it, and say plainly when that fails.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient } from "vscode-languageclient/node";
import { type Found, locate } from "./locate.ts";
import { type Answers, commands } from "./query.ts";
import type { Channels } from "./channels.ts";
import type { Previews } from "./previews.ts";

/** The languages that captured replies are kept in. */
const TRANSCRIPTS = ["json", "jsonc", "jsonl", "markdown", "plaintext", "log"];

/** Milliseconds until a server that says nothing is reported. */
const PATIENCE = 20_000;

export class Server {
  private client: LanguageClient | undefined;
  private pending: Promise<void> = Promise.resolve();
  private readonly extension: vscode.Uri;
  private readonly log: vscode.LogOutputChannel;
  private readonly answers: Answers;
  private readonly channels: Channels;
  private readonly previews: Previews;

  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel, answers: Answers, channels: Channels, previews: Previews) {
    this.extension = extension;
    this.log = log;
    this.answers = answers;
    this.channels = channels;
    this.previews = previews;
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
    const client: LanguageClient = new LanguageClient(
      "mangle",
      "Mangle",
      { command: found.path, args: ["serve"] },
      {
        documentSelector: [
          ...["file", "untitled"].map((scheme) => ({ scheme, language: "mangle" })),
          // Those that are transcripts get answers, nothing is said of the others.
          ...TRANSCRIPTS.map((language) => ({ scheme: "file", language })),
          // Whatever language the editor takes it for: its findings come while one types in it.
          { scheme: "file", pattern: "**/mangle-ls.toml" },
        ],
        synchronize: { configurationSection: "mangle" },
        outputChannel: this.log,
        middleware: commands(() => this.client, this.answers, this.previews),
        // A failed start is said once, below, and not tried again by itself.
        initializationFailedHandler: () => false,
        errorHandler: {
          error: (error, message, count) => (served ? usual.error(error, message, count) : { action: ErrorAction.Continue, handled: true }),
          closed: () => (served && this.client === client ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true }),
        },
      },
    );
    // Restarts a server that has died at work, but not for ever; one that we have ended stays so.
    let served = false;
    const usual = client.createDefaultErrorHandler();
    this.client = client;
    this.channels.serve(client);
    this.previews.serve(client);
    const silent = setTimeout(() => this.fail(`${found.path} was started, but does not answer.`), PATIENCE);
    // Not awaited: a server that hangs must not hold up the next restart.
    client.start().then(
      () => {
        clearTimeout(silent);
        served = true;
      },
      (error: unknown) => {
        clearTimeout(silent);
        if (this.client === client) this.fail(`${found.path} (${origin(found)}) does not start: ${text(error)}`);
      },
    );
  }

  /** What the program says of itself; a program that cannot even say that is not started. */
  private async version(found: Found): Promise<string | undefined> {
    try {
      const { stdout } = await promisify(execFile)(found.path, ["--version"], { timeout: PATIENCE });
      return stdout.trim();
    } catch (error) {
      this.fail(`${found.path} (${origin(found)}) does not run: ${text(error)}`);
      return undefined;
    }
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    const process = client?.serverProcess;
    await client?.stop().catch((error: unknown) => {
      this.log.warn(`The server does not stop, it is ended: ${text(error)}`);
      process?.kill("SIGKILL");
    });
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
