// Other views of the document in front: both channels of a transcript, what was shown and what the kernel was told, side by side; and the
// syntax tree, for those who work on the grammar, and for bug reports.

import * as vscode from "vscode";
import { showBeside } from "./beside.ts";
import { MadeDocuments, shownAs } from "./made.ts";

const CHANNELS = "mangle-split";
const SYNTAX = "mangle-syntax";

/** The documents that the server makes of the one in front. */
export class Views extends MadeDocuments {
  constructor() {
    super([CHANNELS, SYNTAX]);
  }

  /** Shows both channels of the transcript in the active editor, below it: they want the width of the window. */
  async showChannels(): Promise<void> {
    const document = await opened(CHANNELS, "both channels");
    if (document === undefined || vscode.window.visibleTextEditors.some((editor) => editor.document === document)) return;
    await vscode.commands.executeCommand("workbench.action.newGroupBelow");
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Active, preview: true });
    await vscode.commands.executeCommand("workbench.action.focusPreviousGroup");
  }

  /** Shows the syntax tree of the active document, beside it. */
  async showTree(): Promise<void> {
    const document = await opened(SYNTAX, "syntax tree");
    if (document !== undefined) await showBeside(document);
  }
}

/** The view of the active document, unless that is a made one itself. */
async function opened(scheme: string, what: string): Promise<vscode.TextDocument | undefined> {
  const source = vscode.window.activeTextEditor?.document.uri;
  if (source === undefined) {
    void vscode.window.showInformationMessage("Open a document first: the view shows the active document.");
    return undefined;
  }
  if (source.scheme.startsWith("mangle-")) return undefined;
  return vscode.workspace.openTextDocument(shownAs(source.path, what, `${scheme}:${source.toString()}`));
}
