// Policy tests in the Testing view: cases are found in `*_test.mg`, run by the server, and fail at the line of what they expect, with
// the proof.

import * as vscode from "vscode";
import { again } from "../documents/made.ts";
import { reasonOf } from "../reason.ts";
import { NOT_RUNNING, type Server } from "../server/server.ts";
import { casesOf } from "./cases.ts";
import { type CaseReport, type TestReport, messagesOf } from "./outcome.ts";

const PATTERN = "**/*_test.mg";

/** What a lens above a case asks for: the parameters of `mangle/test`. */
export interface Asked {
  uri?: string;
  case?: string;
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("mangle", "Mangle policy tests");
  private readonly watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  private readonly server: Server;
  private readonly registrations: vscode.Disposable[];

  constructor(server: Server) {
    this.server = server;
    this.controller.createRunProfile("Run", vscode.TestRunProfileKind.Run, (request) => this.run(request), true);
    this.controller.refreshHandler = () => this.discover();
    // Files are listed at once, their cases when somebody looks.
    this.controller.resolveHandler = async (item) => {
      if (item === undefined) return this.discover();
      if (item.uri !== undefined) await this.read(item.uri);
    };
    this.registrations = [
      this.watcher,
      this.watcher.onDidCreate((uri) => this.read(uri)),
      this.watcher.onDidChange((uri) => this.read(uri)),
      this.watcher.onDidDelete((uri) => this.controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument((document) => this.take(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.take(document)),
    ];
    for (const document of vscode.workspace.textDocuments) this.take(document);
  }

  private async discover(): Promise<void> {
    const files = await vscode.workspace.findFiles(PATTERN);
    // One that is open may be of no folder of the workspace.
    const open = vscode.workspace.textDocuments.filter(isTest).map(({ uri }) => uri);
    const known = new Map([...files, ...open].map((uri) => [uri.toString(), uri]));
    for (const [id] of this.controller.items) if (!known.has(id)) this.controller.items.delete(id);
    await Promise.all([...known.values()].map((uri) => this.read(uri)));
  }

  private async read(uri: vscode.Uri): Promise<void> {
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    if (open !== undefined) return this.take(open);
    try {
      this.list(uri, new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)));
    } catch {
      this.controller.items.delete(uri.toString());
    }
  }

  private take(document: vscode.TextDocument): void {
    if (isTest(document)) this.list(document.uri, document.getText());
  }

  private list(uri: vscode.Uri, text: string): void {
    const id = uri.toString();
    const file = this.controller.items.get(id) ?? this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    const seen = new Map<string, number>();
    const items = casesOf(text).map(({ name, line }) => {
      // Two cases of one name are a finding, not a reason to lose one.
      const count = (seen.get(name) ?? 0) + 1;
      seen.set(name, count);
      const key = count === 1 ? name : `${name} (${count})`;
      const item = file.children.get(key) ?? this.controller.createTestItem(key, name, uri);
      item.range = new vscode.Range(line, 0, line, 0);
      item.sortText = String(line).padStart(8, "0");
      return item;
    });
    file.children.replace(items);
    this.controller.items.add(file);
  }

  /** Runs what a lens asks for. */
  async runAsked({ uri, case: name }: Asked): Promise<void> {
    if (uri === undefined) return this.runAll();
    const parsed = vscode.Uri.parse(uri);
    await this.read(parsed);
    const file = this.controller.items.get(parsed.toString());
    const item = name === undefined ? file : file?.children.get(name);
    if (item !== undefined) await this.reveal(new vscode.TestRunRequest([item]));
    else void vscode.window.showInformationMessage(`There is no policy test ${name ?? "in this file"} any more.`);
  }

  /** Runs every case of the workspace. */
  async runAll(): Promise<void> {
    await this.discover();
    if (this.controller.items.size > 0) return this.reveal(new vscode.TestRunRequest());
    const how = "A policy test is a file NAME_test.mg with comments `# @test name: …`.";
    void vscode.window.showInformationMessage(`There are no policy tests in this workspace. ${how}`);
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
    for (const registration of this.registrations) registration.dispose();
    this.controller.dispose();
  }
}

function isTest({ uri }: vscode.TextDocument): boolean {
  return uri.scheme === "file" && uri.path.endsWith("_test.mg");
}

function byFile(items: vscode.TestItem[]): Map<string, vscode.TestItem[]> {
  const files = new Map<string, vscode.TestItem[]>();
  for (const item of items) {
    const uri = item.uri?.toString() ?? "";
    files.set(uri, [...(files.get(uri) ?? []), item]);
  }
  return files;
}
