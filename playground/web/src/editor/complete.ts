// Completion by the server, snippets included.

import { autocompletion, type Completion, type CompletionContext, type CompletionResult, pickedCompletion, snippet } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { placeOf, shownDocument } from "./document.ts";
import { render } from "./markup.ts";
import type { Client } from "../lsp/client.ts";
import { toOffset } from "../lsp/positions.ts";
import type { CompletionItem } from "../lsp/types.ts";

/** What an item is, by the numbers of the protocol. */
const KINDS: Readonly<Record<number, string>> = { 3: "function", 6: "variable", 7: "type", 9: "namespace", 12: "constant", 14: "keyword", 15: "text", 20: "constant", 21: "constant", 22: "type" };

/** What may be typed while a list is shown: the characters of words of the language. */
const WORD = /^[\w:/.~-]*$/;

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const { view } = context;
  const shown = view?.state.facet(shownDocument);
  if (view === undefined || shown === undefined) return null;
  const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
  if (!context.explicit && !/[\w:/!@]/.test(before)) return null;
  const abort = new AbortController();
  context.addEventListener("abort", () => abort.abort());
  const client = shown.client();
  const answer = await client
    .request<{ items: CompletionItem[] } | CompletionItem[] | null>("textDocument/completion", placeOf(view, context.pos), abort.signal)
    .catch(() => null);
  if (answer === null || context.aborted) return null;
  const items = Array.isArray(answer) ? answer : answer.items;
  const starts = items.map((item) => item.textEdit?.range).filter((range) => range !== undefined).map((range) => toOffset(context.state.doc, range.start));
  const from = starts.length > 0 ? Math.min(...starts) : (context.matchBefore(/[\w:/]+/)?.from ?? context.pos);
  return { from, options: items.map((item, index) => option(client, item, index)), validFor: WORD };
}

function option(client: Client, item: CompletionItem, index: number): Completion {
  const detail = item.labelDetails?.detail ?? item.detail;
  return {
    label: item.filterText ?? item.label,
    displayLabel: item.label,
    type: KINDS[item.kind ?? 0] ?? "text",
    ...(detail !== undefined && { detail }),
    // The order of the server, where the text that was typed fits as well.
    boost: -Math.min(index, 99),
    info: () => documentation(client, item),
    apply: (view, completion, from, to) => apply(view, completion, item, from, to),
  };
}

async function documentation(client: Client, item: CompletionItem): Promise<Node | null> {
  const resolved = item.documentation === undefined ? await client.request<CompletionItem>("completionItem/resolve", item).catch(() => item) : item;
  const { documentation: text } = resolved;
  return text === undefined ? null : render(typeof text === "string" ? text : text.value);
}

function apply(view: EditorView, completion: Completion, item: CompletionItem, from: number, to: number): void {
  const text = item.textEdit?.newText ?? item.insertText ?? item.label;
  if (item.insertTextFormat === 2) {
    snippet(toTemplate(text))(view, completion, from, to);
    return;
  }
  const further = (item.additionalTextEdits ?? []).map((edit) => ({ from: toOffset(view.state.doc, edit.range.start), to: toOffset(view.state.doc, edit.range.end), insert: edit.newText }));
  view.dispatch({
    changes: [...further, { from, to, insert: text }],
    selection: undefined,
    annotations: pickedCompletion.of(completion),
    userEvent: "input.complete",
  } as Parameters<EditorView["dispatch"]>[0]);
  if (further.length === 0) view.dispatch({ selection: { anchor: from + text.length } });
}

/** A snippet of the protocol as one of the editor: `$1` and `${1:X}` as `${}` and `${X}`. */
export function toTemplate(text: string): string {
  return text.replace(/\\([\\$}])|\$\{\d+(?::([^}]*))?\}|\$\d+/g, (_, escaped: string | undefined, name: string | undefined) => escaped ?? `\${${name ?? ""}}`);
}

export const completion = autocompletion({ override: [complete], icons: false, defaultKeymap: true });
