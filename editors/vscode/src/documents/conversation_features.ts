// What the server knows at a place of a conversation: hovers, fixes, targets. It is asked with the address by which it knows the document;
// edits and targets are those of the transcript.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type * as lsp from "vscode-languageclient/node";
import { again } from "./made.ts";

/** Answers for documents of a scheme whose addresses are their queries. */
export class ConversationFeatures implements vscode.HoverProvider, vscode.CodeActionProvider, vscode.Disposable {
  client: LanguageClient | undefined;
  private readonly registrations: vscode.Disposable[];

  constructor(scheme: string) {
    this.registrations = [
      vscode.languages.registerHoverProvider({ scheme }, this),
      vscode.languages.registerCodeActionsProvider({ scheme }, this, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
    ];
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const hover = await this.ask<lsp.Hover | null>("textDocument/hover", document, { position });
    return this.client?.protocol2CodeConverter.asHover(hover);
  }

  /** Where what is at a place comes from, as the transcript has it. */
  async definition(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Definition | vscode.DefinitionLink[] | undefined> {
    const found = await this.ask<lsp.Definition | lsp.DefinitionLink[] | null>("textDocument/definition", document, { position });
    return this.client?.protocol2CodeConverter.asDefinitionResult(found);
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    context: vscode.CodeActionContext,
    token: vscode.CancellationToken,
  ): Promise<(vscode.Command | vscode.CodeAction)[]> {
    const to = this.client?.code2ProtocolConverter;
    if (to === undefined) return [];
    const params = { range: to.asRange(range), context: await to.asCodeActionContext(context, token) };
    const found = await this.ask<(lsp.Command | lsp.CodeAction)[] | null>("textDocument/codeAction", document, params);
    return found == null ? [] : ((await this.client?.protocol2CodeConverter.asCodeActionResult(found, token)) ?? []);
  }

  async resolveCodeAction(action: vscode.CodeAction, token: vscode.CancellationToken): Promise<vscode.CodeAction> {
    const client = this.client;
    if (client?.isRunning() !== true || action.edit !== undefined) return action;
    const sent = await client.code2ProtocolConverter.asCodeAction(action, token);
    const resolved = await again(() => client.sendRequest<lsp.CodeAction>("codeAction/resolve", sent));
    return (await client.protocol2CodeConverter.asCodeAction(resolved, token)) ?? action;
  }

  /**
   * Offers what can be done about a place, and does what is chosen, in the transcript. VS Code has no quick fixes in documents that cannot be
   * typed in, and these cannot.
   */
  async fix(document: vscode.TextDocument, range: vscode.Range, found: readonly vscode.Diagnostic[]): Promise<void> {
    const line = document.lineAt(range.start.line).range;
    const inside = found.filter((one) => one.range.intersection(range) !== undefined);
    const here = inside.length > 0 ? inside : found.filter((one) => one.range.intersection(line) !== undefined);
    const context = { diagnostics: here, only: undefined, triggerKind: vscode.CodeActionTriggerKind.Invoke };
    const { token } = new vscode.CancellationTokenSource();
    const actions = await this.provideCodeActions(document, inside.length > 0 ? range : (here[0]?.range ?? range), context, token);
    const items = actions.map((action) => ({ label: action.title, action }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage("No fix is available here.");
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, { title: "Mangle: Fix in Transcript" });
    if (chosen === undefined) return;
    const { action } = chosen;
    const isAction = action instanceof vscode.CodeAction;
    const { edit, command } = isAction ? await this.resolveCodeAction(action, token) : { edit: undefined, command: action };
    if (edit !== undefined) await vscode.workspace.applyEdit(edit);
    if (command !== undefined) await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
  }

  /** Asks about a document; nothing where no server runs. */
  private async ask<T>(method: string, document: vscode.TextDocument, params: object): Promise<T | undefined> {
    const client = this.client;
    if (client?.isRunning() !== true) return undefined;
    const sent = { textDocument: { uri: document.uri.query }, ...params };
    return again(() => client.sendRequest<T>(method, sent));
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
  }
}
