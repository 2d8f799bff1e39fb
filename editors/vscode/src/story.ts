// The example of the walkthrough: a constitution with tests, and a session that breaks it, copied to where they may be changed.

import * as vscode from "vscode";

/** Opens the example in a window of its own; changes to it stay. */
export async function openStory(context: vscode.ExtensionContext): Promise<void> {
  const [source, copy] = [vscode.Uri.joinPath(context.extensionUri, "dist", "story"), vscode.Uri.joinPath(context.globalStorageUri, "example")];
  const isThere = await vscode.workspace.fs.stat(copy).then(
    () => true,
    () => false,
  );
  if (!isThere) await vscode.workspace.fs.copy(source, copy);
  await vscode.commands.executeCommand("vscode.openFolder", copy, { forceNewWindow: true });
}
