// What `mangle/replay` is asked for a report.

import { isObject } from "./incoming.ts";

/** The transcript whose replay is reported. */
export interface ReportOf {
  uri: string;
}

/** Validates a request for a report. */
export function readReportOf(value: unknown): ReportOf | undefined {
  return isObject(value) && typeof value.uri === "string" ? { uri: value.uri } : undefined;
}
