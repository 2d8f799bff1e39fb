// A project: some texts by name, which of them is shown, and what is asked of them. It is all that a link holds.

/** The panels beside the editor. */
export const PANELS = ["findings", "query", "tests", "verdicts", "prompt", "command"] as const;
export type PanelName = (typeof PANELS)[number];

export interface Project {
  readonly files: Readonly<Record<string, string>>;
  /** The file that is shown. */
  readonly open: string;
  readonly panel?: PanelName;
  /** What was entered in panels, by panel. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** The most that a link may hold, in bytes of text. */
export const LARGEST = 1 << 20;

/** Reads a project of a foreign source; an error says what is wrong with it. */
export function readProject(value: unknown, isName: (name: string) => boolean): Project {
  const { files, open, panel, inputs } = (value ?? {}) as Record<string, unknown>;
  if (typeof files !== "object" || files === null) throw new Error("it has no files");
  const texts: Record<string, string> = {};
  let size = 0;
  for (const [name, text] of Object.entries(files)) {
    if (typeof text !== "string") throw new Error(`the text of a file is not a text`);
    if (!isName(name)) throw new Error("it has a file without a usable name");
    size += text.length;
    texts[name] = text;
  }
  if (size > LARGEST) throw new Error("it is larger than 1 MiB");
  const first = Object.keys(texts)[0];
  if (first === undefined) throw new Error("it has no files");
  const entered = Object.entries(typeof inputs === "object" && inputs !== null ? inputs : {});
  return {
    files: texts,
    open: typeof open === "string" && open in texts ? open : first,
    panel: PANELS.find((name) => name === panel) ?? "findings",
    inputs: Object.fromEntries(entered.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
  };
}
