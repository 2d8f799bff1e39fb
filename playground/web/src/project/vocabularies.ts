// The vocabularies of tokenizers: loaded when a project names one, since they are larger than all the rest.

import type { Project } from "./project.ts";

const NAMES: Readonly<Record<string, string>> = { cl100k: "cl100k_base", o200k: "o200k_base" };

/** The names of the tokenizers that a project may count with. */
export function wantedVocabularies({ files, inputs }: Project): readonly string[] {
  const texts = [...Object.entries(files).filter(([name]) => name.endsWith(".toml")).map(([, text]) => text), ...Object.values(inputs ?? {})];
  return Object.keys(NAMES).filter((name) => texts.some((text) => text.includes(name)));
}

export async function loadVocabulary(name: string): Promise<string> {
  const response = await fetch(`vocabularies/${NAMES[name]}.tiktoken`);
  if (!response.ok) throw new Error(`${response.status}`);
  return response.text();
}
