// Read-only documents that the server makes of others. They follow what they are made of; "Go to Definition" in one leads to where a
// part comes from; sections fold.

import * as vscode from "vscode";
import { type Diagnostic, type LanguageClient, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import type { Place, Range } from "../protocol.ts";
import type { Served } from "../server/server.ts";
import { onDocumentChanged } from "./changes.ts";

/** What the server makes: the answer of `mangle/virtualDocument`. */
export interface Made {
  text: string;
  origins: { range: Range; location: Place; kind: string }[];
  folds?: { startLine: number; endLine: number; title: string }[];
  /** The stretch of its source that it shows, and the addresses of those around it. */
  window?: { first: number; count: number; total: number | null; before: string | null; after: string | null };
  /** What is found in what it is made of, in its places here. */
  diagnostics?: Diagnostic[];
  /** The turns that it shows. */
  turns?: {
    title: string;
    excerpt: string;
    /** The number of an answer. */
    number?: number;
    startLine: number;
    endLine: number;
    denied: number;
    lost: number;
    corrects: boolean;
  }[];
}

/**
 * The address of a document as VS Code has it. Tabs show the end of a path, so that is for people: the name of what it is made of, and what
 * it is. The address by which the server knows it is the query.
 */
export function shownAs(path: string, what: string, address: string): vscode.Uri {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return vscode.Uri.from({ scheme: address.slice(0, address.indexOf(":")), path: `/${name} (${what})`, query: address });
}

/** The documents of some schemes, which are opened by `shownAs`. */
export class MadeDocuments
  implements Served, vscode.TextDocumentContentProvider, vscode.DefinitionProvider, vscode.FoldingRangeProvider, vscode.Disposable
{
  private client: LanguageClient | undefined;
  private readonly schemes: string[];
  private readonly made = new Map<string, Made>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(schemes: string[]) {
    this.schemes = schemes;
    this.registrations = [
      ...schemes.flatMap((scheme) => [
        vscode.workspace.registerTextDocumentContentProvider(scheme, this),
        vscode.languages.registerDefinitionProvider({ scheme }, this),
        vscode.languages.registerFoldingRangeProvider({ scheme }, this),
      ]),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.made.delete(uri.toString())),
    ];
  }

  serve(client: LanguageClient): void {
    this.client = client;
    onDocumentChanged(client, (address) => this.renew((uri) => uri.query === address));
    // One that was restored with its window, or outlived its server, is asked for again.
    client.onDidChangeState(() => client.isRunning() && this.renew(() => true));
  }

  private renew(which: (uri: vscode.Uri) => boolean): void {
    const ours = vscode.workspace.textDocuments.filter(({ uri }) => this.schemes.includes(uri.scheme) && which(uri));
    for (const { uri } of ours) this.changed.fire(uri);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const made = this.client?.isRunning() === true ? await askAgain(this.client, uri.query) : undefined;
    if (made !== undefined) this.made.set(uri.toString(), made);
    return this.made.get(uri.toString())?.text ?? "";
  }

  /** What a document was made of. */
  protected madeOf(uri: vscode.Uri): Made | undefined {
    return this.made.get(uri.toString());
  }

  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.ProviderResult<vscode.Definition | vscode.DefinitionLink[]> {
    const all = this.made.get(document.uri.toString())?.origins ?? [];
    const around = all.filter((origin) => range(origin.range).contains(position));
    // Of several that hold each other, as nodes of a tree do, the last one is the innermost.
    const innermost = around.at(-1);
    return innermost && located(innermost, position);
  }

  provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
    const folds = this.made.get(document.uri.toString())?.folds ?? [];
    return folds.map(({ startLine, endLine }) => new vscode.FoldingRange(startLine, endLine, vscode.FoldingRangeKind.Region));
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
    this.changed.dispose();
  }
}

/** Where a place in a part comes from: the very character where the part is a copy, which is as long as what it comes from. */
function located(origin: Made["origins"][number], at: vscode.Position): vscode.Location {
  const [here, there] = [range(origin.range), location(origin.location)];
  const length = (one: vscode.Range): number => one.end.character - one.start.character;
  const isCopy = here.isSingleLine && there.range.isSingleLine && length(here) === length(there.range);
  if (!isCopy) return there;
  const start = there.range.start.translate(0, at.character - here.start.character);
  return new vscode.Location(there.uri, new vscode.Range(start, there.range.end));
}

/** Asks for a document, and again when an edit came first. */
export async function askAgain(client: LanguageClient, uri: string): Promise<Made | undefined> {
  return again(() => client.sendRequest<Made>("mangle/virtualDocument", { uri }));
}

/** Asks, and again when an edit came first; the newest answer is what is wanted. */
export async function again<T>(ask: () => Promise<T>, tries = 20): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isOvertaken = error instanceof ResponseError && error.code === LSPErrorCodes.ContentModified;
    if (!isOvertaken || tries === 0) throw error;
    await new Promise((done) => setTimeout(done, 100));
    return again(ask, tries - 1);
  }
}

/** A range of the protocol as one of the editor. */
export function range({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** A place of the protocol as one of the editor. */
export function location(place: Place): vscode.Location {
  return new vscode.Location(vscode.Uri.parse(place.uri), range(place.range));
}
