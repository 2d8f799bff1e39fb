// The page: puts editor, panels and the language server together.

import { EditorView } from "@codemirror/view";
import { showFindings } from "./editor/findings.ts";
import { format } from "./editor/format.ts";
import type { Vocabularies } from "./engine/protocol.ts";
import { Commands, type Program } from "./engine/remote.ts";
import { toOffset } from "./lsp/positions.ts";
import type { Range } from "./lsp/types.ts";
import { COMMAND_PANELS } from "./panels/commands.ts";
import { CommandView } from "./panels/command_view.ts";
import { FindingsView, type RulePage } from "./panels/findings.ts";
import { loadExample, loadExamples } from "./project/examples.ts";
import { fromFragment, toFragment } from "./project/link.ts";
import { isValidName } from "./project/names.ts";
import { type PanelName, type Project } from "./project/project.ts";
import { Session } from "./project/session.ts";
import { loadVocabulary, wantedVocabularies } from "./project/vocabularies.ts";
import { tabs } from "./tabs.ts";

/** Milliseconds without a change after which a command is run again. */
const PAUSE = 300;

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const makeWorker = () => new Worker("worker.js", { type: "module" });

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

class Page {
  private readonly module: WebAssembly.Module;
  private commands: Commands;
  private vocabularies: Vocabularies = {};
  private readonly editor = new EditorView({ parent: element("editor") });
  private session: Session | undefined;
  private panel: PanelName = "findings";
  private inputs: Record<string, string> = {};
  private findings: FindingsView;
  private views = new Map<PanelName, CommandView>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private counting: ReturnType<typeof setTimeout> | undefined;
  private rules: Readonly<Record<string, RulePage>> = {};

  constructor(module: WebAssembly.Module) {
    this.module = module;
    this.commands = new Commands(this.program(), makeWorker);
    this.findings = new FindingsView((...place) => this.openPlace(...place), (name) => this.rules[name]);
    void fetch("rules.json").then((response) => response.json()).then((rules) => {
      this.rules = rules;
      if (this.session !== undefined) this.findings.show(this.session.findings);
    }, () => undefined);
    element("format").onclick = () => void this.format();
    element("share").onclick = () => void this.share();
  }

  private program(): Program {
    return { module: this.module, vocabularies: this.vocabularies };
  }

  /** Loads the vocabularies that a project names and that are not there yet. Gives whether there were such. */
  private async loadVocabularies(project: Project): Promise<boolean> {
    const missing = wantedVocabularies(project).filter((name) => !(name in this.vocabularies));
    for (const name of missing) this.vocabularies = { ...this.vocabularies, [name]: await loadVocabulary(name) };
    if (missing.length > 0) {
      this.commands.end();
      this.commands = new Commands(this.program(), makeWorker);
    }
    return missing.length > 0;
  }

  /** Opens a project. */
  async load(project: Project): Promise<void> {
    const why = await this.loadVocabularies(project).then(() => "", () => "The vocabulary of the tokenizer cannot be loaded: a token counts as 4 bytes.");
    this.session?.end();
    this.session = undefined;
    this.panel = project.panel ?? "findings";
    this.inputs = { ...project.inputs };
    this.say(why);
    this.session = new Session(project, this.editor, this.program(), makeWorker, {
      goTo: (name, range) => this.goTo(name, range),
      changed: () => this.changed(),
      diagnosed: (name, milliseconds) => this.diagnosed(name, milliseconds),
      say: (message) => this.say(message),
    });
    this.views = new Map(COMMAND_PANELS.map((panel) => [panel.name, this.commandView(panel)]));
    this.showFiles();
    this.showPanel(this.panel);
  }

  private commandView(panel: (typeof COMMAND_PANELS)[number]): CommandView {
    return new CommandView(panel, {
      commands: () => this.commands,
      names: () => this.session?.names() ?? [],
      texts: () => this.session?.project() ?? {},
      inputs: this.inputs,
      openPlace: (...place) => this.openPlace(...place),
      inputChanged: () => undefined,
    });
  }

  private showFiles(): void {
    const { session } = this;
    if (session === undefined) return;
    const rows = session.names().map((name) => ({ id: name, title: name, count: (session.findings.get(name) ?? []).length }));
    tabs(element("files"), rows, session.shown, {
      open: (name) => {
        session.show(name);
        this.showFiles();
        this.shownFindings();
      },
      close: (name) => session.remove(name),
      add: (name) => {
        if (!isValidName(name)) return this.say("This is no name of a file.");
        if (!session.names().includes(name)) session.add({ [name]: "" });
        session.show(name);
        this.showFiles();
      },
    });
  }

  /** Shows how many findings the files have, once they are known for a moment. */
  private showCounts(): void {
    clearTimeout(this.counting);
    this.counting = setTimeout(() => {
      if (!element("files").contains(document.activeElement)) this.showFiles();
    }, PAUSE);
  }

  private showPanel(name: PanelName): void {
    this.panel = name;
    const rows = [{ id: "findings" as PanelName, title: "Findings" }, ...COMMAND_PANELS.map((panel) => ({ id: panel.name, title: panel.title }))];
    tabs(element("panels"), rows, name, { open: (id) => this.showPanel(id as PanelName) });
    const view = this.views.get(name);
    element("panel").replaceChildren(view?.element ?? this.findings.element);
    view?.fill();
    void view?.run();
  }

  private changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.showFiles();
      void this.rerun();
    }, PAUSE);
  }

  /** Runs the command of the panel over the texts of now. A tokenizer that was named meanwhile needs its vocabulary first. */
  private async rerun(): Promise<void> {
    const project = this.current();
    if (project === undefined) return;
    if (await this.loadVocabularies(project).catch(() => false)) return this.load(project);
    const view = this.views.get(this.panel);
    view?.fill();
    await view?.run();
  }

  private current(): Project | undefined {
    const { session, panel, inputs } = this;
    return session && { files: session.project(), open: session.shown, panel, inputs };
  }

  private diagnosed(name: string, milliseconds: number): void {
    const { session } = this;
    if (session === undefined) return;
    this.findings.show(session.findings);
    if (name === session.shown) this.shownFindings();
    this.showCounts();
    const all = [...session.findings.values()].flat();
    const count = (what: string, ...severities: number[]) => counted(all.filter((one) => severities.includes(one.severity)).length, what);
    element("status").textContent = `${count("error", 1)}, ${count("warning", 2)}, ${count("other", 3, 4)} · ${milliseconds.toFixed(1)} ms after the last change`;
    if (performance.getEntriesByName("first-findings").length === 0) performance.mark("first-findings");
  }

  private shownFindings(): void {
    const { session } = this;
    if (session !== undefined) showFindings(this.editor, session.findings.get(session.shown) ?? [], (edit) => session.apply(edit));
  }

  private goTo(name: string, range: Range): void {
    const { session } = this;
    if (session === undefined || !session.names().includes(name)) return;
    session.show(name);
    this.showFiles();
    this.shownFindings();
    const { doc } = this.editor.state;
    this.editor.dispatch({ selection: { anchor: toOffset(doc, range.start) }, scrollIntoView: true });
  }

  /** Goes to a place as messages name it: line and column from 1 on. */
  private openPlace(name: string, line: number, column: number): void {
    const position = { line: line - 1, character: column - 1 };
    this.goTo(name, { start: position, end: position });
  }

  private async format(): Promise<void> {
    if (!(await format(this.editor))) this.say("Only policies have a format.");
  }

  private async share(): Promise<void> {
    const project = this.current();
    if (project === undefined) return;
    const fragment = await toFragment(project);
    history.replaceState(null, "", fragment);
    await navigator.clipboard.writeText(location.href).then(() => this.say("The link is copied."), () => this.say("The address of the page is the link."));
  }

  say(message: string): void {
    element("message").textContent = message;
  }
}

/** What the address names: a project, an example, else the first example. */
async function wanted(): Promise<Project> {
  const example = /^#example=([\w-]+)$/.exec(location.hash)?.[1];
  return (await fromFragment(location.hash)) ?? (await loadExample(example ?? "incident"));
}

async function open(page: Page): Promise<void> {
  try {
    await page.load(await wanted());
  } catch (error) {
    await page.load(await loadExample("incident"));
    page.say(`The project of the link cannot be opened: ${(error as Error).message}`);
  }
}

async function main(): Promise<void> {
  const examples = loadExamples();
  const module = await WebAssembly.compileStreaming(fetch("mangle-ls.wasm"));
  const page = new Page(module);
  const select = element<HTMLSelectElement>("examples");
  select.append(new Option("", ""), ...(await examples).map(({ id, title }) => new Option(title, id)));
  select.onchange = () => {
    if (select.value !== "") location.hash = `example=${select.value}`;
  };
  const show = async () => {
    select.value = /^#example=(.*)$/.exec(location.hash)?.[1] ?? (location.hash === "" ? "incident" : "");
    await open(page);
  };
  addEventListener("hashchange", () => void show());
  await show();
  document.body.dataset["state"] = "ready";
}

main().catch((error: unknown) => {
  element("status").textContent = `The playground cannot start: ${(error as Error).message}`;
});
