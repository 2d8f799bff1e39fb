// Which policy tests there are: the cases of `*_test.mg`, on disk and as one types them.

import * as vscode from "vscode";
import { isWorkspaceFile } from "../documents/workspace_file.ts";
import { casesOf } from "./cases.ts";

const PATTERN = "**/*_test.mg";

/** Keeps the items of a controller: one a file, below it one a case. */
export class TestList implements vscode.Disposable {
  private readonly controller: vscode.TestController;
  private readonly registrations: vscode.Disposable[];

  constructor(controller: vscode.TestController) {
    this.controller = controller;
    controller.refreshHandler = () => this.discover();
    // Files are listed at once, their cases when somebody looks.
    controller.resolveHandler = async (item) => {
      if (item === undefined) return this.discover();
      if (item.uri !== undefined) await this.read(item.uri);
    };
    const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
    this.registrations = [
      watcher,
      watcher.onDidCreate((uri) => this.read(uri)),
      watcher.onDidChange((uri) => this.read(uri)),
      watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument((document) => this.take(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.take(document)),
    ];
    for (const document of vscode.workspace.textDocuments) this.take(document);
  }

  /** Finds all there are. */
  async discover(): Promise<void> {
    const files = await vscode.workspace.findFiles(PATTERN);
    // One that is open may be of no folder of the workspace.
    const open = vscode.workspace.textDocuments.filter(isTest).map(({ uri }) => uri);
    const known = new Map([...files, ...open].map((uri) => [uri.toString(), uri]));
    for (const [id] of this.controller.items) if (!known.has(id)) this.controller.items.delete(id);
    await Promise.all([...known.values()].map((uri) => this.read(uri)));
  }

  /** Reads the cases of a file anew, as they are in the editor if it is open there. */
  async read(uri: vscode.Uri): Promise<void> {
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

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }
}

function isTest({ uri }: vscode.TextDocument): boolean {
  return isWorkspaceFile(uri) && uri.path.endsWith("_test.mg");
}
