// Whether a program is a server that this extension can work with.
// Knows nothing of VS Code, so that it can be tested alone.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { reasonOf } from "../reason.ts";
import type { Found } from "./locate.ts";
import { type Trouble, broken, foreign, old, refused } from "./trouble.ts";
import { readVersion } from "./version.ts";

/** Milliseconds until a program has to have said its version. */
const PATIENCE = 5_000;

/** What a server says of itself when it says hello. */
export interface Introduction {
  name: string;
  version?: string;
}

/** What is wrong with a server that has said hello. */
export function unfit(found: Found, introduction: Introduction | undefined): Trouble | undefined {
  return ofVersion(found, introduction === undefined ? "" : `${introduction.name} ${introduction.version ?? ""}`);
}

/** Why a program that was started did not say hello: it is asked for its version, which tells more than that it ended. */
export async function refusal(found: Found, why: string): Promise<Trouble> {
  try {
    const { stdout } = await promisify(execFile)(found.path, ["--version"], { timeout: PATIENCE });
    return ofVersion(found, stdout) ?? refused(found, why);
  } catch (error) {
    return broken(found, reasonOf(error).trim());
  }
}

function ofVersion(found: Found, said: string): Trouble | undefined {
  const version = readVersion(said);
  if (version.kind === "foreign") return foreign(found, version.said);
  return version.kind === "old" ? old(found, version.version) : undefined;
}
