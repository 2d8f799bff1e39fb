// Both channels of a transcript, what was shown and what the kernel was told, side by side in a read-only document.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

const SCHEME = "mangle-split";

/** The documents that the server makes of transcripts. */
export class Channels implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  /** From now on this server is asked. */
  serve(client: LanguageClient): void {
    this.client = client;
    client.onNotification("mangle/virtualDocumentChanged", ({ uri }: { uri: string }) => {
      this.changed.fire(vscode.Uri.parse(uri));
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const made = await this.client?.sendRequest<{ text: string }>("mangle/virtualDocument", { uri: uri.toString() });
    return made?.text ?? "";
  }

  /** Shows both channels of the transcript in the active editor beside it. */
  async show(): Promise<void> {
    const transcript = vscode.window.activeTextEditor?.document.uri;
    if (transcript === undefined || transcript.scheme === SCHEME) return;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: transcript.toString() });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
