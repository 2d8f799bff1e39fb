// The parts of the protocol that the page uses.

import type { Position, Range } from "./connection.ts";

export type { Position, Range } from "./connection.ts";

export interface Diagnostic {
  readonly range: Range;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  readonly severity: 1 | 2 | 3 | 4;
  readonly code?: string;
  readonly message: string;
  readonly tags?: readonly number[];
}

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

export interface WorkspaceEdit {
  readonly changes?: Readonly<Record<string, readonly TextEdit[]>>;
  readonly documentChanges?: readonly { readonly textDocument?: { readonly uri: string }; readonly edits?: readonly TextEdit[]; readonly kind?: string; readonly uri?: string }[];
}

export interface CodeAction {
  readonly title: string;
  readonly kind?: string;
  readonly diagnostics?: readonly Diagnostic[];
  readonly isPreferred?: boolean;
  readonly edit?: WorkspaceEdit;
  readonly data?: unknown;
  /** What the page has no use for. */
  readonly command?: unknown;
}

export interface MarkupContent {
  readonly kind: "markdown" | "plaintext";
  readonly value: string;
}

export interface Hover {
  readonly contents: MarkupContent;
  readonly range?: Range;
}

export interface CompletionItem {
  readonly label: string;
  readonly labelDetails?: { readonly detail?: string; readonly description?: string };
  readonly kind?: number;
  readonly detail?: string;
  readonly documentation?: string | MarkupContent;
  readonly sortText?: string;
  readonly filterText?: string;
  readonly insertText?: string;
  /** 2 for a snippet. */
  readonly insertTextFormat?: number;
  readonly textEdit?: { readonly range?: Range; readonly insert?: Range; readonly newText: string };
  readonly additionalTextEdits?: readonly TextEdit[];
}

export interface Location {
  readonly uri: string;
  readonly range: Range;
}

export interface SemanticTokens {
  readonly data: readonly number[];
}

export interface Legend {
  readonly tokenTypes: readonly string[];
  readonly tokenModifiers: readonly string[];
}

export interface ServerCapabilities {
  readonly semanticTokensProvider?: { readonly legend: Legend };
  readonly completionProvider?: { readonly triggerCharacters?: readonly string[] };
}

/** A place in a document. */
export interface Place {
  readonly textDocument: { readonly uri: string };
  readonly position: Position;
}
