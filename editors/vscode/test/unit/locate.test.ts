// Which server is chosen, and what is said when there is none.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { locate } from "../../src/server/locate.ts";

const root = mkdtempSync(join(tmpdir(), "mangle-locate-"));
const onPath = program("bin");
const bundled = program("extension/server");
const set = program("own");
const empty = join(root, "empty");
mkdirSync(empty);

function program(folder: string): string {
  mkdirSync(join(root, folder), { recursive: true });
  const path = join(root, folder, process.platform === "win32" ? "mangle-ls.exe" : "mangle-ls");
  writeFileSync(path, "");
  chmodSync(path, 0o755);
  return path;
}

function check(setting: string, folder: string, extension: string, expected: object): void {
  assert.deepEqual(locate({ setting, searchPath: folder, extension: join(root, extension) }), expected);
}

test("setting, then PATH, then bundled", () => {
  check(set, join(root, "bin"), "extension", { path: set, source: "setting" });
  check("", join(root, "bin"), "extension", { path: onPath, source: "PATH" });
  check("", empty, "extension", { path: bundled, source: "bundled" });
});

test("a relative entry of PATH is not searched", () => {
  check("", "bin", "extension", { path: bundled, source: "bundled" });
});

test("a wrong setting is said, not passed over", () => {
  const wrong = join(empty, "mangle-ls");
  check(wrong, join(root, "bin"), "extension", {
    problem: `The setting mangle.server.path is "${wrong}", but there is no program at this path.`,
  });
  check("mangle-ls", join(root, "bin"), "extension", {
    problem: 'The setting mangle.server.path is "mangle-ls", which is not an absolute path.',
  });
});

test("nothing anywhere", () => {
  check("", empty, "empty", {
    problem: "mangle-ls was not found on PATH, and this package of the extension does not contain it.",
  });
});
