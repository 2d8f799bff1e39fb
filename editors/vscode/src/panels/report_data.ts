// What `mangle/replay` is asked for a report.

/** The transcript whose replay is reported. */
export interface ReportOf {
  uri: string;
}
