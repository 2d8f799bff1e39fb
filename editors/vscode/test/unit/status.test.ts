// What the status item says.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Health } from "../../src/server/health.ts";
import { failing, old } from "../../src/server/trouble.ts";
import { type Status, shown } from "../../src/status/details.ts";

const found = { path: "/bin/mangle-ls", source: "PATH" } as const;
const running: Health = { kind: "running", found, version: "0.1.0" };
const program = {
  name: "guardian",
  configuration: "/w/mangle-ls.toml",
  files: ["/w/a.mg", "/w/b.mg"],
  engine: { version: "2026-04", reason: "codenerd-2026-09 pins it" },
  runtime: { version: "codenerd-2026-09", reason: "a.mg defines `prose_only`" },
};
const status: Status = { version: "0.1.0", programs: [program], documents: [{ uri: "file:///w/a.mg", suspect: false }] };
const at = (path: string): string => path.replace("/w/", "");

function check(health: Health, of: Status | undefined, path: string | undefined, expected: { text: string; severity: string; details: string[] }): void {
  const { text, severity, details } = shown(health, of, path, at);
  assert.deepEqual({ text, severity, details }, expected);
}

test("a server that runs, its version, where it was found, and the settings of the open file", () => {
  check(running, status, "/w/a.mg", {
    text: "$(check) mangle-ls",
    severity: "ordinary",
    details: [
      "mangle-ls 0.1.0, found on PATH",
      "/bin/mangle-ls",
      "Program guardian: 2 files",
      "Settings: mangle-ls.toml",
      "Engine 2026-04 (codenerd-2026-09 pins it)",
      "Runtime codenerd-2026-09 (a.mg defines `prose_only`)",
    ],
  });
  const details = ["mangle-ls 0.1.0, found on PATH", "/bin/mangle-ls", "1 program in this workspace"];
  check(running, status, "/w/other.mg", { text: "$(check) mangle-ls", severity: "ordinary", details });
});

test("a document that the server lost track of", () => {
  const suspect = { ...status, programs: [{ ...program, configuration: null }], documents: [{ uri: "file:///w/a.mg", suspect: true }] };
  check(running, suspect, "/w/b.mg", {
    text: "$(warning) mangle-ls",
    severity: "warning",
    details: [
      "mangle-ls 0.1.0, found on PATH",
      "/bin/mangle-ls",
      "A document is out of sync, so no fixes are offered. Close it and open it again.",
      "Program guardian: 2 files",
      "Settings: defaults (no mangle-ls.toml)",
      "Engine 2026-04 (codenerd-2026-09 pins it)",
      "Runtime codenerd-2026-09 (a.mg defines `prose_only`)",
    ],
  });
});

test("a problem is shown with what to do", () => {
  const trouble = failing(found, 4);
  const details = [trouble.problem, trouble.advice];
  check({ kind: "failed", trouble }, undefined, undefined, { text: "$(error) mangle-ls", severity: "error", details });
  assert.match(trouble.problem, /^\/bin\/mangle-ls \(found on PATH\) crashed or stopped answering 4 times within 3 minutes/);
  assert.match(old({ ...found, source: "setting" }, "0.0.1").advice, /mangle\.server\.path/);
});

test("a server between two states", () => {
  const details = ["The server crashed or stopped answering 2 times, and is restarting.", "/bin/mangle-ls"];
  check({ kind: "restarting", found, failures: 2 }, undefined, undefined, { text: "$(loading~spin) mangle-ls", severity: "warning", details });
  const stopped = ["The server is stopped. Highlighting works without it."];
  check({ kind: "stopped" }, undefined, undefined, { text: "$(circle-slash) mangle-ls", severity: "warning", details: stopped });
});
