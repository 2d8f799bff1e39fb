// A prompt: sections with their tokens, and behind each line where it comes from. A line leads to its place; what is another line than when
// the panel was opened is marked.

import type { PromptOf } from "../documents/prompt_of.ts";
import type { Line, Prompt } from "../panels/prompt.ts";
import { count, make, withCode } from "./elements.ts";
import { Host } from "./host.ts";

const host = new Host<PromptOf, Prompt, { first: string[]; folded: string[]; isPlain: boolean }>();

host.start((prompt) => {
  const texts = prompt.sections.flatMap(({ lines }) => lines.map(({ text }) => text));
  if (host.chosen.first === undefined) host.choose({ first: texts });
  const first = new Set(host.chosen.first);
  const focused = document.activeElement?.getAttribute("data-at");
  let at = 0;
  const row = (line: Line): HTMLElement => drawn(line, !first.has(line.text), String(at++));
  host.main.replaceChildren(
    head(prompt),
    ...prompt.notes.map(({ severity, text, rule }) => make("p", { class: `note ${severity}` }, ...withCode(text), " ", make("span", { class: "soft" }, `(${rule})`))),
    ...prompt.sections.map((section) => drawnSection(section, prompt.tokens, row)),
  );
  host.main.classList.toggle("plain", host.chosen.isPlain === true);
  host.main.querySelector<HTMLElement>(`[data-at="${focused ?? ""}"]`)?.focus({ preventScroll: true });
});

function head({ name, shard, mode, tokens, tokenizer, available, fallback }: Prompt): HTMLElement {
  const share = available === 0 ? 1 : Math.min(1, tokens / available);
  const meter = make("meter", { min: "0", max: "1", high: "0.9", optimum: "0", value: String(share), "aria-label": "share of the budget" });
  const switcher = make("button", { type: "button", "aria-pressed": String(host.chosen.isPlain !== true) }, "Origins");
  switcher.addEventListener("click", () => {
    const isPlain = host.main.classList.toggle("plain");
    switcher.setAttribute("aria-pressed", String(!isPlain));
    host.choose({ isPlain });
  });
  const asText = make("button", { type: "button" }, "Open as Text");
  asText.addEventListener("click", () => host.say({ type: "text" }));
  const over = tokens > available && available > 0 ? `: ${number(tokens - available)} too many` : "";
  const full = available === 0 ? ", and the budget has no room for any" : ` of ${number(available)} tokens${over}`;
  const budget = `${number(tokens)}${available === 0 ? " tokens" : ""}${full} (counted with ${tokenizer})`;
  return make(
    "header",
    {},
    make("h1", {}, name),
    make("p", { class: "soft" }, `${shard}, ${mode}${fallback === null ? "" : ` — ${fallback}`}`),
    make("p", { class: "budget" }, meter, " ", budget),
    make("p", { class: "bar" }, switcher, asText),
  );
}

function drawnSection(section: Prompt["sections"][number], all: number, row: (line: Line) => HTMLElement): HTMLElement {
  const { title, tokens, lines } = section;
  const details = make("details", { class: "section" }) as HTMLDetailsElement;
  details.open = !(host.chosen.folded ?? []).includes(title);
  details.addEventListener("toggle", () => {
    const others = (host.chosen.folded ?? []).filter((other) => other !== title);
    host.choose({ folded: details.open ? others : [...others, title] });
  });
  const share = make("meter", { min: "0", max: String(Math.max(all, 1)), value: String(tokens), "aria-hidden": "true" });
  const said = count(tokens, "token");
  details.append(make("summary", {}, make("span", { class: "title" }, title), " ", make("span", { class: "soft" }, share, " ", said)));
  details.append(make("div", { class: "lines" }, ...lines.map(row)));
  return details;
}

function drawn(line: Line, isNew: boolean, at: string): HTMLElement {
  const classes = ["line", line.kind, ...(isNew ? ["new"] : []), ...(line.isLayout ? ["layout"] : [])].join(" ");
  const origin = make("span", { class: "origin" }, line.from);
  const text = make("span", { class: "text" }, line.text === "" ? "\u200b" : line.text);
  if (line.place === null) return make("div", { class: classes }, text, origin);
  const label = `${line.text}, ${line.from}${isNew ? ", new" : ""}. Opens its origin.`;
  const row = make("div", { class: classes, role: "button", tabindex: "0", "data-at": at, "aria-label": label, title: line.proof }, text, origin);
  row.addEventListener("click", () => {
    // Marking text with the mouse is no click.
    if (document.getSelection()?.isCollapsed !== false) host.open(line.place);
  });
  row.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    host.open(line.place);
  });
  return row;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
