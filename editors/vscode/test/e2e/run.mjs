// Tests the real VS Code, as code-server in Chromium, with the packaged extension.
//   node run.mjs CODE-SERVER MANGLE-LS VSIX OUTPUT [SCENARIO…]
// OUTPUT gets the screenshots, which are for a person. Without names all of scenarios/ are run.

import { runAll } from "./driver/run_all.mjs";

await runAll(new URL("scenarios/", import.meta.url), ({ name, scenario }) => [{ name, ...scenario }]);
