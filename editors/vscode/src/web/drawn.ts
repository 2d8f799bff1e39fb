// A program's graph as SVG, with boxes that can be pressed, by mouse and by keyboard.

import type { Edge, Predicate, Program } from "../panels/graph_data.ts";
import { type Box, HEIGHT, type Layout, layout } from "../panels/layout.ts";
import type { Place } from "../protocol.ts";
import { count, draw } from "./elements.ts";

export interface Deeds {
  open(place: Place | null): void;
  around(id: string): void;
  focused(id: string): void;
  /** What the graph is around, if it is. */
  centre: string | undefined;
  /** How wide it may be, in pixels. */
  room: number;
}

/** How much smaller than its size a graph is drawn at most. */
const SMALLEST = 0.7;

/** Width of a letter in the boxes' font of 12 pixels. */
const LETTER = 7.3;

export class Drawn {
  readonly svg: SVGElement;
  private readonly program: Program;
  private readonly deeds: Deeds;
  private readonly placed: Layout;
  private readonly nodes: SVGElement[];
  private readonly lines: { edge: Edge; from: number; to: number; parts: SVGElement[] }[];

  constructor(program: Program, deeds: Deeds) {
    this.program = program;
    this.deeds = deeds;
    const number = new Map(program.predicates.map(({ id }, at) => [id, at]));
    const edges = program.edges.flatMap((edge) => {
      const [from, to] = [number.get(edge.from), number.get(edge.to)];
      return from === undefined || to === undefined ? [] : [{ edge, from, to }];
    });
    const widths = program.predicates.map(({ id }) => Math.ceil(id.length * LETTER) + 20);
    this.placed = layout({ widths, arrows: edges.map(({ edge, from, to }) => ({ from, to, recursive: edge.recursive })) });
    this.lines = edges.map(({ edge, from, to }) => ({ edge, from, to, parts: this.line(edge, from, to) }));
    this.nodes = program.predicates.map((predicate, at) => this.node(predicate, at));
    const { width, height } = this.placed;
    // A bit smaller where that saves scrolling; letters stay readable.
    const scale = Math.min(1, Math.max(SMALLEST, deeds.room / width));
    this.svg = draw(
      "svg",
      { width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Dependencies of ${program.name}` },
      draw("defs", {}, ...["positive", "negated", "aggregated", "recursive"].map(head)),
      ...this.lines.flatMap(({ parts }) => parts),
      ...this.nodes,
    );
    // One stop for the Tab key; the arrows go on from there.
    const first = program.predicates.findIndex(({ id }) => this.isCentre(id));
    this.nodes[Math.max(0, first)]?.setAttribute("tabindex", "0");
  }

  private box(at: number): Box {
    return this.placed.boxes[at] ?? { x: 0, y: 0, width: 0 };
  }

  /** Whether the graph is around this predicate; it may be asked for without its arity. */
  private isCentre(id: string): boolean {
    const { centre } = this.deeds;
    return centre !== undefined && (id === centre || id.startsWith(`${centre}/`));
  }

  private node(predicate: Predicate, at: number): SVGElement {
    const { id, kind, where } = predicate;
    const { x, y, width } = this.box(at);
    const isRecursive = this.program.components.some(({ predicates }) => predicates.includes(id));
    const classes = ["node", kind, ...(this.isCentre(id) ? ["centre"] : []), ...(isRecursive ? ["recursive"] : [])].join(" ");
    const node = draw(
      "g",
      { class: classes, role: "button", tabindex: -1, "data-id": id, transform: `translate(${x} ${y})`, "aria-label": this.spoken(predicate, at) },
      draw("rect", { width, height: HEIGHT, rx: kind === "rules" ? 4 : HEIGHT / 2 }),
      draw("text", { x: width / 2, y: HEIGHT / 2 + 4 }, id),
      draw("title", {}, this.spoken(predicate, at)),
    );
    node.addEventListener("click", () => this.deeds.open(where));
    node.addEventListener("dblclick", () => this.deeds.around(id));
    node.addEventListener("focus", () => this.focus(at, node.matches(":focus-visible")));
    node.addEventListener("blur", () => this.svg.classList.remove("lit"));
    node.addEventListener("mouseenter", () => this.light(at));
    node.addEventListener("mouseleave", () => this.svg.classList.remove("lit"));
    node.addEventListener("keydown", (event) => this.key(event as KeyboardEvent, at));
    return node;
  }

  private spoken({ id, kind, facts, rules }: Predicate, at: number): string {
    const [asks, asked] = [this.lines.filter(({ from }) => from === at), this.lines.filter(({ to }) => to === at)];
    const not = asks.filter(({ edge }) => edge.kind === "negated").map(({ edge }) => edge.to);
    const what = kind === "undefined" ? "not defined" : `${count(rules, "rule")}, ${count(facts, "fact")}`;
    const negated = not.length === 0 ? "" : `, negated: ${not.join(", ")}`;
    return `${id}: ${what}; queries ${asks.length}${negated}; queried by ${asked.length}`;
  }

  private line(edge: Edge, from: number, to: number): SVGElement[] {
    const { path, middle } = curve(this.box(from), this.box(to), from === to);
    const classes = ["edge", edge.kind, ...(edge.recursive ? ["recursive"] : []), ...(edge.temporal ? ["temporal"] : [])].join(" ");
    const end = edge.recursive ? "recursive" : edge.kind;
    const line = draw("path", { d: path, class: classes, "marker-end": `url(#end-${end})` });
    const wide = draw("path", { d: path, class: "reach" }, draw("title", {}, `${edge.from} ${edge.kind === "negated" ? "negates" : "queries"} ${edge.to}`));
    wide.addEventListener("click", () => this.deeds.open(edge.where[0] ?? null));
    const word = { positive: "", negated: "not", aggregated: "do" }[edge.kind];
    const label = word === "" ? [] : [draw("text", { x: middle.x, y: middle.y - 4, class: `word ${edge.kind}` }, word)];
    return [line, ...label, wide];
  }

  private focus(at: number, isByKey: boolean): void {
    for (const node of this.nodes) node.setAttribute("tabindex", "-1");
    this.nodes[at]?.setAttribute("tabindex", "0");
    if (isByKey) this.light(at);
    this.deeds.focused(this.program.predicates[at]?.id ?? "");
  }

  /** Shows what belongs to a box, and dims the rest. */
  private light(at: number): void {
    const near = new Set([at]);
    for (const { from, to, parts } of this.lines) {
      const isNear = from === at || to === at;
      for (const part of parts) part.classList.toggle("near", isNear);
      if (isNear) near.add(from).add(to);
    }
    this.nodes.forEach((node, other) => node.classList.toggle("near", near.has(other)));
    this.svg.classList.add("lit");
  }

  private key(event: KeyboardEvent, at: number): void {
    const predicate = this.program.predicates[at];
    if (event.key === "Enter") this.deeds.open(predicate?.where ?? null);
    else if (event.key === " ") this.deeds.around(predicate?.id ?? "");
    else if (event.key.startsWith("Arrow")) this.nodes[this.beside(at, event.key)]?.focus();
    else return;
    event.preventDefault();
  }

  /** The nearest box in a direction, else the same. */
  private beside(at: number, key: string): number {
    const middle = ({ x, y, width }: Box): { x: number; y: number } => ({ x: x + width / 2, y: y + HEIGHT / 2 });
    const here = middle(this.box(at));
    const [across, sign] = [key === "ArrowLeft" || key === "ArrowRight", key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1];
    let [best, least] = [at, Number.POSITIVE_INFINITY];
    this.placed.boxes.forEach((box, other) => {
      const there = middle(box);
      const [along, aside] = across ? [there.x - here.x, there.y - here.y] : [there.y - here.y, there.x - here.x];
      const cost = Math.abs(along) + 2 * Math.abs(aside);
      if (along * sign > 8 && cost < least) [best, least] = [other, cost];
    });
    return best;
  }
}

/** The tip of an arrow. */
function head(kind: string): SVGElement {
  const at = { id: `end-${kind}`, class: `tip ${kind}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" };
  return draw("marker", at, draw("path", { d: "M0 0 L8 4 L0 8 z" }));
}

/** A line from the right of one box to the left of another; back, or to itself, around them. */
function curve(from: Box, to: Box, isLoop: boolean): { path: string; middle: { x: number; y: number } } {
  const [ax, ay] = [from.x + from.width, from.y + HEIGHT / 2];
  const [bx, by] = [to.x - 2, to.y + HEIGHT / 2];
  if (isLoop) {
    const [left, right, top] = [from.x + from.width * 0.3, from.x + from.width * 0.7, from.y];
    return { path: `M${right} ${top} C${right + 8} ${top - 22} ${left - 8} ${top - 22} ${left} ${top - 1}`, middle: { x: (left + right) / 2, y: top - 14 } };
  }
  // Back, or beside: a bit lower than the lines that go forth.
  if (to.x <= from.x) {
    const isBeside = to.x + to.width > from.x;
    const [sx, sy, ex, ey] = [isBeside ? ax : from.x, ay + 6, to.x + to.width + 2, by + 6];
    const bend = isBeside ? 44 : -Math.max(24, (sx - ex) / 2);
    const path = `M${sx} ${sy} C${sx + bend} ${sy} ${ex + Math.abs(bend)} ${ey} ${ex} ${ey}`;
    return { path, middle: { x: (sx + ex) / 2 + (isBeside ? 36 : 0), y: (sy + ey) / 2 + 14 } };
  }
  const bend = Math.max(30, (bx - ax) / 2);
  return { path: `M${ax} ${ay} C${ax + bend} ${ay} ${bx - bend} ${by} ${bx} ${by}`, middle: { x: (ax + bx) / 2, y: (ay + by) / 2 } };
}
