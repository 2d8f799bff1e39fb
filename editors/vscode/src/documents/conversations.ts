// Transcripts as conversations: read-only documents beside the raw file, a stretch of records each. The line of the cursor in the raw file is
// shown, "Go to Definition" leads back to its bytes, what the runtime does not keep is struck out.

import * as vscode from "vscode";
import { showBeside } from "./beside.ts";
import { type Made, MadeDocuments, range, shownAs } from "./made.ts";
import { isOurs } from "./ours.ts";

const SCHEME = "mangle-conversation";
const OFFERED = "conversation.offered";

/** What stands around a part that is lost. */
const STRUCK = /~~.+?~~/g;

/** The documents that the server makes of transcripts. */
export class Conversations extends MadeDocuments implements vscode.DocumentLinkProvider {
  private readonly struck = vscode.window.createTextEditorDecorationType({ textDecoration: "line-through", opacity: "0.7" });
  private readonly listeners = [
    vscode.languages.registerDocumentLinkProvider({ scheme: SCHEME }, this),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.strike(document)),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(({ document }) => this.strike(document))),
  ];

  constructor() {
    super([SCHEME]);
  }

  /** Shows the transcript in the active editor as a conversation beside it, at the line of the cursor. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || editor.document.uri.scheme !== "file") {
      void vscode.window.showInformationMessage("Open a transcript first: this is a view of the one in front.");
      return;
    }
    const [source, at] = [editor.document.uri, editor.selection.active];
    const address = `${SCHEME}:/line-${at.line + 1}?of=${encodeURIComponent(source.toString())}`;
    const document = await vscode.workspace.openTextDocument(shownAs(source.path, "conversation", address));
    await showBeside(document);
    const line = lineOf(this.madeOf(document.uri), source, at);
    const shown = vscode.window.visibleTextEditors.find((visible) => visible.document === document);
    if (line !== undefined) shown?.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenter);
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
      ...(window?.before == null ? [] : [link(0, window.before, "Show the records before")]),
      ...(window?.after == null ? [] : [link(Math.max(0, document.lineCount - 2), window.after, "Show the records after")]),
    ];
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
    this.struck.dispose();
  }
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

/** Offers once to open a transcript as a conversation. */
export function offerConversation(context: vscode.ExtensionContext): vscode.Disposable {
  const offer = async (document: vscode.TextDocument): Promise<void> => {
    if (document.uri.scheme !== "file" || !document.uri.path.endsWith(".jsonl") || !isOurs(document)) return;
    if (context.globalState.get<boolean>(OFFERED) === true) return;
    await context.globalState.update(OFFERED, true);
    const choice = await vscode.window.showInformationMessage("Read this transcript as a conversation?", "Open as Conversation", "No");
    if (choice === "Open as Conversation") await vscode.commands.executeCommand("mangle.openConversation");
  };
  return vscode.workspace.onDidOpenTextDocument(offer);
}
