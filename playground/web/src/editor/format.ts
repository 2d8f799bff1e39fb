// Formats the document as `mangle-ls format` does.

import type { EditorView } from "@codemirror/view";
import { shownDocument } from "./document.ts";
import { toChanges } from "./edits.ts";
import type { TextEdit } from "../lsp/types.ts";
import { toUri } from "../project/names.ts";

/** Gives whether the server has a format for the document. */
export async function format(view: EditorView): Promise<boolean> {
  const shown = view.state.facet(shownDocument);
  if (shown === undefined) return false;
  const { doc } = view.state;
  const params = { textDocument: { uri: toUri(shown.name) }, options: { tabSize: 4, insertSpaces: true } };
  const edits = await shown.client().request<readonly TextEdit[] | null>("textDocument/formatting", params).catch(() => null);
  if (edits === null || view.state.doc !== doc) return edits !== null;
  view.dispatch({ changes: toChanges(doc, edits), userEvent: "format" });
  return true;
}
