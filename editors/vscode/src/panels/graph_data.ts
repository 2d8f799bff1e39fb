// What `mangle/graph` is asked and answers, as far as it is drawn.

import type { Place } from "../protocol.ts";

/** What is shown: all predicates of the programs of a document, or those around some. */
export interface GraphOf {
  uri: string;
  of?: string;
  depth?: number;
  direction?: "both" | "uses" | "users";
  recursive?: boolean;
}

export interface Graph {
  programs: Program[];
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
