// The panels that run a command: one row a panel.

import type { Panel } from "./panel.ts";
import { toWords } from "./words.ts";
import { isSample, isTest, mayBeTranscript } from "../project/names.ts";

const OPTIONS = { label: "options", hint: "more options of the command" };

const asChoices = (names: readonly string[]) => names.map((name) => [name, name] as const);

/** The name that was chosen, if it is still there; else the first. */
function chosen(name: string | undefined, names: readonly string[]): string | undefined {
  return name !== undefined && names.includes(name) ? name : names[0];
}

const QUERY: Panel = {
  name: "query",
  title: "Query",
  fields: [
    { key: "atom", label: "atom", hint: "permitted(Action, _, _)" },
    { key: "show", label: "show", choices: () => [["--why", "proofs"], ["", "facts"], ["--why-not", "why not"]] },
    { key: "queryOptions", ...OPTIONS },
  ],
  command: ({ atom = "", show = "--why", queryOptions = "" }) => {
    if (atom.trim() === "") return "Enter an atom: `_` and variables stand for any value.";
    return ["query", atom.trim(), ...(show === "" ? [] : [show]), ...toWords(queryOptions)];
  },
};

const TESTS: Panel = {
  name: "tests",
  title: "Tests",
  fields: [{ key: "testOptions", ...OPTIONS }],
  command: ({ testOptions = "" }, names) => (names.some(isTest) ? ["test", ...toWords(testOptions)] : "The project has no test: add a file `NAME_test.mg`."),
};

const VERDICTS: Panel = {
  name: "verdicts",
  title: "Verdicts",
  fields: [
    { key: "transcript", label: "transcript", choices: (names) => asChoices(names.filter(mayBeTranscript)) },
    { key: "replayOptions", ...OPTIONS },
  ],
  command: ({ transcript, replayOptions = "" }, names) => {
    const file = chosen(transcript, names.filter(mayBeTranscript));
    return file === undefined ? "The project has no transcript: add a file with captured replies, such as `session.piggyback.jsonl`." : ["replay", file, ...toWords(replayOptions)];
  },
};

const PROMPT: Panel = {
  name: "prompt",
  title: "Prompt",
  fields: [
    { key: "sample", label: "sample", choices: (names) => asChoices(names.filter(isSample)) },
    { key: "previewOptions", ...OPTIONS },
  ],
  command: ({ sample, previewOptions = "" }, names) => {
    const file = chosen(sample, names.filter(isSample));
    return file === undefined ? "The project has no sample: add a file `NAME.kernel.mg`." : ["preview", file, ...toWords(previewOptions)];
  },
};

const COMMAND: Panel = {
  name: "command",
  title: "Command",
  fields: [{ key: "line", label: "mangle-ls", hint: "check --evaluate" }],
  command: ({ line = "" }) => (line.trim() === "" ? "Enter a command, such as `check --evaluate` or `rule MG210`." : toWords(line)),
};

export const COMMAND_PANELS: readonly Panel[] = [QUERY, TESTS, VERDICTS, PROMPT, COMMAND];
