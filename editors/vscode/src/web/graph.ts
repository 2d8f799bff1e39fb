// The graph of dependencies: boxes for predicates, an arrow from each to what it queries. A box leads to its predicate.

import type { Graph, GraphOf, Predicate, Program } from "../panels/graph_data.ts";
import { Drawn } from "./drawn.ts";
import { count, draw, make, withCode } from "./elements.ts";
import { Host } from "./host.ts";

/** How many predicates are drawn at once; of more, only those around one. */
const MOST = 250;

const host = new Host<GraphOf, Graph, { focus: string; names: string[]; shown: string }>();

host.start((graph) => {
  const of = host.of ?? { uri: "" };
  if (of.of === undefined) host.choose({ names: namesOf(graph) });
  const programs = graph.programs.filter(({ predicates }) => predicates.length > 0);
  const shown = programs.length === 0 ? [nothing(of)] : programs.map((program) => section(program, programs.length));
  const typed = document.querySelector<HTMLInputElement>("#around");
  const isTyping = typed !== null && document.activeElement === typed;
  const isWalking = document.activeElement?.hasAttribute("data-id") === true && document.hasFocus();
  const focused = document.activeElement?.getAttribute("data-id") ?? host.chosen.focus;
  host.main.replaceChildren(toolbar(of, graph), ...mark(graph), ...shown, legend());
  host.main.classList.add("graph");
  if (isTyping) document.querySelector<HTMLInputElement>("#around")?.focus();
  else if (isWalking && focused !== undefined) host.main.querySelector<SVGElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  // Of another graph one wants to see the middle; of the same one, what one was looking at.
  const key = JSON.stringify(of);
  if (host.chosen.shown !== key) host.main.querySelector(".node.centre")?.scrollIntoView({ block: "center", inline: "center" });
  host.choose({ shown: key });
});

/** The banner of a program that does not load. */
function mark(graph: Graph): HTMLElement[] {
  const text = "The program does not load: the engine rejects it. The graph shows the readable part.";
  return graph.program_loads === false ? [make("p", { class: "note" }, text)] : [];
}

function nothing({ of, recursive }: GraphOf): HTMLElement {
  const around = of === undefined ? "" : ` around \`${of}\``;
  const why = recursive === true ? `No predicate${around} is on a cycle` : of === undefined ? "This program has no predicates" : `This program has no predicate \`${of}\``;
  return make("p", { class: "note" }, ...withCode(`${why}.`));
}

function namesOf(graph: Graph): string[] {
  return [...new Set(graph.programs.flatMap(({ predicates }) => predicates.map(({ id }) => id)))].sort();
}

function want(change: Partial<GraphOf>): void {
  const { uri, ...rest } = { ...(host.of ?? { uri: "" }), ...change };
  const all = Object.entries(rest).filter(([, value]) => value !== "" && value !== false);
  host.say({ type: "want", of: { uri, ...Object.fromEntries(all) } });
}

function toolbar(of: GraphOf, graph: Graph): HTMLElement {
  const names = [...new Set([...(host.chosen.names ?? []), ...namesOf(graph)])].sort();
  const around = make("input", { id: "around", type: "search", list: "names", placeholder: "all predicates", size: "28", value: of.of ?? "" }) as HTMLInputElement;
  around.addEventListener("change", () => want({ of: around.value.trim(), depth: of.depth ?? 1, direction: of.direction ?? "both" }));
  const list = make("datalist", { id: "names" }, ...names.map((value) => make("option", { value })));
  const isAround = of.of !== undefined;
  const depth = select("Steps", [["1", "1"], ["2", "2"], ["3", "3"], ["9", "9"]], String(of.depth ?? 1), (value) => want({ depth: Number(value) }));
  const ways: [string, string][] = [["both", "both ways"], ["uses", "queried predicates"], ["users", "querying predicates"]];
  const direction = select("Direction", ways, of.direction ?? "both", (value) => want({ direction: value as "both" | "uses" | "users" }));
  const cycles = make("input", { type: "checkbox", id: "cycles" }) as HTMLInputElement;
  cycles.checked = of.recursive === true;
  cycles.addEventListener("change", () => want({ recursive: cycles.checked }));
  const all = make("button", { type: "button" }, "Show All");
  all.addEventListener("click", () => host.say({ type: "want", of: { uri: of.uri } }));
  return make(
    "header",
    { class: "bar" },
    make("label", {}, "Around ", around, list),
    ...(isAround ? [depth, direction] : []),
    make("label", {}, cycles, " Only cycles"),
    ...(isAround ? [all] : []),
  );
}

function select(name: string, options: [string, string][], value: string, chosen: (value: string) => void): HTMLElement {
  const box = make("select", { "aria-label": name }, ...options.map(([key, text]) => make("option", { value: key }, text))) as HTMLSelectElement;
  box.value = value;
  box.addEventListener("change", () => chosen(box.value));
  return make("label", {}, `${name} `, box);
}

function section(program: Program, programs: number): HTMLElement {
  const { name, predicates, edges, components } = program;
  const negated = edges.filter(({ kind }) => kind === "negated").length;
  const counts = `${count(predicates.length, "predicate")}, ${count(edges.length, "dependency", "dependencies")}, ${negated} of them negated`;
  const title = programs === 1 ? [] : [make("h2", {}, name)];
  const cycles = components.filter(({ stratified }) => !stratified).map(({ predicates }) => {
    const said = `The engine rejects the program, because a negation is on a cycle: ${predicates.join(", ")}`;
    return make("p", { class: "note error" }, said);
  });
  if (predicates.length > MOST) return make("section", {}, ...title, make("p", { class: "soft" }, counts), ...cycles, tooMany(predicates));
  const drawn = new Drawn(program, {
    open: (place) => host.open(place),
    around: (id) => want({ of: id, depth: host.of?.depth ?? 1, direction: host.of?.direction ?? "both" }),
    focused: (id) => host.choose({ focus: id }),
    centre: host.of?.of,
    room: document.documentElement.clientWidth - 40,
  });
  return make("section", {}, ...title, make("p", { class: "soft" }, counts), ...cycles, make("div", { class: "canvas" }, drawn.svg));
}

/** A list instead of a picture that nobody could read. */
function tooMany(predicates: Predicate[]): HTMLElement {
  const rows = predicates.map(({ id }) => {
    const button = make("button", { type: "button", class: "link" }, id);
    button.addEventListener("click", () => want({ of: id, depth: 1, direction: "both" }));
    return make("li", {}, button);
  });
  return make("div", {}, make("p", { class: "note" }, `More than ${MOST} predicates are not drawn. Choose one to see its neighbors.`), make("ul", { class: "columns" }, ...rows));
}

/** What boxes stand for. */
const KINDS = {
  rules: "Has rules.",
  facts: "Has facts but no rules.",
  host: "Asserted by the host program.",
  declared: "Declared, but without rules and facts.",
  undefined: "Queried, but not declared or defined.",
};

function legend(): HTMLElement {
  const sample = (kind: string): SVGElement =>
    draw("svg", { width: 44, height: 12, class: "sample", "aria-hidden": "true" }, draw("path", { d: "M2 6 H42", class: `edge ${kind}` }));
  const boxes = Object.entries(KINDS).map(([kind, title]) => make("span", { class: `key ${kind}`, title }, kind));
  const lines = [["positive", "queries"], ["negated", "not"], ["aggregated", "counts (do)"]].map(([kind = "", text = ""]) => make("span", {}, sample(kind), ` ${text}`));
  const keys = "Enter opens a predicate, Space shows its neighbors, arrow keys move.";
  return make("footer", { class: "soft legend" }, ...boxes, ...lines, make("span", {}, keys));
}
