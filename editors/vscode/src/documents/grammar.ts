// Grammars of replies: generated from the declarations of the policy in the editor, and opened as a document that is not saved.

import * as vscode from "vscode";
import { reasonOf } from "../reason.ts";
import { NOT_RUNNING, type Server } from "../server/server.ts";
import { again } from "./made.ts";

/** The targets of `mangle-ls schema` and its like, and where their files are used. */
const TARGETS: vscode.QuickPickItem[] = [
  { label: "gbnf", description: "llama.cpp" },
  { label: "ebnf", description: "XGrammar, SGLang" },
  { label: "lark", description: "llguidance, vLLM, custom tools of OpenAI" },
  { label: "regex", description: "Outlines" },
  { label: "json-schema", description: "validators, llguidance" },
  { label: "openai", description: "structured outputs of OpenAI" },
  { label: "anthropic", description: "structured outputs of Anthropic" },
  { label: "gemini", description: "structured outputs of Gemini" },
];

/** The answer of the server. */
interface Generated {
  text: string;
  report: string;
}

/** Asks for a target, and opens its grammar beside the policy. */
export async function generateGrammar(server: Server): Promise<void> {
  const [client, document] = [server.running, vscode.window.activeTextEditor?.document];
  if (client === undefined || document === undefined) {
    void vscode.window.showWarningMessage(NOT_RUNNING);
    return;
  }
  const target = await vscode.window.showQuickPick(TARGETS, { title: "Mangle: Generate Grammar", placeHolder: "What reads the grammar" });
  if (target === undefined) return;
  const argument = { uri: document.uri.toString(), target: target.label, quiet: true };
  try {
    const { text, report } = await again(() =>
      client.sendRequest<Generated>("workspace/executeCommand", { command: "mangle.grammar", arguments: [argument] }),
    );
    const language = text.startsWith("{") ? "json" : "plaintext";
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content: text }), vscode.ViewColumn.Beside);
    vscode.window.setStatusBarMessage(`Mangle: ${report.split("\n")[0] ?? ""}`, 10_000);
  } catch (error) {
    void vscode.window.showWarningMessage(`Mangle: ${reasonOf(error)}`);
  }
}
