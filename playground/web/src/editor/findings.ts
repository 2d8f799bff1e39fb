// Findings below the text that they are about, with their fixes.

import { type Action, type Diagnostic as Shown, setDiagnostics } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { shownDocument } from "./document.ts";
import { actionsAt, type ApplyEdit, perform } from "./fixes.ts";
import type { Client } from "../lsp/client.ts";
import { toOffset, toRange } from "../lsp/positions.ts";
import type { CodeAction, Diagnostic } from "../lsp/types.ts";

const SEVERITIES = ["error", "error", "warning", "info", "hint"] as const;

/** Milliseconds after which fixes are requested: a pointer does not reach a finding sooner. */
const PAUSE = 120;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows findings at once, and their fixes when they are known. */
export function showFindings(view: EditorView, diagnostics: readonly Diagnostic[], apply: ApplyEdit): void {
  const { doc } = view.state;
  const shown = view.state.facet(shownDocument);
  if (shown === undefined) return;
  view.dispatch(setDiagnostics(view.state, diagnostics.map((one) => toShown(view, one, []))));
  clearTimeout(timer);
  if (diagnostics.length === 0) return;
  timer = setTimeout(async () => {
    if (view.state.doc !== doc) return;
    const client = shown.client();
    const actions = await actionsAt(client, shown.name, toRange(doc, 0, doc.length), diagnostics);
    if (view.state.doc !== doc || view.state.facet(shownDocument) !== shown) return;
    const withFixes = diagnostics.map((one) => toShown(view, one, fixesOf(client, one, actions, apply)));
    view.dispatch(setDiagnostics(view.state, withFixes));
  }, PAUSE);
}

function fixesOf(client: Client, diagnostic: Diagnostic, actions: readonly CodeAction[], apply: ApplyEdit): Action[] {
  const isAbout = (action: CodeAction) => action.diagnostics?.some((one) => isSame(one, diagnostic)) === true;
  return actions.filter(isAbout).slice(0, 4).map((action) => ({ name: action.title, apply: () => void perform(client, action, apply) }));
}

function isSame(one: Diagnostic, other: Diagnostic): boolean {
  return one.code === other.code && JSON.stringify(one.range) === JSON.stringify(other.range);
}

function toShown(view: EditorView, { range, severity, code, message, tags }: Diagnostic, actions: Action[]): Shown {
  const { doc } = view.state;
  const [from, to] = [toOffset(doc, range.start), toOffset(doc, range.end)];
  return {
    from,
    to: Math.max(from, to),
    severity: SEVERITIES[severity],
    source: code ?? "",
    message,
    actions,
    ...(tags?.includes(1) === true && { markClass: "unnecessary" }),
  };
}
