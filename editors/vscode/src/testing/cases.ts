// The cases of a policy test, found in its text, so that they can be listed without asking the server.
// Knows nothing of VS Code, so that it can be tested alone.

export interface Case {
  name: string;
  /** Counted from 0. */
  line: number;
}

/** The comments that open a case. */
export function casesOf(text: string): Case[] {
  const lines = text.split(/\r?\n/);
  const named = lines.map((line, at) => ({ name: /^\s*#\s*@test\s+name:\s*(.*?)\s*$/.exec(line)?.[1] ?? "", line: at }));
  return named.filter(({ name }) => name !== "");
}
