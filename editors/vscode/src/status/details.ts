// What the status item says: its text, its colour, and the details behind it.
// Knows nothing of VS Code, so that it can be tested alone.

import type { Health } from "../server/health.ts";
import { origin } from "../server/trouble.ts";

/** What the server says of itself, as far as it is shown: the answer of `mangle/status`. */
export interface Status {
  version: string;
  programs: { name: string; configuration: string | null; files: string[]; engine?: Version; runtime?: Version }[];
  documents: { uri: string; suspect: boolean }[];
}

/** A reference version that holds for a program, and the reason for it. */
export interface Version {
  version: string;
  reason: string;
}

/** The item in the status bar. */
export interface Shown {
  /** With a VS Code icon in it. */
  text: string;
  severity: "ordinary" | "warning" | "error";
  /** In one line, for those who listen. */
  spoken: string;
  /** One line each, as plain text. */
  details: string[];
}

/** `path` is that of the document that is looked at; `at` gives a path as it is shown. */
export function shown(health: Health, status: Status | undefined, path: string | undefined, at: (path: string) => string): Shown {
  const details = [...ofServer(health), ...(status === undefined ? [] : ofProgram(status, path, at))];
  const isSuspect = health.kind === "running" && (status?.documents.some(({ suspect }) => suspect) ?? false);
  const say = (icon: string, severity: Shown["severity"], state: string): Shown => ({
    text: `$(${icon}) mangle-ls`,
    severity,
    spoken: `Mangle: ${state}`,
    details,
  });
  switch (health.kind) {
    case "stopped":
      return say("circle-slash", "warning", "the server is stopped");
    case "starting":
      return say("loading~spin", "ordinary", "the server is starting");
    case "restarting":
      return say("loading~spin", "warning", "the server failed and is restarting");
    case "stuck":
      return say("warning", "warning", "the server does not answer");
    case "failed":
      return say("error", "error", "the server is not running");
    case "running":
      return isSuspect ? say("warning", "warning", "the text of a document is out of sync") : say("check", "ordinary", "the server is running");
  }
}

function ofServer(health: Health): string[] {
  switch (health.kind) {
    case "stopped":
      return ["The server is stopped. Highlighting works without it."];
    case "starting":
      return ["The server is starting.", health.found.path];
    case "restarting":
      return [`The server crashed or stopped answering${health.failures === 1 ? "" : ` ${health.failures} times`}, and is restarting.`, health.found.path];
    case "stuck":
    case "failed":
      return [health.trouble.problem, health.trouble.advice];
    case "running":
      return [`mangle-ls ${health.version}, ${origin(health.found)}`, health.found.path];
  }
}

function ofProgram(status: Status, path: string | undefined, at: (path: string) => string): string[] {
  const suspect = status.documents.filter((document) => document.suspect).length;
  const lost = suspect === 0 ? [] : ["A document is out of sync, so no fixes are offered. Close it and open it again."];
  const program = status.programs.find(({ files }) => path !== undefined && files.includes(path));
  if (program === undefined) {
    const count = status.programs.length;
    return [...lost, count === 1 ? "1 program in this workspace" : `${count} programs in this workspace`];
  }
  const { name, configuration, files, engine, runtime } = program;
  const settings = configuration === null ? "Settings: defaults (no mangle-ls.toml)" : `Settings: ${at(configuration)}`;
  return [...lost, `Program ${name}: ${files.length} ${files.length === 1 ? "file" : "files"}`, settings, ...chosen("Engine", engine), ...chosen("Runtime", runtime)];
}

/** The line of a version; none from a server that does not tell. */
function chosen(part: string, choice: Version | undefined): string[] {
  return choice === undefined ? [] : [`${part} ${choice.version} (${choice.reason})`];
}
