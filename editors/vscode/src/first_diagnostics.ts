// How long it takes from the start of the extension to the first diagnostics: a line in the log, for bug reports and for whoever
// works on the start.

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

/** Watches what the server finds, until the first time that there is something. */
export class FirstDiagnostics {
  private isDone = false;
  private readonly steps: string[] = [];
  private readonly log: vscode.LogOutputChannel;
  private readonly started: number;

  /** `started` is what `performance.now()` gave when the extension was activated. */
  constructor(log: vscode.LogOutputChannel, started: number) {
    this.log = log;
    this.started = started;
  }

  /** Takes note of a step on the way there. */
  passed(step: string): void {
    if (!this.isDone && this.steps.length < 9) this.steps.push(`${step} after ${this.now()}`);
  }

  private now(): number {
    return Math.round(performance.now() - this.started);
  }

  middleware(): Middleware {
    return {
      handleDiagnostics: (uri, diagnostics, next) => {
        this.found(uri, diagnostics.length);
        next(uri, diagnostics);
      },
      provideDiagnostics: async (document, previous, token, next) => {
        const report = await next(document, previous, token);
        const uri = document instanceof vscode.Uri ? document : document.uri;
        if (report?.kind === "full") this.found(uri, report.items.length);
        return report;
      },
      provideWorkspaceDiagnostics: (known, token, report, next) =>
        next(known, token, (part) => {
          for (const { uri, ...of } of part?.items ?? []) if (of.kind === "full") this.found(uri, of.items.length);
          report(part);
        }),
    };
  }

  private found(uri: vscode.Uri, count: number): void {
    if (this.isDone || count === 0) return;
    this.isDone = true;
    const steps = this.steps.length === 0 ? "" : ` (${this.steps.join(", ")})`;
    this.log.info(`First diagnostics ${this.now()} ms after activation${steps}: ${count} in ${vscode.workspace.asRelativePath(uri)}`);
  }
}
