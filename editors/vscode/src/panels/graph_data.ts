// What `mangle/graph` is asked and answers, as far as it is drawn.

import type { Place } from "../protocol.ts";
import { isObject, isText } from "./incoming.ts";

/** What is shown: all predicates of the programs of a document, or those around some. */
export interface GraphOf {
  uri: string;
  of?: string;
  depth?: number;
  direction?: "both" | "uses" | "users";
  recursive?: boolean;
}

/** The largest number of steps around a predicate. */
const DEEPEST = 99;

/** Validates a request for a graph. */
export function readGraphOf(value: unknown): GraphOf | undefined {
  if (!isObject(value)) return undefined;
  const { uri, of, depth, direction, recursive } = value;
  if (typeof uri !== "string" || !isText(of)) return undefined;
  if (depth !== undefined && !(Number.isInteger(depth) && (depth as number) >= 0 && (depth as number) <= DEEPEST)) return undefined;
  if (direction !== undefined && direction !== "both" && direction !== "uses" && direction !== "users") return undefined;
  if (recursive !== undefined && typeof recursive !== "boolean") return undefined;
  const all = { of, depth, direction, recursive };
  return { uri, ...Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) };
}

export interface Graph {
  programs: Program[];
  /** `false` if a program does not load; missing otherwise. */
  program_loads?: false;
}

export interface Program {
  name: string;
  predicates: Predicate[];
  edges: Edge[];
  components: { predicates: string[]; stratified: boolean }[];
}

export interface Predicate {
  id: string;
  kind: "rules" | "facts" | "host" | "declared" | "undefined";
  facts: number;
  rules: number;
  where: Place | null;
}

export interface Edge {
  from: string;
  to: string;
  kind: "positive" | "negated" | "aggregated";
  temporal: boolean;
  recursive: boolean;
  where: Place[];
}
