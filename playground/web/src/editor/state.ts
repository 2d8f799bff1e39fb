// The state of an editor for one file.

import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tellChanges } from "./changes.ts";
import { completion } from "./complete.ts";
import { goToDefinition, type GoTo } from "./definition.ts";
import { type ShownDocument, shownDocument } from "./document.ts";
import { type ApplyEdit, fixes } from "./fixes.ts";
import { format } from "./format.ts";
import { hover } from "./hover.ts";
import { tokens } from "./tokens.ts";
import type { Diagnostic } from "../lsp/types.ts";

export interface EditorEvents {
  diagnosticsOf(name: string): readonly Diagnostic[];
  applyEdit: ApplyEdit;
  goTo: GoTo;
  changed(): void;
}

export function stateOf(text: string, shown: ShownDocument, events: EditorEvents): EditorState {
  return EditorState.create({
    // The bytes stay as they are: a carriage return is a character, and rules look at it.
    doc: EditorState.create({ doc: text, extensions: EditorState.lineSeparator.of("\n") }).doc,
    extensions: [
      EditorState.lineSeparator.of("\n"),
      shownDocument.of(shown),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      lintGutter(),
      hover,
      completion,
      tokens,
      tellChanges,
      fixes(events.diagnosticsOf, events.applyEdit),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) events.changed();
      }),
      EditorView.domEventHandlers({
        mousedown: (event, view) => {
          const offset = event.ctrlKey || event.metaKey ? view.posAtCoords(event) : null;
          if (offset === null) return false;
          void goToDefinition(view, offset, events.goTo);
          return true;
        },
      }),
      keymap.of([
        { key: "F12", run: (view) => (void goToDefinition(view, view.state.selection.main.head, events.goTo), true) },
        { key: "Shift-Alt-f", run: (view) => (void format(view), true) },
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...completionKeymap,
        ...lintKeymap,
      ]),
      EditorView.contentAttributes.of({ "aria-label": shown.name }),
    ],
  });
}
