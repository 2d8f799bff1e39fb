// One session with the language server: its documents, and what it reports of them.

import { CAPABILITIES } from "./capabilities.ts";
import { Connection } from "./connection.ts";
import type { Diagnostic, Legend, Range, ServerCapabilities, WorkspaceEdit } from "./types.ts";
import { FILES, type FileChanges } from "../engine/protocol.ts";
import { languageOf, toName, toUri, WORKSPACE } from "../project/names.ts";

export interface ContentChange {
  readonly range?: Range;
  readonly text: string;
}

export interface ClientEvents {
  /** The findings of a file, by name, and how many milliseconds after the last change they came. */
  diagnosed(name: string, diagnostics: readonly Diagnostic[], milliseconds: number): void;
  edit(edit: WorkspaceEdit): void;
  say(message: string): void;
}

export class Client {
  readonly connection: Connection;
  /** Settled when the server has answered the first request. */
  readonly started: Promise<void>;
  legend: Legend = { tokenTypes: [], tokenModifiers: [] };
  private readonly versions = new Map<string, number>();
  private changed = performance.now();

  constructor(port: MessagePort, events: ClientEvents) {
    this.connection = new Connection(port);
    this.connection.on("textDocument/publishDiagnostics", ({ uri, diagnostics }: { uri: string; diagnostics: Diagnostic[] }) => {
      const name = toName(uri);
      if (name !== undefined) events.diagnosed(name, diagnostics, performance.now() - this.changed);
    });
    this.connection.on("workspace/applyEdit", ({ edit }: { edit: WorkspaceEdit }) => {
      events.edit(edit);
      return { applied: true };
    });
    this.connection.on("window/showMessage", ({ message }: { message: string }) => events.say(message));
    this.started = this.initialize();
  }

  private async initialize(): Promise<void> {
    const params = { processId: null, capabilities: CAPABILITIES, workspaceFolders: [{ uri: toUri("").replace(/\/$/, ""), name: "playground" }] };
    const { capabilities } = await this.connection.request<{ capabilities: ServerCapabilities }>("initialize", params);
    this.legend = capabilities.semanticTokensProvider?.legend ?? this.legend;
    this.connection.notify("initialized", {});
  }

  isOpen(name: string): boolean {
    return this.versions.has(name);
  }

  open(name: string, text: string): void {
    if (this.isOpen(name)) return;
    this.versions.set(name, 1);
    this.changed = performance.now();
    this.connection.notify("textDocument/didOpen", { textDocument: { uri: toUri(name), languageId: languageOf(name), version: 1, text } });
  }

  change(name: string, contentChanges: readonly ContentChange[]): void {
    const version = (this.versions.get(name) ?? 0) + 1;
    this.versions.set(name, version);
    this.changed = performance.now();
    this.connection.notify("textDocument/didChange", { textDocument: { uri: toUri(name), version }, contentChanges });
  }

  /** Tells of files that came or went. */
  files(written: Readonly<Record<string, string>>, removed: readonly string[]): void {
    const encoder = new TextEncoder();
    const changes: FileChanges = {
      written: Object.fromEntries(Object.entries(written).map(([name, text]) => [`${WORKSPACE}/${name}`, encoder.encode(text)])),
      removed: removed.map((name) => `${WORKSPACE}/${name}`),
    };
    this.connection.notify(FILES, changes);
    for (const name of removed) {
      if (this.versions.delete(name)) this.connection.notify("textDocument/didClose", { textDocument: { uri: toUri(name) } });
    }
    const created = Object.keys(written).map((name) => ({ uri: toUri(name), type: 1 }));
    const deleted = removed.map((name) => ({ uri: toUri(name), type: 3 }));
    this.connection.notify("workspace/didChangeWatchedFiles", { changes: [...created, ...deleted] });
  }

  request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result> {
    return this.connection.request<Result>(method, params, signal);
  }
}
