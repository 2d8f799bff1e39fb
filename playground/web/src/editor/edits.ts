// Edits of the server as changes of texts.

import type { ChangeSpec, Text } from "@codemirror/state";
import { toOffset } from "../lsp/positions.ts";
import type { TextEdit, WorkspaceEdit } from "../lsp/types.ts";
import { toName } from "../project/names.ts";

export function toChanges(doc: Text, edits: readonly TextEdit[]): ChangeSpec[] {
  return edits.map(({ range, newText }) => ({ from: toOffset(doc, range.start), to: toOffset(doc, range.end), insert: newText }));
}

/** The edits of each file, by name, and the files that are to be made. */
export function byFile(edit: WorkspaceEdit): { edits: Map<string, readonly TextEdit[]>; created: string[] } {
  const edits = new Map<string, readonly TextEdit[]>();
  const created: string[] = [];
  const add = (uri: string, more: readonly TextEdit[]) => {
    const name = toName(uri);
    if (name !== undefined) edits.set(name, [...(edits.get(name) ?? []), ...more]);
  };
  for (const [uri, more] of Object.entries(edit.changes ?? {})) add(uri, more);
  for (const change of edit.documentChanges ?? []) {
    const name = change.kind === "create" && change.uri !== undefined ? toName(change.uri) : undefined;
    if (name !== undefined) created.push(name);
    if (change.textDocument !== undefined) add(change.textDocument.uri, change.edits ?? []);
  }
  return { edits, created };
}
