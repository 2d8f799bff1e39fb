// Prompts, and what became of turns, as read-only documents: what is another line than when one was opened is marked.

import * as vscode from "vscode";
import { showBeside } from "./beside.ts";
import { MadeDocuments, shownAs } from "./made.ts";
import { type PromptOf, address, nameOf } from "./prompt_of.ts";

/** The documents that the server makes of kernels. */
export class Previews extends MadeDocuments {
  private readonly first = new Map<string, Set<string>>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
  });
  private readonly listeners = [
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.showChanges(document)),
    // Who comes back to one finds another editor, without marks.
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => this.showChanges(document))),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.first.delete(uri.toString())),
  ];

  constructor() {
    super(["mangle-preview", "mangle-property", "mangle-replay", "mangle-state"]);
  }

  override async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = await super.provideTextDocumentContent(uri);
    if (text !== "" && !this.first.has(uri.toString())) this.first.set(uri.toString(), new Set(text.split("\n")));
    return text;
  }

  /** Opens a prompt as text beside the kernel. */
  async show(of: PromptOf): Promise<void> {
    const document = await vscode.workspace.openTextDocument(shownAs(nameOf(of), "prompt", address(of)));
    await showBeside(document);
  }

  private showChanges(document: vscode.TextDocument): void {
    const first = this.first.get(document.uri.toString());
    if (first === undefined) return;
    const lines = Array.from({ length: document.lineCount }, (_, at) => document.lineAt(at));
    const marked = lines.filter(({ text }) => !first.has(text)).map(({ range }) => range);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) editor.setDecorations(this.mark, marked);
    }
  }

  override dispose(): void {
    super.dispose();
    for (const listener of this.listeners) listener.dispose();
    this.mark.dispose();
  }
}
