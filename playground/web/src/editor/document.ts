// Which document an editor shows, and the client that knows it.

import { Facet } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Client } from "../lsp/client.ts";
import { toPosition } from "../lsp/positions.ts";
import type { Place } from "../lsp/types.ts";
import { toUri } from "../project/names.ts";

export interface ShownDocument {
  readonly name: string;
  /** The client of now: a server that failed is replaced. */
  client(): Client;
}

export const shownDocument = Facet.define<ShownDocument, ShownDocument | undefined>({ combine: (values) => values[0] });

export function placeOf(view: EditorView, offset: number): Place | undefined {
  const shown = view.state.facet(shownDocument);
  return shown && { textDocument: { uri: toUri(shown.name) }, position: toPosition(view.state.doc, offset) };
}
