// The graph of dependencies: which predicates ask for which. The data is the answer of `mangle/graph`.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { isWorkspaceFile } from "../documents/workspace_file.ts";
import { type Graph, type GraphOf, readGraphOf } from "./graph_data.ts";
import { type Kind, Panels } from "./panels.ts";

const KIND: Kind<GraphOf> = {
  name: "graph",
  title: ({ of }) => (of === undefined ? "Dependencies" : `Dependencies: ${of}`),
  key: ({ uri }) => uri,
  read: readGraphOf,
  isMadeOf: ({ languageId, uri }) => languageId === "mangle" && isWorkspaceFile(uri),
  data: async (of: GraphOf, client: LanguageClient) => client.sendRequest<Graph>("mangle/graph", of),
};

export class Graphs extends Panels<GraphOf> {
  constructor(extension: vscode.Uri) {
    super(extension, KIND);
  }

  /** Shows the graph of the program of the active editor: around the predicate at the cursor, if there is one. */
  async show(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== "mangle") {
      void vscode.window.showInformationMessage("Open a Mangle file first: the graph shows its program.");
      return;
    }
    const uri = editor.document.uri.toString();
    const word = editor.document.getWordRangeAtPosition(editor.selection.active, /[a-z](?:[\w:]|\.[\w:])*(?=\s*\()/);
    this.open(word === undefined ? { uri } : { uri, of: editor.document.getText(word), depth: 1, direction: "both" });
  }
}
