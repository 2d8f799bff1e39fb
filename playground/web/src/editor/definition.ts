// Goes where a name is declared.

import type { EditorView } from "@codemirror/view";
import { placeOf, shownDocument } from "./document.ts";
import type { Location, Range } from "../lsp/types.ts";
import { toName } from "../project/names.ts";

export type GoTo = (name: string, range: Range) => void;

export async function goToDefinition(view: EditorView, offset: number, goTo: GoTo): Promise<void> {
  const shown = view.state.facet(shownDocument);
  const answer = await shown?.client().request<Location | readonly Location[] | null>("textDocument/definition", placeOf(view, offset)).catch(() => null);
  const first = [answer ?? []].flat()[0] as Location | undefined;
  const name = first === undefined ? undefined : toName(first.uri);
  if (first !== undefined && name !== undefined) goTo(name, first.range);
}
