// Shapes of the protocol, for this side of the editor and for the pages of panels.
// Knows nothing of VS Code.

/** Counted from 0; characters in units of UTF-16. */
export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** A range in a file: a location of the protocol. */
export interface Place {
  uri: string;
  range: Range;
}
