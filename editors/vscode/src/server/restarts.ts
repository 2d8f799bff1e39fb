// How often a server that dies or hangs at work is started again: a few times, then a person has to look at it.
// Knows nothing of VS Code, so that it can be tested alone.

/** How many times it is started again … */
export const MOST = 3;
/** … within so many milliseconds. */
export const WITHIN = 3 * 60_000;

/** The failures of one server. */
export class Restarts {
  private failures: number[] = [];

  /** Takes note of a failure at a time in milliseconds. Gives whether it is worth another try. */
  isWorthwhile(now: number): boolean {
    this.failures = [...this.failures.filter((failure) => now - failure < WITHIN), now];
    return this.failures.length <= MOST;
  }

  /** How many failures are remembered. */
  get count(): number {
    return this.failures.length;
  }
}
