// Words of a command line, and a command line of words.

/** Splits what was typed into words, as a shell does with quotes. */
export function toWords(line: string): string[] {
  const words: string[] = [];
  for (const found of line.matchAll(/(?:[^\s'"]|'[^']*'?|"(?:[^"\\]|\\.)*"?)+/g)) {
    words.push(found[0].replace(/'([^']*)'?|"((?:[^"\\]|\\.)*)"?/g, (_, single: string | undefined, double: string | undefined) => single ?? (double ?? "").replace(/\\(.)/g, "$1")));
  }
  return words;
}

/** Writes words so that a shell reads them as they are. */
export function toLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
