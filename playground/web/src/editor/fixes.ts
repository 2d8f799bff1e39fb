// Fixes and refactorings: behind findings, and at the cursor as a list.

import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { type Command, type EditorView, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { shownDocument } from "./document.ts";
import type { Client } from "../lsp/client.ts";
import { toRange } from "../lsp/positions.ts";
import type { CodeAction, Diagnostic, Range, WorkspaceEdit } from "../lsp/types.ts";
import { toUri } from "../project/names.ts";

/** Applies an edit to the project. */
export type ApplyEdit = (edit: WorkspaceEdit) => void;

/** What may be done at a range, in view of findings: edits. */
export function actionsAt(client: Client, name: string, range: Range, diagnostics: readonly Diagnostic[]): Promise<readonly CodeAction[]> {
  const params = { textDocument: { uri: toUri(name) }, range, context: { diagnostics } };
  return client.request<readonly CodeAction[] | null>("textDocument/codeAction", params).then((actions) => (actions ?? []).filter(({ command }) => command === undefined), () => []);
}

export async function perform(client: Client, action: CodeAction, apply: ApplyEdit): Promise<void> {
  const resolved = action.edit === undefined ? await client.request<CodeAction>("codeAction/resolve", action).catch(() => action) : action;
  if (resolved.edit !== undefined) apply(resolved.edit);
}

const setList = StateEffect.define<Tooltip | null>();

const shownList = StateField.define<Tooltip | null>({
  create: () => null,
  update: (list, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setList)) return effect.value;
    return transaction.docChanged || transaction.selection !== undefined ? null : list;
  },
  provide: (field) => showTooltip.from(field),
});

function list(view: EditorView, client: Client, actions: readonly CodeAction[], apply: ApplyEdit): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "actions";
  dom.setAttribute("role", "menu");
  for (const action of actions) {
    const button = dom.appendChild(document.createElement("button"));
    button.textContent = action.title;
    button.setAttribute("role", "menuitem");
    button.onclick = () => {
      view.dispatch({ effects: setList.of(null) });
      view.focus();
      void perform(client, action, apply);
    };
  }
  if (actions.length === 0) dom.textContent = "No fixes here";
  dom.onkeydown = (event) => {
    const buttons = [...dom.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) buttons.at((at + step) % buttons.length)?.focus();
    else if (event.key === "Escape") {
      view.dispatch({ effects: setList.of(null) });
      view.focus();
    } else return;
    event.preventDefault();
  };
  return dom;
}

/** The list of what may be done at the cursor, at Ctrl-`.`. */
export function fixes(diagnosticsOf: (name: string) => readonly Diagnostic[], apply: ApplyEdit): Extension {
  const open: Command = (view) => {
    const shown = view.state.facet(shownDocument);
    if (shown === undefined) return false;
    const { from, to } = view.state.selection.main;
    const range = toRange(view.state.doc, from, to);
    const here = diagnosticsOf(shown.name).filter((one) => touches(one.range, range));
    const client = shown.client();
    void actionsAt(client, shown.name, range, here).then((actions) => {
      const dom = list(view, client, actions, apply);
      view.dispatch({ effects: setList.of({ pos: from, create: () => ({ dom, mount: () => dom.querySelector("button")?.focus() }) }) });
    });
    return true;
  };
  return [shownList, keymap.of([{ key: "Mod-.", run: open }])];
}

function touches(one: Range, other: Range): boolean {
  const isBefore = (a: Range["start"], b: Range["start"]) => a.line < b.line || (a.line === b.line && a.character < b.character);
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}
