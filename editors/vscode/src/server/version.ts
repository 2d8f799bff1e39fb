// Which servers this extension can work with, by what they say of themselves.
// Knows nothing of VS Code, so that it can be tested alone.

/** The oldest server that answers all that this extension asks. */
export const OLDEST = "0.1.0";

/** What a program said when it was asked for its version. */
export type Version =
  | { kind: "good"; version: string }
  | { kind: "old"; version: string }
  /** No mangle-ls at all; `said` is the first line of what it said, cut. */
  | { kind: "foreign"; said: string };

/** Reads what `mangle-ls --version` prints: the name and the version, and perhaps more behind them. */
export function readVersion(output: string, oldest = OLDEST): Version {
  const version = /^mangle-ls v?(\d+\.\d+\.\d+\S*)/.exec(output.trim())?.[1];
  if (version === undefined) return { kind: "foreign", said: (output.trim().split("\n")[0] ?? "").slice(0, 80) };
  return { kind: isOlder(version, oldest) ? "old" : "good", version };
}

/** Whether a version comes before another one. What stands behind the three numbers counts for nothing. */
function isOlder(version: string, than: string): boolean {
  const [ours, others] = [numbers(version), numbers(than)];
  const at = ours.findIndex((number, index) => number !== others[index]);
  return at !== -1 && (ours[at] ?? 0) < (others[at] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(/[.+-]/, 3).map(Number);
}
