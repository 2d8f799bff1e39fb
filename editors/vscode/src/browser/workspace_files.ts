// The files of the workspace, which the module gets at its start: it reads nothing by itself.

import * as vscode from "vscode";

/** What programs, prompts and transcripts are made of. */
export const WANTED = "**/*.{mg,gl,toml,yaml,yml,json,jsonl,ndjson,log,txt,md,csv,gbnf,ebnf,lark,regex,gitignore,ignore}";
const UNWANTED = "**/{node_modules,target,.git}/**";

/** The most files, and the most bytes of all of them. */
const MOST_FILES = 5_000;
const MOST_BYTES = 64 << 20;

export interface Collected {
  readonly files: readonly (readonly [vscode.Uri, Uint8Array])[];
  /** Why some are missing. */
  readonly missing?: string;
}

export async function collect(): Promise<Collected> {
  const found = await vscode.workspace.findFiles(WANTED, UNWANTED, MOST_FILES + 1);
  const files: (readonly [vscode.Uri, Uint8Array])[] = [];
  let bytes = 0;
  for (const uri of found.slice(0, MOST_FILES)) {
    const data = await Promise.resolve(vscode.workspace.fs.readFile(uri)).catch(() => undefined);
    if (data === undefined) continue;
    bytes += data.length;
    if (bytes > MOST_BYTES) return { files, missing: `The workspace has more than ${MOST_BYTES >> 20} MiB of files; the rest is not checked.` };
    files.push([uri, data]);
  }
  return found.length > MOST_FILES ? { files, missing: `The workspace has more than ${MOST_FILES} files; the rest is not checked.` } : { files };
}
