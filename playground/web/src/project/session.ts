// The project that is open: its editor states, the language server over it, and what the server found.

import { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Project } from "./project.ts";
import { WORKSPACE } from "./names.ts";
import { byFile, toChanges } from "../editor/edits.ts";
import { type EditorEvents, stateOf } from "../editor/state.ts";
import { type MakeWorker, type Program, startServer } from "../engine/remote.ts";
import { Client } from "../lsp/client.ts";
import type { Diagnostic, Range, WorkspaceEdit } from "../lsp/types.ts";

export interface SessionEvents {
  /** A file is to be shown, at a range. */
  goTo(name: string, range: Range): void;
  /** The texts or the list of files changed. */
  changed(): void;
  diagnosed(name: string, milliseconds: number): void;
  say(message: string): void;
}

export class Session {
  shown: string;
  readonly findings = new Map<string, readonly Diagnostic[]>();
  private readonly states = new Map<string, EditorState>();
  private readonly texts = new Map<string, string>();
  private readonly events: SessionEvents;
  private readonly program: Program;
  private readonly make: MakeWorker;
  private readonly view: EditorView;
  private worker: Worker | undefined;
  private client: Client;
  private failures = 0;

  constructor(project: Project, view: EditorView, program: Program, make: MakeWorker, events: SessionEvents) {
    this.view = view;
    this.program = program;
    this.make = make;
    this.events = events;
    for (const [name, text] of Object.entries(project.files)) this.texts.set(name, text);
    this.shown = project.open;
    this.client = this.start();
    this.show(project.open);
  }

  /** The files by name, as they are now. */
  project(): Record<string, string> {
    this.keep();
    return Object.fromEntries([...this.texts].map(([name, text]) => [name, this.states.get(name)?.doc.sliceString(0) ?? text]));
  }

  names(): readonly string[] {
    return [...this.texts.keys()];
  }

  /** Puts a file into the editor. */
  show(name: string): void {
    if (!this.texts.has(name)) return;
    this.keep();
    this.shown = name;
    let state = this.states.get(name);
    if (state === undefined) {
      const shown = { name, client: () => this.client };
      const events: EditorEvents = {
        diagnosticsOf: (of) => this.findings.get(of) ?? [],
        applyEdit: (edit) => this.apply(edit),
        goTo: this.events.goTo,
        changed: this.events.changed,
      };
      state = stateOf(this.texts.get(name) ?? "", shown, events);
      this.states.set(name, state);
      this.client.open(name, state.doc.sliceString(0));
    }
    this.view.setState(state);
    this.view.focus();
  }

  /** Adds files, or replaces their texts. */
  add(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.texts.set(name, text);
    this.client.files(files, []);
    this.events.changed();
  }

  remove(name: string): void {
    if (this.texts.size < 2) return;
    this.texts.delete(name);
    this.states.delete(name);
    this.findings.delete(name);
    this.client.files({}, [name]);
    if (this.shown === name) this.show(this.names()[0] ?? name);
    this.events.changed();
  }

  /** Applies an edit of the server, in whatever files it is. */
  apply(edit: WorkspaceEdit): void {
    const { edits, created } = byFile(edit);
    const missing = created.filter((name) => !this.texts.has(name));
    if (missing.length > 0) this.add(Object.fromEntries(missing.map((name) => [name, ""])));
    const before = this.shown;
    for (const [name, changes] of edits) {
      if (!this.texts.has(name)) continue;
      this.show(name);
      this.view.dispatch({ changes: toChanges(this.view.state.doc, changes), userEvent: "fix" });
    }
    this.show(before);
  }

  end(): void {
    this.client.connection.close();
    this.worker?.terminate();
  }

  private keep(): void {
    if (this.states.has(this.shown)) this.states.set(this.shown, this.view.state);
  }

  private start(): Client {
    const encoder = new TextEncoder();
    const files = Object.fromEntries([...this.texts].map(([name, text]) => [`${WORKSPACE}/${name}`, encoder.encode(text)]));
    this.worker = this.make();
    const port = startServer(this.worker, this.program, files, (why) => this.failed(why));
    return new Client(port, {
      diagnosed: (name, diagnostics, milliseconds) => {
        this.findings.set(name, diagnostics);
        this.events.diagnosed(name, milliseconds);
      },
      edit: (edit) => this.apply(edit),
      say: this.events.say,
    });
  }

  /** The server failed: a new one takes over, unless that fails again and again. */
  private failed(why: string): void {
    this.end();
    this.failures += 1;
    if (this.failures > 3) return this.events.say(`mangle-ls failed ${this.failures} times and is off: ${why}. Reload the page to start it again.`);
    this.events.say(`mangle-ls failed and was started again: ${why}`);
    this.keep();
    this.findings.clear();
    for (const [name, state] of this.states) this.texts.set(name, state.doc.sliceString(0));
    this.client = this.start();
    for (const [name, state] of this.states) this.client.open(name, state.doc.sliceString(0));
  }
}
