// What a property of a policy test came to, with its world and its proof, as a read-only document.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { showBeside } from "./beside.ts";
import { again, shownAs } from "./made.ts";

/** A property of a test file: the argument of `mangle.property`. */
export interface PropertyOf {
  uri: string;
  name: string;
}

/** Opens the document of a property for what a lens asks. */
export async function openProperty(argument: PropertyOf, client: LanguageClient): Promise<void> {
  const asked = { command: "mangle.property", arguments: [{ ...argument, quiet: true }] };
  const answer = await again(() => client.sendRequest<{ document: string | null }>("workspace/executeCommand", asked));
  if (answer.document === null) {
    void vscode.window.showInformationMessage("This file no longer has a property with this name.");
    return;
  }
  const shown = shownAs(vscode.Uri.parse(argument.uri).path, argument.name.replaceAll("/", " "), answer.document);
  await showBeside(await vscode.workspace.openTextDocument(shown));
}
