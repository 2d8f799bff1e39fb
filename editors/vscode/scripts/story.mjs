// What the walkthrough shows and opens, in `dist`: an example with a session that breaks its rules, and pictures of the documentation.

import { cpSync } from "node:fs";

const copy = (from, to) => cpSync(new URL(`../../../${from}`, import.meta.url), new URL(`../dist/${to}`, import.meta.url), { recursive: true });

copy("examples/guardian", "story");
copy("examples/jailbreak/session.piggyback.jsonl", "story/session.piggyback.jsonl");
for (const name of ["replay", "conversation", "tests"]) {
  for (const theme of ["light", "dark"]) copy(`docs/images/${name}-${theme}.png`, `images/${name}-${theme}.png`);
}
