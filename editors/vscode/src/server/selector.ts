// Which documents the server is told about.

import type { DocumentSelector } from "vscode-languageclient/node";

/** The languages that captured replies are kept in. */
const TRANSCRIPTS = ["json", "jsonc", "jsonl", "markdown", "plaintext", "log"];

/** Policies, what may be a transcript, what prompts are made of besides, and the configuration. */
export const SELECTOR: DocumentSelector = [
  ...["file", "untitled"].map((scheme) => ({ scheme, language: "mangle" })),
  // Those that are transcripts get answers, nothing is said of the others.
  ...TRANSCRIPTS.map((language) => ({ scheme: "file", language })),
  // Session files and prompt atoms count as they are in the editor; nothing is said of the others.
  { scheme: "file", pattern: "**/*.{yaml,yml}" },
  // Grammars of replies, where a configuration names them.
  { scheme: "file", pattern: "**/*.{gbnf,ebnf,lark,regex}" },
  // Whatever language the editor takes it for: its findings come while one types in it.
  { scheme: "file", pattern: "**/mangle-ls.toml" },
];
