// Both channels of a transcript, what was shown and what the kernel was told, side by side in a read-only document. "Go to
// Definition" there leads to the place in the transcript.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

const SCHEME = "mangle-split";

/** A part of the document, and where it comes from. */
interface Origin {
  range: Range;
  location: { uri: string; range: Range };
}

type Range = { start: vscode.Position; end: vscode.Position };

/** The documents that the server makes of transcripts. */
export class Channels implements vscode.TextDocumentContentProvider, vscode.DefinitionProvider, vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly origins = new Map<string, Origin[]>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerDefinitionProvider({ scheme: SCHEME }, this),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => this.origins.delete(uri.toString())),
  ];
  readonly onDidChange = this.changed.event;

  /** From now on this server is asked. */
  serve(client: LanguageClient): void {
    this.client = client;
    client.onNotification("mangle/virtualDocumentChanged", ({ uri }: { uri: string }) => {
      if (uri.startsWith(`${SCHEME}:`)) this.changed.fire(vscode.Uri.parse(uri));
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const asked = { uri: uri.toString() };
    const made = await this.client?.sendRequest<{ text: string; origins: Origin[] }>("mangle/virtualDocument", asked);
    this.origins.set(uri.toString(), made?.origins ?? []);
    return made?.text ?? "";
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
    const all = this.origins.get(document.uri.toString()) ?? [];
    const origin = all.find(({ range }) => range_(range).contains(position));
    return origin && new vscode.Location(vscode.Uri.parse(origin.location.uri), range_(origin.location.range));
  }

  /** Shows both channels of the transcript in the active editor below it. */
  async show(): Promise<void> {
    const transcript = vscode.window.activeTextEditor?.document.uri;
    if (transcript === undefined || transcript.scheme === SCHEME) return;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: transcript.toString() });
    const isShown = vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === uri.toString());
    if (isShown) return;
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, SCHEME);
    // Below, not beside: two channels want the width of the window.
    await vscode.commands.executeCommand("workbench.action.newGroupBelow");
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Active, preview: true });
    await vscode.commands.executeCommand("workbench.action.focusPreviousGroup");
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
    this.changed.dispose();
  }
}

/** A range of the protocol as one of the editor. */
function range_({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
