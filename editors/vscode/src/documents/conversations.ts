// Transcripts as conversations: read-only documents beside the raw file, a stretch of records each. The line of the cursor in the raw file is
// shown, "Go to Definition" leads back to its bytes, what the runtime does not keep is struck out, findings are those of the raw file.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { showBeside } from "./beside.ts";
import { ConversationFeatures } from "./conversation_features.ts";
import { type Made, MadeDocuments, location, range, shownAs } from "./made.ts";
import { Turns, showAt } from "./turns.ts";
import { isWorkspaceFile } from "./workspace_file.ts";

const SCHEME = "mangle-conversation";

/** What stands around a part that is lost. */
const STRUCK = /~~.+?~~/g;

/** The documents that the server makes of transcripts. */
export class Conversations extends MadeDocuments implements vscode.DocumentLinkProvider {
  private readonly struck = vscode.window.createTextEditorDecorationType({ textDecoration: "line-through", opacity: "0.7" });
  private readonly found = vscode.languages.createDiagnosticCollection(SCHEME);
  private readonly features = new ConversationFeatures(SCHEME);
  private readonly turns = new Turns();
  private readonly listeners = [
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    vscode.workspace.onDidOpenTextDocument((document) => this.refresh(document)),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.refresh(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => this.strike(document))),
    vscode.window.onDidChangeActiveTextEditor((editor) => editor !== undefined && this.list(editor.document)),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor: { document }, selections }) => {
      const line = selections[0]?.active.line;
      if (document.uri.scheme === SCHEME && line !== undefined) this.turns.follow(document.uri, line);
    }),
  ];

  constructor() {
    super([SCHEME]);
  }

  override serve(client: LanguageClient): void {
    super.serve(client);
    this.features.client = client;
  }

  /**
   * Shows a transcript as a conversation beside it: the one that a menu is about, else the one in front, at the line of the cursor. A file
   * that is too large for the editor is not opened for that.
   */
  async show(chosen?: vscode.Uri): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const source = chosen ?? editor?.document.uri ?? inFront();
    if (source === undefined || !isWorkspaceFile(source)) {
      void vscode.window.showInformationMessage("Open a transcript first: the view shows the active transcript.");
      return;
    }
    const isHere = editor?.document.uri.toString() === source.toString();
    // Features of a transcript are those of an open document.
    if (!isHere) await vscode.workspace.openTextDocument(source).then(undefined, () => undefined);
    const at = isHere ? editor.selection.active : new vscode.Position(0, 0);
    if (await this.reveal(source, at)) return;
    const address = `${SCHEME}:/line-${at.line + 1}?of=${encodeURIComponent(source.toString())}`;
    const document = await vscode.workspace.openTextDocument(shownAs(source.path, "conversation", address));
    await showBeside(document);
    await this.reveal(source, at);
    this.refresh(document);
  }

  /** Shows the bytes that the line of the cursor is about, in the transcript. */
  async showRaw(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const line = editor?.selection.active.line;
    const origins = editor && this.madeOf(editor.document.uri)?.origins;
    const origin = origins?.find((origin) => origin.range.start.line === line) ?? origins?.findLast((one) => one.range.start.line <= (line ?? -1));
    if (origin === undefined) return;
    const { uri, range: selection } = location(origin.location);
    const other = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    await vscode.commands.executeCommand("vscode.open", uri, { selection, viewColumn: other?.viewColumn ?? vscode.ViewColumn.Beside });
  }

  /** Fixes what is found at the cursor, in the transcript. */
  async fix(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== SCHEME) return;
    await this.features.fix(editor.document, editor.selection, this.found.get(editor.document.uri) ?? []);
  }

  /** Shows a place of a transcript in a conversation of it that is open. Gives whether there is one. */
  private async reveal(source: vscode.Uri, at: vscode.Position): Promise<boolean> {
    for (const { input } of vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs)) {
      if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== SCHEME) continue;
      const line = lineOf(this.madeOf(input.uri), source, at);
      if (line === undefined) continue;
      await showAt(input.uri, line, true);
      return true;
    }
    return false;
  }

  override async provideDefinition(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Definition | vscode.DefinitionLink[] | null | undefined> {
    const found = await this.features.definition(document, position);
    const isNothing = found === undefined || (Array.isArray(found) && found.length === 0);
    return isNothing ? super.provideDefinition(document, position) : found;
  }

  /** The records before and after those that are shown: links on the first and the last line. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const window = this.madeOf(document.uri)?.window;
    const path = document.uri.path.replace(/ \([^)]*\)$/, "");
    const link = (line: number, address: string, tooltip: string): vscode.DocumentLink => {
      const end = Math.max(1, document.lineAt(line).text.length);
      const found = new vscode.DocumentLink(new vscode.Range(line, 0, line, end), shownAs(path, "conversation", address));
      found.tooltip = tooltip;
      return found;
    };
    return [
      ...(window?.before == null ? [] : [link(0, window.before, "Show the previous records")]),
      ...(window?.after == null ? [] : [link(Math.max(0, document.lineCount - 2), window.after, "Show the next records")]),
    ];
  }

  /** What is shown beside the text of a conversation is that of the text as it is now. */
  private refresh(document: vscode.TextDocument): void {
    if (document.uri.scheme !== SCHEME) return;
    this.strike(document);
    this.list(document);
    void this.find(document.uri);
  }

  private async find(uri: vscode.Uri): Promise<void> {
    const { client } = this.features;
    const made = this.madeOf(uri);
    if (client === undefined || made === undefined) return;
    const found = await client.protocol2CodeConverter.asDiagnostics(made.diagnostics ?? []);
    if (this.madeOf(uri) === made) this.found.set(uri, found);
  }

  private list(document: vscode.TextDocument): void {
    const made = document.uri.scheme === SCHEME ? this.madeOf(document.uri) : undefined;
    if (made !== undefined) this.turns.show(document.uri, made);
  }

  private forget(uri: vscode.Uri): void {
    if (uri.scheme !== SCHEME) return;
    this.found.delete(uri);
    this.turns.close(uri);
  }

  private strike(document: vscode.TextDocument): void {
    if (document.uri.scheme !== SCHEME) return;
    const ranges = Array.from({ length: document.lineCount }, (_, line) =>
      [...document.lineAt(line).text.matchAll(STRUCK)].map(
        ({ 0: text, index }) => new vscode.Range(line, index, line, index + text.length),
      ),
    );
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) editor.setDecorations(this.struck, ranges.flat());
    }
  }

  override dispose(): void {
    super.dispose();
    for (const listener of this.listeners) listener.dispose();
    for (const part of [this.struck, this.found, this.features, this.turns]) part.dispose();
  }
}

/** The file of the tab in front, which the editor may not have read. */
function inFront(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** The line that shows a place of the raw file: that of the smallest part around it. */
function lineOf(made: Made | undefined, source: vscode.Uri, at: vscode.Position): number | undefined {
  const around = (made?.origins ?? []).filter(
    (origin) => vscode.Uri.parse(origin.location.uri).toString() === source.toString() && range(origin.location.range).contains(at),
  );
  const size = (origin: Made["origins"][number]): number => {
    const { start, end } = origin.location.range;
    // What is said about a place, rather than shown of it, comes last.
    const beside = origin.kind === "finding" || origin.kind === "verdict" ? 1e12 : 0;
    return beside + (end.line - start.line) * 1e6 + end.character - start.character;
  };
  const smallest = around.sort((one, other) => size(one) - size(other))[0];
  return smallest?.range.start.line;
}
