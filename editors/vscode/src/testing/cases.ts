// The cases and properties of a policy test, found in its text, so that they can be listed without asking the server.
// Knows nothing of VS Code, so that it can be tested alone.

export interface Case {
  name: string;
  /** Counted from 0. */
  line: number;
}

const CASE = /^\s*#+\s*@test\s+name:\s*(.*?)\s*$/;
const PROPERTY = /^\s*#+\s*@(?:never|always|possible|live|equivalent|implies)(?:\s+(.*?))?\s*$/;

/** The comments that open a case or a property. */
export function casesOf(text: string): Case[] {
  const lines = text.split(/\r?\n/);
  const named = lines.map((line, at) => ({ name: CASE.exec(line)?.[1] ?? propertyAt(lines, at) ?? "", line: at }));
  return named.filter(({ name }) => name !== "");
}

/** The name of the property that a line opens: the one behind `name:`, else its body. */
function propertyAt(lines: string[], at: number): string | undefined {
  const opened = PROPERTY.exec(lines[at] ?? "");
  if (!opened) {
    return undefined;
  }
  const first = opened[1] ?? "";
  if (first.startsWith("name:")) {
    return first.slice("name:".length).trim();
  }
  const body = [first];
  for (const line of lines.slice(at + 1)) {
    const inner = /^\s*#+\s*(.*?)\s*$/.exec(line)?.[1];
    if (inner === undefined || inner.startsWith("@")) {
      break;
    }
    body.push(inner);
  }
  return body.join(" ").split(/\s+/).filter((word) => word !== "").join(" ");
}
