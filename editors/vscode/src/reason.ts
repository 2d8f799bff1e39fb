// What went wrong, in words.

/** What somebody who catches an error can say of it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
