// A panel that runs a command and shows what it writes.

import { render, type OpenPlace } from "./ansi.ts";
import type { Field, Panel } from "./panel.ts";
import { toLine } from "./words.ts";
import { type Commands, Stopped } from "../engine/remote.ts";
import { toName, WORKSPACE } from "../project/names.ts";

export interface CommandHost {
  commands(): Commands;
  names(): readonly string[];
  texts(): Readonly<Record<string, string>>;
  inputs: Record<string, string>;
  openPlace: OpenPlace;
  inputChanged(): void;
}

export class CommandView {
  readonly element = document.createElement("div");
  private readonly panel: Panel;
  private readonly host: CommandHost;
  private readonly form = document.createElement("form");
  private readonly line = document.createElement("code");
  private readonly status = document.createElement("span");
  private readonly output = document.createElement("pre");
  private readonly button = document.createElement("button");

  constructor(panel: Panel, host: CommandHost) {
    this.panel = panel;
    this.host = host;
    this.form.onsubmit = (event) => {
      event.preventDefault();
      void this.run();
    };
    this.form.onchange = () => void this.run();
    const head = document.createElement("p");
    head.className = "command-line";
    head.append(this.line, this.status);
    this.status.className = "status";
    this.status.setAttribute("role", "status");
    this.output.className = "output";
    this.output.tabIndex = 0;
    this.element.append(this.form, head, this.output);
    this.fill();
  }

  /** Makes the fields anew: what can be chosen depends on the files. */
  fill(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset["key"];
    this.form.replaceChildren(...this.panel.fields.map((field) => this.field(field)), this.button);
    this.button.textContent = "Run";
    if (focused !== undefined) this.form.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
  }

  private field(field: Field): HTMLElement {
    const label = document.createElement("label");
    const choices = field.choices?.(this.host.names());
    const input = document.createElement(choices === undefined ? "input" : "select");
    input.dataset["key"] = field.key;
    if (input instanceof HTMLInputElement) {
      input.placeholder = field.hint ?? "";
      input.spellcheck = false;
      input.autocapitalize = "off";
    } else {
      for (const [value, text] of choices ?? []) input.append(new Option(text, value));
    }
    const entered = this.host.inputs[field.key];
    if (entered !== undefined && (choices === undefined || choices.some(([value]) => value === entered))) input.value = entered;
    input.oninput = () => {
      this.host.inputs[field.key] = input.value;
      this.host.inputChanged();
    };
    label.append(field.label, input);
    return label;
  }

  async run(): Promise<void> {
    const command = this.panel.command(this.host.inputs, this.host.names());
    this.line.textContent = typeof command === "string" ? "" : `$ mangle-ls ${toLine(command)}`;
    if (typeof command === "string") {
      this.status.textContent = "";
      this.output.textContent = command;
      return;
    }
    this.status.textContent = "runs …";
    this.button.textContent = "Stop";
    this.button.type = "button";
    this.button.onclick = () => this.host.commands().stop();
    const start = performance.now();
    const encoder = new TextEncoder();
    const files = Object.fromEntries(Object.entries(this.host.texts()).map(([name, text]) => [`${WORKSPACE}/${name}`, encoder.encode(text)]));
    try {
      const colour = command.some((word) => word.startsWith("--color")) ? [] : ["--color=always"];
      const answer = await this.host.commands().run(WORKSPACE, files, WORKSPACE, [...colour, ...command]);
      const isFile = (name: string) => this.host.names().includes(toName(name) ?? name);
      this.output.replaceChildren(render(answer.output, isFile, this.host.openPlace), render(answer.errors, isFile, this.host.openPlace));
      this.status.textContent = `exit status ${answer.status}, ${Math.round(performance.now() - start)} ms`;
    } catch (error) {
      if (error instanceof Stopped && this.status.textContent !== "runs …") return;
      this.output.textContent = "";
      this.status.textContent = (error as Error).message;
    }
    this.button.textContent = "Run";
    this.button.type = "submit";
    this.button.onclick = null;
  }
}
