// Which documents are about Mangle.

import type * as vscode from "vscode";

/** Policies, their configuration, what the server makes of them, and files that are named as transcripts are. */
export function isOurs({ languageId, uri }: vscode.TextDocument): boolean {
  if (languageId === "mangle" || uri.scheme.startsWith("mangle-")) return true;
  return /(?:^|\/)mangle-ls\.toml$|\.piggyback\.\w+$|\/transcripts\//.test(uri.path);
}
