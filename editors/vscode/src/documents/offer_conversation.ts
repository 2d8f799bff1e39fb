// Offers to open a transcript as a conversation: once, when the first one is opened, until one of the buttons is chosen.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Served } from "../server/server.ts";
import { again } from "./made.ts";
import { isWorkspaceFile } from "./workspace_file.ts";

const ANSWERED = "conversation.answered";
const OPEN = "Open as Conversation";
const NEVER = "Do Not Ask Again";

export class ConversationOffer implements Served, vscode.Disposable {
  private readonly state: vscode.Memento;
  private readonly listener = vscode.workspace.onDidOpenTextDocument((document) => void this.consider(document));
  private client: LanguageClient | undefined;
  private isMade = false;

  constructor(state: vscode.Memento) {
    this.state = state;
  }

  serve(client: LanguageClient): void {
    this.client = client;
    client.onDidChangeState(() => {
      if (client.isRunning()) vscode.workspace.textDocuments.forEach((document) => void this.consider(document));
    });
  }

  private async consider({ uri }: vscode.TextDocument): Promise<void> {
    // Who has found it needs no offer.
    this.isMade ||= uri.scheme === "mangle-conversation";
    if (!isWorkspaceFile(uri) || !uri.path.endsWith(".jsonl") || this.isOver() || !(await this.isTranscript(uri))) return;
    // Several are opened at once where a window is restored.
    if (this.isOver()) return;
    this.isMade = true;
    const choice = await vscode.window.showInformationMessage("Read this transcript as a conversation?", OPEN, NEVER);
    if (choice !== undefined) await this.state.update(ANSWERED, true);
    if (choice === OPEN) await vscode.commands.executeCommand("mangle.openConversation", uri);
  }

  private isOver(): boolean {
    return this.isMade || this.state.get<boolean>(ANSWERED) === true;
  }

  /** Whether the server takes a file for a transcript: it has an outline as a conversation then. */
  private async isTranscript(uri: vscode.Uri): Promise<boolean> {
    const client = this.client;
    if (client?.isRunning() !== true) return false;
    const address = `mangle-conversation:/1?count=1&of=${encodeURIComponent(uri.toString())}`;
    const asked = { textDocument: { uri: address } };
    const outline = await again(() => client.sendRequest<unknown[] | null>("textDocument/documentSymbol", asked)).catch(() => null);
    return outline !== null && outline.length > 0;
  }

  dispose(): void {
    this.listener.dispose();
  }
}
