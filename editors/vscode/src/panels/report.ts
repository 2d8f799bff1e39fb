// The report of a replayed transcript: the page of `mangle-ls replay --report`, which the server makes, with the colours of the editor.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { isWorkspaceFile } from "../documents/workspace_file.ts";
import { type Kind, Panels } from "./panels.ts";
import { type ReportOf, readReportOf } from "./report_data.ts";

const KIND: Kind<ReportOf> = {
  name: "report",
  title: ({ uri }) => `Replay: ${decodeURIComponent(uri.split("/").at(-1) ?? "")}`,
  key: ({ uri }) => uri,
  read: readReportOf,
  // The transcript, and the policies around it.
  isMadeOf: ({ languageId, uri }) => isWorkspaceFile(uri) && (languageId === "mangle" || /\.(jsonl?|ndjson|md|txt|log|toml)$/.test(uri.path)),
  data: async ({ uri }: ReportOf, client: LanguageClient) => {
    const answer = await client.sendRequest<{ text: string } | null>("mangle/replay", { uri, format: "html" });
    if (answer === null) throw new Error("This file is not a transcript, or has no policies. Add transcripts to `[transcripts] include` in mangle-ls.toml.");
    return answer.text;
  },
};

export class Reports extends Panels<ReportOf> {
  constructor(extension: vscode.Uri) {
    super(extension, KIND);
  }

  /** Shows the report of the transcript in the active editor. */
  show(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document !== undefined && isWorkspaceFile(document.uri)) this.open({ uri: document.uri.toString() });
    else void vscode.window.showInformationMessage("Open a transcript first: the command replays the active document.");
  }
}
