// Problems of a server: their messages, and the actions that solve them.
// Knows nothing of VS Code, so that it can be tested alone.

import type { Found } from "./locate.ts";
import { MOST, WITHIN } from "./restarts.ts";
import { OLDEST } from "./version.ts";

/** What one can do about it. */
export type Remedy = "restart" | "setting" | "logs";

export interface Trouble {
  /** What is wrong: a sentence. */
  problem: string;
  /** What to do: a sentence or two. */
  advice: string;
  /** The buttons, the best first. */
  remedies: Remedy[];
}

const ELSEWHERE = "Set mangle.server.path to a mangle-ls program, or install one on PATH. Highlighting works without the server.";

/** There is none. */
export function missing(problem: string): Trouble {
  return { problem, advice: ELSEWHERE, remedies: ["setting", "logs"] };
}

/** It cannot even say its version. */
export function broken(found: Found, why: string): Trouble {
  return { problem: `${named(found)} does not run: ${why}`, advice: ELSEWHERE, remedies: ["setting", "logs"] };
}

/** It is another program. */
export function foreign(found: Found, said: string): Trouble {
  const problem = `${named(found)} is not mangle-ls: its version is "${said}".`;
  return { problem, advice: ELSEWHERE, remedies: ["setting", "logs"] };
}

/** It knows less than this extension asks for. */
export function old(found: Found, version: string): Trouble {
  const advice = {
    setting: "Update that program, or clear the setting mangle.server.path to use the one on PATH or the bundled one.",
    PATH: "Update it, for example with `cargo install --path . --force` in a new copy of the repository, or remove it from PATH.",
    bundled: "Reinstall the extension: its parts have different versions.",
  }[found.source];
  const problem = `${named(found)} is version ${version}, and this extension needs ${OLDEST} or newer.`;
  return { problem, advice, remedies: ["setting", "logs"] };
}

/** It ended, or refused, before it had said hello. */
export function refused(found: Found, why: string): Trouble {
  return { problem: `${named(found)} does not start: ${why}`, advice: "The log contains the details.", remedies: ["logs", "setting"] };
}

/** It was started and says nothing. */
export function silent(found: Found, seconds: number): Trouble {
  return {
    problem: `${named(found)} was started, but has not answered for ${seconds} seconds.`,
    advice: "Your text is safe. Restart the server. If this does not help, see the log.",
    remedies: ["restart", "logs"],
  };
}

/** It worked, and does not answer any more. */
export function stuck(found: Found, seconds: number): Trouble {
  return {
    problem: `${named(found)} has not answered for ${seconds} seconds.`,
    advice: `Your text is safe. Restart the server, or wait: it is restarted after ${seconds} more seconds, at most ${MOST} times. The log may contain the reason.`,
    remedies: ["restart", "logs"],
  };
}

/** It dies or hangs again and again. */
export function failing(found: Found, times: number): Trouble {
  return {
    problem: `${named(found)} crashed or stopped answering ${times} times within ${WITHIN / 60_000} minutes and is not restarted.`,
    advice: "Your text is safe. Please report this with the log. Change the text that caused the failure, then restart the server.",
    remedies: ["restart", "logs"],
  };
}

/** A program, and where it was found. */
export function named(found: Found): string {
  return `${found.path} (${origin(found)})`;
}

/** Where a program was found, in words. */
export function origin(found: Found): string {
  return { setting: "from the setting mangle.server.path", PATH: "found on PATH", bundled: "bundled with the extension" }[found.source];
}
