// Prompts, and kernels after a turn, as read-only documents that follow typing. "Go to Definition" in one leads to where a line comes from;
// its sections fold, and what is another line than when it was opened is marked.

import * as vscode from "vscode";
import { type LanguageClient, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

const SCHEMES = ["mangle-preview", "mangle-state"];

type Range = { start: vscode.Position; end: vscode.Position };

/** What the server makes. */
interface Made {
  text: string;
  origins: { range: Range; location: { uri: string; range: Range } }[];
  folds?: { startLine: number; endLine: number }[];
}

/** The argument of the commands, as far as it is looked at. */
export interface Wanted {
  uri: string;
  name?: string;
  shard?: [string, string];
  mode?: string;
  part?: string;
}

/** The documents that the server makes of kernels. */
export class Previews
  implements vscode.TextDocumentContentProvider, vscode.DefinitionProvider, vscode.FoldingRangeProvider, vscode.Disposable
{
  private client: LanguageClient | undefined;
  private readonly made = new Map<string, Made>();
  private readonly first = new Map<string, Set<string>>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.modifiedForeground"),
  });
  private readonly registrations = [
    ...SCHEMES.flatMap((scheme) => [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.languages.registerDefinitionProvider({ scheme }, this),
      vscode.languages.registerFoldingRangeProvider({ scheme }, this),
    ]),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.showChanges(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      this.made.delete(uri.toString());
      this.first.delete(uri.toString());
    }),
  ];
  readonly onDidChange = this.changed.event;

  /** From now on this server is asked. */
  serve(client: LanguageClient): void {
    this.client = client;
    client.onNotification("mangle/virtualDocumentChanged", ({ uri }: { uri: string }) => {
      if (SCHEMES.some((scheme) => uri.startsWith(`${scheme}:`))) this.changed.fire(vscode.Uri.parse(uri));
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = uri.toString();
    const made = await this.ask(key);
    if (made !== undefined) this.made.set(key, made);
    const text = this.made.get(key)?.text ?? "";
    if (!this.first.has(key)) this.first.set(key, new Set(text.split("\n")));
    return text;
  }

  /** Asks again when an edit came first. */
  private async ask(uri: string, tries = 20): Promise<Made | undefined> {
    try {
      return await this.client?.sendRequest<Made>("mangle/virtualDocument", { uri });
    } catch (error) {
      const isOvertaken = error instanceof ResponseError && error.code === LSPErrorCodes.ContentModified;
      if (!isOvertaken || tries === 0) throw error;
      await new Promise((done) => setTimeout(done, 100));
      return this.ask(uri, tries - 1);
    }
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
    const all = this.made.get(document.uri.toString())?.origins ?? [];
    const origin = all.find(({ range }) => range_(range).contains(position));
    return origin && new vscode.Location(vscode.Uri.parse(origin.location.uri), range_(origin.location.range));
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    const folds = this.made.get(document.uri.toString())?.folds ?? [];
    return folds.map(({ startLine, endLine }) => new vscode.FoldingRange(startLine, endLine, vscode.FoldingRangeKind.Region));
  }

  /** Opens the prompt that a lens asks for beside the kernel. */
  async show(wanted: Wanted): Promise<void> {
    const keys: [string, string | undefined][] = [
      ["shard", wanted.shard?.join(" ")],
      ["mode", wanted.mode],
      ["part", wanted.part],
      ["of", wanted.uri],
    ];
    const said = keys.filter(([, value]) => value !== undefined);
    const query = said.map(([key, value]) => `${key}=${encodeURIComponent(value ?? "")}`).join("&");
    await this.open(vscode.Uri.from({ scheme: "mangle-preview", path: `/${wanted.name ?? ""}`, query }));
  }

  private async open(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  private showChanges(document: vscode.TextDocument): void {
    const first = this.first.get(document.uri.toString());
    if (first === undefined) return;
    const lines = Array.from({ length: document.lineCount }, (_, at) => document.lineAt(at));
    const marked = lines.filter(({ text }) => !first.has(text)).map(({ range }) => range);
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) editor.setDecorations(this.mark, marked);
    }
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
    this.mark.dispose();
    this.changed.dispose();
  }
}

/** A range of the protocol as one of the editor. */
function range_({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
