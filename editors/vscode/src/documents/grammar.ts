// Grammars of replies: generated from the declarations of the policy in the editor, and opened as a document that is not saved.

import * as vscode from "vscode";
import { reasonOf } from "../reason.ts";
import { NOT_RUNNING, type Server } from "../server/server.ts";
import { again } from "./made.ts";

/** The answers of the server: without a target the list of them, else the grammar; neither where a document is no policy, of which a message tells. */
interface Answer {
  targets?: { name: string; readers: string }[];
  text?: string;
  report?: string;
}

/** Asks for a target, and opens its grammar beside the policy. */
export async function generateGrammar(server: Server): Promise<void> {
  const [client, document] = [server.running, vscode.window.activeTextEditor?.document];
  if (client === undefined) {
    void vscode.window.showWarningMessage(NOT_RUNNING);
    return;
  }
  if (document === undefined) return;
  const request = async (target: object): Promise<Answer> => {
    const argument = { uri: document.uri.toString(), quiet: true, ...target };
    return again(() => client.sendRequest<Answer>("workspace/executeCommand", { command: "mangle.grammar", arguments: [argument] }));
  };
  try {
    const { targets = [] } = await request({});
    const items = targets.map(({ name, readers }) => ({ label: name, description: readers }));
    if (items.length === 0) return;
    const chosen = await vscode.window.showQuickPick(items, { title: "Mangle: Generate Grammar", placeHolder: "Target of the grammar" });
    if (chosen === undefined) return;
    const { text = "", report = "" } = await request({ target: chosen.label });
    const language = text.startsWith("{") ? "json" : "plaintext";
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content: text }), vscode.ViewColumn.Beside);
    vscode.window.setStatusBarMessage(`Mangle: ${report.split("\n")[0] ?? ""}`, 10_000);
  } catch (error) {
    void vscode.window.showWarningMessage(`Mangle: ${reasonOf(error)}`);
  }
}
