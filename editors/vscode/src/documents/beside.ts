// How documents that belong to another one are shown.

import * as vscode from "vscode";

/** Shows a document beside the editor, which keeps the focus. */
export async function showBeside(document: vscode.TextDocument): Promise<void> {
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}
