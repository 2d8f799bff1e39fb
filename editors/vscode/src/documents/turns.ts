// The turns of the conversation in front, at the side: which were denied, which lost updates, which correct themselves. Choosing one goes
// there.

import * as vscode from "vscode";
import { type Made, shownAs } from "./made.ts";

const VIEW = "mangle.turns";
const GO = "mangle.goToTurn";

/** A turn, or the way to the records before or after those that are shown. */
type Row = { turn: NonNullable<Made["turns"]>[number] } | { address: string; label: string };

/** The view beside the explorer. */
export class Turns implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Row>;
  private readonly listeners: vscode.Disposable[];
  private shown: { uri: vscode.Uri; rows: Row[]; line?: number } | undefined;
  readonly onDidChangeTreeData = this.changed.event;

  constructor() {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.listeners = [
      // Its rows are there a moment later.
      this.view.onDidChangeVisibility(({ visible }) => visible && setTimeout(() => this.select(), 300)),
      vscode.commands.registerCommand(GO, (uri: vscode.Uri, line: number) => showAt(uri, line, false)),
    ];
  }

  /** Shows the turns of a conversation. */
  show(uri: vscode.Uri, made: Made): void {
    const { before, after } = made.window ?? { before: null, after: null };
    const rows: Row[] = [
      ...(before === null ? [] : [{ address: before, label: "Records before" }]),
      ...(made.turns ?? []).map((turn) => ({ turn })),
      ...(after === null ? [] : [{ address: after, label: "Records after" }]),
    ];
    const line = this.shown?.uri.toString() === uri.toString() ? this.shown.line : undefined;
    this.shown = { uri, rows, ...(line !== undefined && { line }) };
    this.view.description = uri.path.replace(/^\/| \([^)]*\)$/g, "");
    this.changed.fire(undefined);
    void vscode.commands.executeCommand("setContext", "mangle.hasTurns", true);
  }

  /** Forgets a conversation that is closed. */
  close(uri: vscode.Uri): void {
    if (this.shown?.uri.toString() !== uri.toString()) return;
    this.shown = undefined;
    this.changed.fire(undefined);
    void vscode.commands.executeCommand("setContext", "mangle.hasTurns", false);
  }

  /** The cursor is on a line of a conversation: its turn is the selected one. */
  follow(uri: vscode.Uri, line: number): void {
    if (this.shown?.uri.toString() !== uri.toString()) return;
    this.shown.line = line;
    this.select();
  }

  private select(): void {
    const line = this.shown?.line;
    if (!this.view.visible || line === undefined) return;
    const isAround = (row: Row): boolean => "turn" in row && row.turn.startLine <= line && line <= row.turn.endLine;
    const row = this.shown?.rows.find(isAround);
    if (row !== undefined) this.view.reveal(row, { select: true, focus: false }).then(undefined, () => undefined);
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? (this.shown?.rows ?? []) : [];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const uri = this.shown?.uri;
    if ("address" in row) {
      const item = new vscode.TreeItem(row.label);
      item.iconPath = new vscode.ThemeIcon("ellipsis");
      const path = uri?.path.replace(/ \([^)]*\)$/, "") ?? "";
      item.command = { command: "vscode.open", title: "Open", arguments: [shownAs(path, "conversation", row.address)] };
      return item;
    }
    const { title, excerpt, startLine } = row.turn;
    const marks = marksOf(row.turn);
    const item = new vscode.TreeItem(title);
    item.id = `${startLine}`;
    item.description = [...marks, excerpt].filter((part) => part !== "").join(" · ");
    item.tooltip = [title, ...marks, excerpt].filter((part) => part !== "").join("\n");
    item.iconPath = iconOf(row.turn);
    item.accessibilityInformation = { label: [title, ...marks, excerpt].filter((part) => part !== "").join(", ") };
    item.command = { command: GO, title: "Go to Turn", arguments: [uri, startLine] };
    return item;
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
    this.view.dispose();
    this.changed.dispose();
  }
}

/** Shows a line of a document that is open, where it is open. */
export async function showAt(uri: vscode.Uri, line: number, preserveFocus: boolean): Promise<void> {
  const isThere = ({ input }: vscode.Tab): boolean => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  const group = vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(isThere));
  const selection = new vscode.Range(line, 0, line, 0);
  const where = group === undefined ? {} : { viewColumn: group.viewColumn };
  const shown = await vscode.window.showTextDocument(uri, { ...where, preserveFocus, selection });
  shown.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** What became of a turn, in words. */
function marksOf({ denied, lost, corrects }: NonNullable<Made["turns"]>[number]): string[] {
  return [
    ...(denied > 0 ? [`${denied} denied`] : []),
    ...(lost > 0 ? [`${lost} ${lost === 1 ? "update" : "updates"} lost`] : []),
    ...(corrects ? ["corrects itself"] : []),
  ];
}

/** The worst of what became of a turn. */
function iconOf({ number, denied, lost, corrects }: NonNullable<Made["turns"]>[number]): vscode.ThemeIcon {
  if (denied > 0) return new vscode.ThemeIcon("circle-slash", new vscode.ThemeColor("list.errorForeground"));
  if (lost > 0) return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  if (corrects) return new vscode.ThemeIcon("history");
  return new vscode.ThemeIcon(number === undefined ? "account" : "comment");
}
