// What became of cases, as the answer of `mangle/test` says it.
// Knows nothing of VS Code, so that it can be tested alone.

/** The answer of `mangle/test`. */
export interface TestReport {
  suites: Suite[];
  summary: { files: number; passed: number; failed: number; errors: number };
}

export interface Suite {
  file: string;
  reading: string;
  cases: CaseReport[];
}

export interface CaseReport {
  name: string;
  line: number;
  outcome: "passed" | "failed" | "error";
  /** Why it could not be run. */
  message: string | null;
  failures: { line: number; expectation: string; message: string; explanation: string }[];
}

/** What is shown at a line of the test. */
export interface Message {
  /** Counted from 0. */
  line: number;
  /** What is wrong, and behind it the proof, or what each rule lacks. */
  text: string;
}

/** What is to be said of a case that did not pass. */
export function messagesOf(report: CaseReport): Message[] {
  const failures = report.failures.map(({ line, message, explanation }) => {
    const why = explanation.trimEnd();
    return { line: line - 1, text: why === "" ? message : `${message}\n\n${why}` };
  });
  if (report.message !== null) failures.unshift({ line: report.line - 1, text: report.message });
  return failures;
}
