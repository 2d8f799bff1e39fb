// Panels of one kind: opened once for each thing, filled by the server, again after each change, and restored with the window.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { onDocumentChanged } from "../documents/changes.ts";
import { again, location } from "../documents/made.ts";
import { isWorkspaceFile } from "../documents/workspace_file.ts";
import type { Place } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import type { Served } from "../server/server.ts";
import { type Reader, incoming, placesIn } from "./incoming.ts";
import type { Said, Shown } from "./messages.ts";
import { page } from "./page.ts";

/** Milliseconds without an edit until what is shown is made anew. */
const DELAY = 250;

/** What makes panels of a kind special. */
export interface Kind<Of> {
  /** The name of the view, and of its script in `dist/web`. */
  name: "preview" | "report" | "graph";
  title(of: Of): string;
  /** Two things with one key share a panel. */
  key(of: Of): string;
  /** Validates what a page asks for, or what it stored before the window was restored. */
  read: Reader<Of>;
  /** What the page is filled with. */
  data(of: Of, client: LanguageClient): Promise<unknown>;
  /** Shows the same as text, where that can be done. */
  asText?(of: Of): Promise<void>;
  /** Whether an edit of this document changes what is shown. */
  isMadeOf(document: vscode.TextDocument): boolean;
}

interface Panel<Of> {
  of: Of;
  view: vscode.WebviewPanel;
  /** What is shown may not be what it should be. */
  isStale: boolean;
  /** How often it was asked for: an answer that was overtaken is not shown. */
  asked: number;
  /** The places in what was sent to the page. */
  places: ReadonlySet<string>;
}

export class Panels<Of extends { uri: string }> implements Served, vscode.WebviewPanelSerializer, vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly extension: vscode.Uri;
  private readonly kind: Kind<Of>;
  private readonly panels = new Map<string, Panel<Of>>();
  private readonly registrations: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(extension: vscode.Uri, kind: Kind<Of>) {
    this.extension = extension;
    this.kind = kind;
    this.registrations = [
      vscode.window.registerWebviewPanelSerializer(this.type, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => kind.isMadeOf(document) && this.later()),
      vscode.workspace.onDidSaveTextDocument((document) => kind.isMadeOf(document) && this.later()),
    ];
  }

  private get type(): string {
    return `mangle.${this.kind.name}`;
  }

  serve(client: LanguageClient): void {
    this.client = client;
    client.onDidChangeState(() => client.isRunning() && this.later());
    onDocumentChanged(client, () => this.later());
  }

  /** Shows the panel of a thing, beside what is edited. */
  open(of: Of): void {
    const known = this.panels.get(this.kind.key(of));
    if (known !== undefined) {
      known.of = of;
      known.view.reveal(undefined, true);
      void this.fill(known);
      return;
    }
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.take(of, vscode.window.createWebviewPanel(this.type, this.kind.title(of), where, { enableFindWidget: true }));
  }

  async deserializeWebviewPanel(view: vscode.WebviewPanel, state: { of?: unknown } | undefined): Promise<void> {
    const of = this.kind.read(state?.of);
    if (of === undefined) view.dispose();
    else this.take(of, view);
  }

  private take(of: Of, view: vscode.WebviewPanel): void {
    const panel: Panel<Of> = { of, view, isStale: true, asked: 0, places: new Set() };
    const key = this.kind.key(of);
    this.panels.set(key, panel);
    const [media, web] = [vscode.Uri.joinPath(this.extension, "media"), vscode.Uri.joinPath(this.extension, "dist", "web")];
    view.webview.options = { enableScripts: true, localResourceRoots: [media, web] };
    view.iconPath = vscode.Uri.joinPath(media, "mangle.svg");
    view.webview.onDidReceiveMessage((message: unknown) => this.receive(panel, message));
    view.onDidChangeViewState(() => panel.isStale && void this.fill(panel));
    view.onDidDispose(() => this.forget(key, panel));
    view.webview.html = page({
      source: view.webview.cspSource,
      script: view.webview.asWebviewUri(vscode.Uri.joinPath(web, `${this.kind.name}.js`)).toString(),
      style: view.webview.asWebviewUri(vscode.Uri.joinPath(media, "panels.css")).toString(),
      nonce: crypto.randomUUID(),
      title: this.kind.title(of),
    });
  }

  private forget(key: string, panel: Panel<Of>): void {
    if (this.panels.get(key) === panel) this.panels.delete(key);
    // An answer that is still to come is of no use, and a view that is gone takes none.
    panel.asked++;
  }

  private async receive(panel: Panel<Of>, message: unknown): Promise<void> {
    const said = incoming(message, { of: panel.of, read: this.kind.read, places: panel.places });
    if (said === undefined) this.client?.warn(`Ignored a message of the panel "${this.kind.title(panel.of)}": the panel does not support it.`);
    else await this.hear(panel, said);
  }

  private async hear(panel: Panel<Of>, said: Said<Of>): Promise<void> {
    if (said.type === "ready") await this.fill(panel);
    else if (said.type === "open") await show(said.place);
    else if (said.type === "text") await this.kind.asText?.(panel.of);
    else {
      panel.of = said.of;
      await this.fill(panel);
    }
  }

  /** What is hidden is made anew when somebody looks at it. */
  private later(): void {
    for (const panel of this.panels.values()) panel.isStale = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (const panel of this.panels.values()) if (panel.isStale) void this.fill(panel);
    }, DELAY);
  }

  private async fill(panel: Panel<Of>): Promise<void> {
    const client = this.client;
    if (client?.isRunning() !== true || !panel.view.visible) return;
    panel.isStale = false;
    const of = panel.of;
    const asked = ++panel.asked;
    const message = await this.made(of, client);
    // Something else is wanted by now, or newer.
    if (panel.asked !== asked) return;
    panel.view.title = this.kind.title(of);
    panel.places = message.type === "show" ? placesIn(message.data) : new Set();
    await panel.view.webview.postMessage(message);
  }

  private async made(of: Of, client: LanguageClient): Promise<Shown<Of, unknown>> {
    try {
      return { type: "show", of, data: await again(() => this.kind.data(of, client)) };
    } catch (error) {
      return { type: "failed", of, message: reasonOf(error) };
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const registration of this.registrations) registration.dispose();
    for (const panel of [...this.panels.values()]) panel.view.dispose();
  }
}

/** Shows a place in an editor: one that has the file already, else one that holds text. */
async function show(place: Place): Promise<void> {
  const to = location(place);
  const open = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === to.uri.toString());
  const some = vscode.window.visibleTextEditors.find(({ document }) => isWorkspaceFile(document.uri));
  const column = open?.viewColumn ?? some?.viewColumn ?? vscode.ViewColumn.One;
  await vscode.window.showTextDocument(to.uri, { selection: to.range, viewColumn: column });
}
