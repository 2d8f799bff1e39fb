// The findings of all files as a list.

import type { OpenPlace } from "./ansi.ts";
import type { Diagnostic } from "../lsp/types.ts";

const SEVERITIES = ["", "error", "warning", "information", "hint"] as const;

/** A rule's code, and its page in the book. */
export interface RulePage {
  readonly code: string;
  readonly page: string;
}

export class FindingsView {
  readonly element = document.createElement("div");
  private readonly openPlace: OpenPlace;
  private readonly rulePage: (name: string) => RulePage | undefined;

  constructor(openPlace: OpenPlace, rulePage: (name: string) => RulePage | undefined) {
    this.openPlace = openPlace;
    this.rulePage = rulePage;
    this.element.className = "findings";
  }

  /** Shows the findings of files, by name. */
  show(files: ReadonlyMap<string, readonly Diagnostic[]>): void {
    const list = document.createElement("ul");
    for (const [name, diagnostics] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
      for (const diagnostic of diagnostics) list.append(this.row(name, diagnostic));
    }
    if (list.childElementCount === 0) this.element.textContent = "No findings";
    else this.element.replaceChildren(list);
  }

  private row(name: string, { range, severity, code = "", message }: Diagnostic): HTMLElement {
    const row = document.createElement("li");
    row.className = `finding ${SEVERITIES[severity]}`;
    const [headline = "", ...notes] = message.split("\n");
    const { line, character } = range.start;
    const place = document.createElement("button");
    place.className = "place";
    place.textContent = `${name}:${line + 1}:${character + 1}`;
    place.onclick = () => this.openPlace(name, line + 1, character + 1);
    row.append(labelled("severity", SEVERITIES[severity]), " ", this.rule(code), " ", labelled("headline", headline), " ", place);
    for (const note of notes) row.append(labelled("note", note));
    return row;
  }

  private rule(code: string): HTMLElement {
    const page = this.rulePage(code);
    if (page === undefined) return labelled("rule", code);
    const link = document.createElement("a");
    link.className = "rule";
    link.textContent = `${page.code} ${code}`;
    link.href = page.page;
    return link;
  }
}

function labelled(kind: string, text: string): HTMLElement {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  return span;
}
