// The client of the protocol in VS Code for the Web: the server is a module of WebAssembly in a worker. In place of `server/client.ts`.

import * as vscode from "vscode";
import { BrowserMessageReader, BrowserMessageWriter, LanguageClient, type LanguageClientOptions, type MessageTransports, type Middleware } from "vscode-languageclient/browser";
import { type Mapped, mapped, translated } from "./addresses.ts";
import { WANTED, collect } from "./workspace_files.ts";
import { FILES, type FileChanges } from "../../../../playground/web/src/engine/protocol.ts";
import { startServer } from "../../../../playground/web/src/engine/remote.ts";
import type { Program } from "../server/life.ts";
import { type Listener, listening } from "../server/listener.ts";
import { SELECTOR } from "../server/selector.ts";

export class Client extends LanguageClient implements Program {
  private readonly ending: { done: boolean; parts: { dispose(): unknown }[] };

  constructor(_program: string, log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener) {
    const ending = { done: false, parts: [] as { dispose(): unknown }[] };
    const failed = (why: string): void => {
      log.error(`The server failed: ${why}`);
      if (!ending.done) listener.closed();
    };
    super("mangle", "Mangle", () => start(log, ending.parts, failed), options(log, middleware, listener));
    this.ending = ending;
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  ask(): Promise<unknown> {
    return this.sendRequest("mangle/status");
  }

  async end(): Promise<void> {
    this.ending.done = true;
    await this.stop().catch(() => undefined);
    for (const part of this.ending.parts.splice(0)) part.dispose();
  }
}

/** Starts a worker over the files of the workspace. Gives the way to it, with addresses as the server has them. */
async function start(log: vscode.LogOutputChannel, parts: { dispose(): unknown }[], failed: (why: string) => void): Promise<MessageTransports> {
  const folder = vscode.Uri.joinPath(own().extensionUri, "dist/browser");
  const read = (name: string) => vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, name));
  const [script, bytes, { files, missing }] = await Promise.all([read("worker.js"), read("mangle-ls.wasm"), collect()]);
  if (missing !== undefined) void vscode.window.showWarningMessage(missing);
  const module = await WebAssembly.compile(bytes as BufferSource);
  const folders = mapped((vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ uri: uri.toString(), name })));
  const inside = files.map(([uri, data]) => [pathOf(uri, folders), data] as const).filter(([path]) => path !== undefined);
  // The script is not always at an address that a worker may load.
  const address = URL.createObjectURL(new Blob([script as BlobPart], { type: "text/javascript" }));
  const worker = new Worker(address);
  parts.push({ dispose: () => worker.terminate() }, { dispose: () => URL.revokeObjectURL(address) });
  const server = startServer(worker, { module, vocabularies: {} }, Object.fromEntries(inside), failed);
  parts.push(watch(server, folders));
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = ({ data }) => server.postMessage(translated(data, folders, "in"));
  server.onmessage = ({ data }) => port2.postMessage(translated(data, folders, "out"));
  log.info(`The server has ${inside.length} files of the workspace.`);
  return { reader: new BrowserMessageReader(port1), writer: new BrowserMessageWriter(port1) };
}

/** This extension. */
function own(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension("mangle-ls.mangle-ls");
  if (extension === undefined) throw new Error("the extension does not find itself");
  return extension;
}

/** The path of a file in the module's file system. */
function pathOf(uri: vscode.Uri, folders: readonly Mapped[]): string | undefined {
  const address = translated(uri.toString(), folders, "in") as string;
  return address.startsWith("file:///workspace/") ? decodeURIComponent(address.slice("file://".length)) : undefined;
}

/** Keeps the module's files as they are in the workspace. */
function watch(server: MessagePort, folders: readonly Mapped[]): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(WANTED);
  const changed = async (uri: vscode.Uri, type: 1 | 2 | 3): Promise<void> => {
    const path = pathOf(uri, folders);
    if (path === undefined) return;
    const data = type === 3 ? undefined : await Promise.resolve(vscode.workspace.fs.readFile(uri)).catch(() => undefined);
    const changes: FileChanges = { written: data === undefined ? {} : { [path]: data }, removed: data === undefined ? [path] : [] };
    server.postMessage({ jsonrpc: "2.0", method: FILES, params: changes });
    const event = { uri: translated(uri.toString(), folders, "in"), type };
    server.postMessage({ jsonrpc: "2.0", method: "workspace/didChangeWatchedFiles", params: { changes: [event] } });
  };
  watcher.onDidCreate((uri) => changed(uri, 1));
  watcher.onDidChange((uri) => changed(uri, 2));
  watcher.onDidDelete((uri) => changed(uri, 3));
  return watcher;
}

function options(log: vscode.LogOutputChannel, middleware: Middleware, listener: Listener): LanguageClientOptions {
  const schemes = new Set(["file", ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme)]);
  const inSchemes = SELECTOR.flatMap((filter) =>
    typeof filter === "object" && "scheme" in filter && filter.scheme === "file" ? [...schemes].map((scheme) => ({ ...filter, scheme })) : [filter],
  );
  return {
    documentSelector: inSchemes,
    synchronize: { configurationSection: "mangle" },
    outputChannel: log,
    ...listening(middleware, listener),
  };
}
