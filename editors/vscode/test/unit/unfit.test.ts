// Which programs are told of as no server of ours.

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { refusal, unfit } from "../../src/server/unfit.ts";

const found = { path: "/bin/mangle-ls", source: "PATH" } as const;

test("one that has said hello", () => {
  assert.equal(unfit(found, { name: "mangle-ls", version: "0.1.0" }), undefined);
  assert.match(unfit(found, { name: "mangle-ls", version: "0.0.9" })?.problem ?? "", /is version 0\.0\.9, and this extension needs/);
  assert.match(unfit(found, { name: "gopls", version: "1.0.0" })?.problem ?? "", /is not mangle-ls: .* "gopls 1\.0\.0"/);
  assert.match(unfit(found, undefined)?.problem ?? "", /is not mangle-ls/);
});

/** What is said of a script that did not say hello. */
async function refused(t: TestContext, script: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "unfit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "mangle-ls");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return (await refusal({ path, source: "setting" }, "the connection was closed")).problem;
}

test("one that has not", { skip: process.platform === "win32" }, async (t) => {
  assert.match(await refused(t, 'echo "mangle-ls 0.1.0"'), /does not start: the connection was closed/);
  assert.match(await refused(t, 'echo "mangle-ls 0.0.1"'), /is version 0\.0\.1/);
  assert.match(await refused(t, 'echo "git version 2.39.5"'), /is not mangle-ls: .* "git version 2\.39\.5"/);
  assert.match(await refused(t, "exit 3"), /does not run/);
});
