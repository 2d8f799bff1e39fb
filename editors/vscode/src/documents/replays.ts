// What became of the turns of a transcript, and what the kernel holds after one, as read-only documents. The server says which document
// belongs to a turn or to a place.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Position } from "../protocol.ts";
import { showBeside } from "./beside.ts";
import { again, shownAs } from "./made.ts";
import { isWorkspaceFile } from "./workspace_file.ts";

/** A turn by what is asked for: its number, or a place in it. */
export interface Turn {
  uri: string;
  turn?: number;
  position?: Position;
}

/** Which document is that of a turn; there is none where there is no turn. */
type Answer = { document: string; turn: number } | { document: null } | null;

/** Opens the document of a turn for what a lens asks: the argument of `mangle.replay` or `mangle.state`. */
export async function openTurn(command: "mangle.replay" | "mangle.state", argument: Turn, client: LanguageClient): Promise<void> {
  const asked = { command, arguments: [{ ...argument, quiet: true }] };
  const answer = await again(() => client.sendRequest<Answer>("workspace/executeCommand", asked));
  if (answer === null || answer.document === null) {
    void vscode.window.showInformationMessage("This file is not a transcript, has no policies, or has no turn here.");
    return;
  }
  const what = command === "mangle.state" ? `state after turn ${answer.turn}` : `replay from turn ${answer.turn}`;
  const document = await vscode.workspace.openTextDocument(shownAs(vscode.Uri.parse(argument.uri).path, what, answer.document));
  await showBeside(document);
}

/** The same for the turn around the cursor. */
export async function openTurnHere(command: "mangle.replay" | "mangle.state", client: LanguageClient | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isWorkspaceFile(editor.document.uri) || client === undefined) {
    void vscode.window.showInformationMessage("Open a transcript and start the server first. The command uses the turn at the cursor.");
    return;
  }
  const { line, character } = editor.selection.active;
  await openTurn(command, { uri: editor.document.uri.toString(), position: { line, character } }, client);
}
