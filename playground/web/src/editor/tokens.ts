// Colours by the server's semantic tokens: asked for when the text has been still for a moment, moved with the text until then.

import { type Range, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { shownDocument } from "./document.ts";
import { toOffset } from "../lsp/positions.ts";
import type { Legend, SemanticTokens } from "../lsp/types.ts";
import { toUri } from "../project/names.ts";

/** Milliseconds without a change. */
const PAUSE = 30;

const setTokens = StateEffect.define<DecorationSet>();

const shownTokens = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (tokens, transaction) => {
    for (const effect of transaction.effects) if (effect.is(setTokens)) return effect.value;
    return tokens.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Painter {
  private readonly view: EditorView;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView) {
    this.view = view;
    this.schedule(0);
  }

  update(update: ViewUpdate): void {
    if (update.docChanged) this.schedule(PAUSE);
  }

  destroy(): void {
    clearTimeout(this.timer);
  }

  private schedule(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.paint(), pause);
  }

  private async paint(): Promise<void> {
    const shown = this.view.state.facet(shownDocument);
    if (shown === undefined) return;
    const { doc } = this.view.state;
    const client = shown.client();
    await client.started.catch(() => undefined);
    const answer = await client.request<SemanticTokens | null>("textDocument/semanticTokens/full", { textDocument: { uri: toUri(shown.name) } }).catch(() => undefined);
    if (this.view.state.doc !== doc) return;
    if (answer === undefined) this.schedule(10 * PAUSE);
    else this.view.dispatch({ effects: setTokens.of(decorations(this.view, answer, client.legend)) });
  }
}

function decorations(view: EditorView, tokens: SemanticTokens | null, legend: Legend): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at + 4 < (tokens?.data.length ?? 0); at += 5) {
    const [lines = 0, characters = 0, length = 0, type = 0, modifiers = 0] = tokens?.data.slice(at, at + 5) ?? [];
    character = lines > 0 ? characters : character + characters;
    line += lines;
    const from = toOffset(view.state.doc, { line, character });
    const to = toOffset(view.state.doc, { line, character: character + length });
    const negated = legend.tokenModifiers.some((name, bit) => name === "negated" && (modifiers & (1 << bit)) !== 0);
    if (from < to) ranges.push(Decoration.mark({ class: `token-${legend.tokenTypes[type]}${negated ? " negated" : ""}` }).range(from, to));
  }
  return RangeSet.of(ranges, true);
}

export const tokens = [shownTokens, ViewPlugin.define((view) => new Painter(view))];
