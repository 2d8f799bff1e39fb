// What panels and their pages say to each other.

import type { Place } from "../protocol.ts";

/** From a page. */
export type Said<Of> =
  /** It is there, and wants to be filled. */
  | { type: "ready" }
  /** Somebody wants to see a place. */
  | { type: "open"; place: Place }
  /** Somebody wants to see something else. */
  | { type: "want"; of: Of }
  /** Somebody wants to see the same as a document of text. */
  | { type: "text" };

/** To a page. */
export type Shown<Of, Data> = { type: "show"; of: Of; data: Data } | { type: "failed"; of: Of; message: string };
