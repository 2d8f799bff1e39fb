// Whether a document is a file that the server can know: one on disk, or in VS Code for the Web one of the workspace.

import * as vscode from "vscode";

export function isWorkspaceFile(uri: vscode.Uri): boolean {
  return uri.scheme === "file" || (vscode.env.uiKind === vscode.UIKind.Web && vscode.workspace.getWorkspaceFolder(uri) !== undefined);
}
