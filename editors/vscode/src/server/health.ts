// How the server is, for whoever shows it.

import type { Found } from "./locate.ts";
import type { Trouble } from "./trouble.ts";

export type Health =
  /** Nobody has asked for one, or somebody has stopped it. */
  | { kind: "stopped" }
  | { kind: "starting"; found: Found }
  | { kind: "running"; found: Found; version: string }
  /** It died or did not answer, and is being started again. */
  | { kind: "restarting"; found: Found; failures: number }
  /** It is there, but does not answer. */
  | { kind: "stuck"; found: Found; version: string; trouble: Trouble }
  | { kind: "failed"; trouble: Trouble };
