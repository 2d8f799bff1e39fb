// Answers to questions, as read-only documents beside the editor.

import * as vscode from "vscode";
import { reasonOf } from "../reason.ts";
import { NOT_RUNNING, type Server } from "../server/server.ts";
import { showBeside } from "./beside.ts";
import { again } from "./made.ts";
import { isWorkspaceFile } from "./workspace_file.ts";

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
  private readonly server: Server;
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.window.tabGroups.onDidChangeTabs(({ closed }) => closed.forEach(({ input }) => this.forget(input))),
  ];
  private last = "";
  readonly onDidChange = this.changed.event;

  constructor(server: Server) {
    this.server = server;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "# This answer has expired. Run the query again.\n";
  }

  /** Asks a person what to ask. */
  async ask(): Promise<void> {
    const atom = await vscode.window.showInputBox({
      title: "Mangle: Run Query",
      prompt: "An atom. Variables and _ match every value. Empty: all facts.",
      placeHolder: "permitted(Action, _, _)",
      value: this.last,
    });
    if (atom === undefined) return;
    this.last = atom;
    const document = vscode.window.activeTextEditor?.document;
    const uri = document?.languageId === "mangle" && isWorkspaceFile(document.uri) ? { uri: document.uri.toString() } : {};
    await this.answer({ ...uri, ...(atom.trim() === "" ? {} : { atom: atom.trim() }) });
  }

  /** Answers a question, the parameters of `mangle/query`. */
  async answer(question: object): Promise<void> {
    const client = this.server.running;
    if (client === undefined) {
      void vscode.window.showWarningMessage(NOT_RUNNING);
      return;
    }
    const atom = "atom" in question ? String(question.atom) : "all facts";
    try {
      const answers = await again(() => client.sendRequest<Answer[]>("mangle/query", question));
      await this.show(atom, answers);
    } catch (error) {
      void vscode.window.showWarningMessage(`Mangle: ${reasonOf(error)}`);
    }
  }

  /** Shows an answer beside the editor; the same question again is the same document. */
  private async show(question: string, answers: Answer[]): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${question.replaceAll("/", " ")}` });
    this.texts.set(uri.toString(), written(answers));
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.languages.setTextDocumentLanguage(document, "mangle");
    await showBeside(document);
  }

  /** What nobody looks at any more is not kept: an answer may be all facts of a program. */
  private forget(input: unknown): void {
    if (input instanceof vscode.TabInputText) this.texts.delete(input.uri.toString());
  }

  dispose(): void {
    for (const registration of this.registrations) registration.dispose();
    this.changed.dispose();
  }
}

/** An answer as a person reads it: facts, with what is known of them in comments. */
function written(answers: Answer[]): string {
  const of = ({ reading, sample, facts, stopped, lost }: Answer): string => {
    const whose = reading === "engine" ? "as the engine reads the program" : "as it is written";
    const head = `# ${facts.length} ${facts.length === 1 ? "fact" : "facts"}, ${whose}${sample === null ? "" : `, with ${sample}`}`;
    const notes = [...lost, ...(stopped === null ? [] : [stopped])].map((note) => `# ${note}`);
    return [head, ...notes, ...facts.map((fact) => `${fact} .`)].join("\n");
  };
  return `${answers.map(of).join("\n\n")}\n`;
}
