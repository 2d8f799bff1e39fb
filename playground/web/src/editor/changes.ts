// Tells the server of every change, at once and as small as it is.

import type { ChangeSet, Text } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { shownDocument } from "./document.ts";
import type { ContentChange } from "../lsp/client.ts";
import { toRange } from "../lsp/positions.ts";

/** The changes from the end of the document to its start, so that none moves the places of the next. */
function contentChanges(before: Text, changes: ChangeSet): ContentChange[] {
  const all: ContentChange[] = [];
  changes.iterChanges((from, to, _fromNew, _toNew, inserted) => all.push({ range: toRange(before, from, to), text: inserted.sliceString(0) }));
  return all.reverse();
}

export const tellChanges = EditorView.updateListener.of((update) => {
  const shown = update.state.facet(shownDocument);
  if (shown !== undefined && update.docChanged) shown.client().change(shown.name, contentChanges(update.startState.doc, update.changes));
});
