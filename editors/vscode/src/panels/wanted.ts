// What panels are asked to show.

/** What a prompt is asked for with: the argument of the command, as far as it is looked at. */
export interface Wanted {
  uri: string;
  name?: string;
  shard?: [string, string];
  mode?: string;
  part?: string;
}

/** The transcript whose replay is reported. */
export interface ReportOf {
  uri: string;
}
