// What a page and a worker say to each other. Messages of the language server go through a port of their own.

/** Files by absolute path. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** What a command wrote, and its exit status. */
export interface Answer {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/** Vocabularies of tokenizers by name. They are large, so a page loads those that a project names. */
export type Vocabularies = Readonly<Record<string, string>>;

export type ToWorker =
  /** The first message. With a port, the worker is a language server, whose messages go through it. */
  | { readonly kind: "start"; readonly module: WebAssembly.Module; readonly files: Files; readonly vocabularies: Vocabularies; readonly port?: MessagePort }
  /** Replaces all that is below a folder. */
  | { readonly kind: "replace"; readonly folder: string; readonly files: Files }
  /** Runs a command. */
  | { readonly kind: "run"; readonly id: number; readonly working: string; readonly args: readonly string[] };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** The module failed. The worker is of no more use; `why` says where it failed, and quotes no file. */
  | { readonly kind: "failed"; readonly why: string };

/** A notification beside those of the language server, through the same port: files that were written or removed. */
export const FILES = "playground/files";

export interface FileChanges {
  readonly written: Files;
  readonly removed: readonly string[];
}
