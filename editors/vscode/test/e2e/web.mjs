// Tests the extension as VS Code for the Web runs it: in a worker of the browser, without a process beside it.
//   node web.mjs CODE-SERVER MANGLE-LS VSIX OUTPUT [SCENARIO…]
// An extension without an entry for Node runs in the browser, also where the workspace is on a server.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAll } from "./driver/run_all.mjs";

function withoutNode({ home }) {
  const folder = join(home, "extensions");
  const name = readdirSync(folder).find((entry) => entry.startsWith("mangle-ls."));
  const path = join(folder, name, "package.json");
  const { main: _, ...description } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(description));
}

await runAll(new URL("web/", import.meta.url), ({ name, scenario }) => [{ name, ...scenario }], withoutNode);
