// Which mangle-ls to start: the setting, else PATH, else the one packed into the extension.
// Knows nothing of VS Code, so that it can be tested alone.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

export type Source = "setting" | "PATH" | "bundled";

export interface Found {
  path: string;
  source: Source;
}

/** No server: `problem` says what was looked for, in words for the user. */
export interface Missing {
  problem: string;
}

export interface Places {
  /** Value of `mangle.server.path`; empty when not set. */
  setting: string;
  /** Value of the PATH variable. */
  searchPath: string;
  /** Folder of the installed extension. */
  extension: string;
}

const PROGRAM = process.platform === "win32" ? "mangle-ls.exe" : "mangle-ls";

/**
 * A path that is set but wrong is an error, not a reason to look elsewhere: the user would run
 * another server than the one asked for and never learn of it.
 */
export function locate(places: Places): Found | Missing {
  if (places.setting !== "") {
    const path = places.setting.replace(/^~(?=[/\\]|$)/, homedir());
    if (!isAbsolute(path)) return { problem: `The setting mangle.server.path is "${path}", which is not an absolute path.` };
    if (!runs(path)) return { problem: `The setting mangle.server.path is "${path}", but there is no program at this path.` };
    return { path, source: "setting" };
  }
  // Relative entries of PATH would let an opened folder bring its own server.
  const folders = places.searchPath.split(delimiter).filter(isAbsolute);
  const onPath = folders.map((folder) => join(folder, PROGRAM)).find(runs);
  if (onPath !== undefined) return { path: onPath, source: "PATH" };
  const bundled = join(places.extension, "server", PROGRAM);
  if (runs(bundled)) return { path: bundled, source: "bundled" };
  return { problem: "mangle-ls was not found on PATH, and this package of the extension does not contain it." };
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
