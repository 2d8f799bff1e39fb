// What lenses and actions do that the server alone could only show in a message: the answer to a question in a read-only document, a
// command line or a message for a model in the clipboard.

import * as vscode from "vscode";
import type { ExecuteCommandMiddleware, LanguageClient } from "vscode-languageclient/node";
import type { Previews, Wanted } from "./previews.ts";

const SCHEME = "mangle-answer";

/** An answer of `mangle/query`, as far as it is shown. */
interface Answer {
  reading: string;
  sample: string | null;
  facts: string[];
  stopped: string | null;
  lost: string[];
}

/** The documents with answers. */
export class Answers implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Shows an answer beside the editor; the same question again is the same document. */
  async show(question: string, answers: Answer[]): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${question.replaceAll("/", " ")}` });
    this.texts.set(uri.toString(), written(answers));
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "mangle");
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }
}

/** An answer as a person reads it: facts, with what is known of them in comments. */
function written(answers: Answer[]): string {
  const of = ({ reading, sample, facts, stopped, lost }: Answer): string => {
    const whose = reading === "go" ? "the engine" : "as written";
    const head = `# ${facts.length} ${facts.length === 1 ? "fact" : "facts"}, ${whose}${sample === null ? "" : `, with ${sample}`}`;
    const notes = [...lost, ...(stopped === null ? [] : [stopped])].map((note) => `# ${note}`);
    return [head, ...notes, ...facts.map((fact) => `${fact} .`)].join("\n");
  };
  return `${answers.map(of).join("\n\n")}\n`;
}

/** Takes over the commands that an editor can do better than the server, which has messages alone. */
export function commands(client: () => LanguageClient | undefined, answers: Answers, previews: Previews): ExecuteCommandMiddleware {
  return {
    executeCommand: async (command, args, next) => {
      const [argument] = args as unknown[];
      if (command === "mangle.copyQuery" && typeof argument === "string") {
        await vscode.env.clipboard.writeText(argument);
        vscode.window.setStatusBarMessage("Mangle: the command line is in the clipboard", 5000);
        return undefined;
      }
      const running = client();
      if (command === "mangle.copyRepair" && running !== undefined && typeof argument === "object" && argument !== null) {
        const { message } = await running.sendRequest<{ message: string | null }>("mangle/repair", argument);
        if (message !== null) await vscode.env.clipboard.writeText(message);
        const said = message === null ? "there is nothing to repair" : "the message for the model is in the clipboard";
        vscode.window.setStatusBarMessage(`Mangle: ${said}`, 5000);
        return undefined;
      }
      if (command === "mangle.query" && running !== undefined && typeof argument === "object" && argument !== null) {
        const atom = "atom" in argument ? String(argument.atom) : "all facts";
        await answers.show(atom, await running.sendRequest<Answer[]>("mangle/query", argument));
        return undefined;
      }
      if (command === "mangle.preview" && running !== undefined && typeof argument === "object" && argument !== null) {
        await previews.show(argument as Wanted);
        return undefined;
      }
      return next(command, args);
    },
  };
}
