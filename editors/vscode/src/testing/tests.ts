// Policy tests in the Testing view: run by the server, they fail at the line of what they expect, with the proof.

import * as vscode from "vscode";
import { again } from "../documents/made.ts";
import { reasonOf } from "../reason.ts";
import { NOT_RUNNING, type Server } from "../server/server.ts";
import { TestList } from "./list.ts";
import { type CaseReport, type TestReport, messagesOf } from "./outcome.ts";

/** What a lens above a case asks for: the parameters of `mangle/test`. */
export interface Asked {
  uri?: string;
  case?: string;
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("mangle", "Mangle policy tests");
  private readonly list = new TestList(this.controller);
  private readonly server: Server;

  constructor(server: Server) {
    this.server = server;
    this.controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (request) => this.run(request), true);
  }

  /** Runs what a lens asks for. */
  async runAsked({ uri, case: name }: Asked): Promise<void> {
    if (uri === undefined) return this.runAll();
    const parsed = vscode.Uri.parse(uri);
    await this.list.read(parsed);
    const file = this.controller.items.get(parsed.toString());
    const item = name === undefined ? file : file?.children.get(name);
    if (item !== undefined) await this.reveal(new vscode.TestRunRequest([item]));
    else void vscode.window.showInformationMessage(`The policy test ${name ?? "of this file"} no longer exists.`);
  }

  /** Runs every case of the workspace. */
  async runAll(): Promise<void> {
    await this.list.discover();
    if (this.controller.items.size > 0) return this.reveal(new vscode.TestRunRequest());
    const how = "A policy test is a file NAME_test.mg with comments `# @test name: …`.";
    void vscode.window.showInformationMessage(`This workspace has no policy tests. ${how}`);
  }

  private async reveal(request: vscode.TestRunRequest): Promise<void> {
    void vscode.commands.executeCommand("workbench.view.testing.focus");
    await this.run(request);
  }

  private async run(request: vscode.TestRunRequest): Promise<void> {
    const run = this.controller.createTestRun(request);
    const cases = this.casesIn(request);
    for (const item of cases) run.enqueued(item);
    for (const [uri, items] of byFile(cases)) {
      if (run.token.isCancellationRequested) break;
      await this.runFile(run, uri, items);
    }
    run.end();
  }

  private casesIn(request: vscode.TestRunRequest): vscode.TestItem[] {
    const chosen = request.include ?? [...this.controller.items].map(([, item]) => item);
    const all = chosen.flatMap((item) => (item.parent === undefined ? [...item.children].map(([, child]) => child) : [item]));
    const excluded = new Set(request.exclude ?? []);
    return all.filter((item) => !excluded.has(item) && (item.parent === undefined || !excluded.has(item.parent)));
  }

  private async runFile(run: vscode.TestRun, uri: string, items: vscode.TestItem[]): Promise<void> {
    for (const item of items) run.started(item);
    const start = performance.now();
    try {
      const report = await this.ask(uri, items, run.token);
      const took = (performance.now() - start) / items.length;
      const reports = report.suites.flatMap((suite) => suite.cases);
      for (const item of items) this.tell(run, item, reports, took);
    } catch (error) {
      // Who has stopped the run knows why nothing came of it.
      if (run.token.isCancellationRequested) return;
      const message = new vscode.TestMessage(reasonOf(error));
      for (const item of items) run.errored(item, message);
    }
  }

  private async ask(uri: string, items: vscode.TestItem[], token: vscode.CancellationToken): Promise<TestReport> {
    const client = this.server.running;
    if (client === undefined) throw new Error(NOT_RUNNING);
    const one = items.length === 1 ? { case: items[0]?.label } : {};
    return again(() => client.sendRequest<TestReport>("mangle/test", { uri, ...one }, token));
  }

  private tell(run: vscode.TestRun, item: vscode.TestItem, reports: CaseReport[], took: number): void {
    const named = reports.filter(({ name }) => name === item.label);
    const report = named.find(({ line }) => line - 1 === item.range?.start.line) ?? named[0];
    if (report === undefined) return run.skipped(item);
    const messages = messagesOf(report).map(({ line, text }) => {
      const message = new vscode.TestMessage(text);
      if (item.uri !== undefined) message.location = new vscode.Location(item.uri, new vscode.Position(line, 0));
      run.appendOutput(`${item.label}: ${text}\n\n`.replaceAll("\n", "\r\n"), undefined, item);
      return message;
    });
    if (report.outcome === "passed") run.passed(item, took);
    else if (report.outcome === "failed") run.failed(item, messages, took);
    else run.errored(item, messages, took);
  }

  dispose(): void {
    this.list.dispose();
    this.controller.dispose();
  }
}

function byFile(items: vscode.TestItem[]): Map<string, vscode.TestItem[]> {
  const files = new Map<string, vscode.TestItem[]>();
  for (const item of items) {
    const uri = item.uri?.toString() ?? "";
    files.set(uri, [...(files.get(uri) ?? []), item]);
  }
  return files;
}
