// Positions of the protocol as offsets of a document, and back. To the protocol, a lone carriage return ends a line as well.

import type { Text } from "@codemirror/state";
import type { Position, Range } from "./connection.ts";

const starts = new WeakMap<Text, readonly number[] | undefined>();

/** Where the lines begin; nothing where the lines of the editor are those of the protocol. */
function lineStarts(doc: Text): readonly number[] | undefined {
  if (starts.has(doc)) return starts.get(doc);
  const text = doc.sliceString(0);
  const found = text.includes("\r") ? [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)] : undefined;
  starts.set(doc, found);
  return found;
}

/** The offset of a position; the nearest one when the document has no such position. */
export function toOffset(doc: Text, { line, character }: Position): number {
  const known = lineStarts(doc);
  if (known === undefined) {
    if (line >= doc.lines) return doc.length;
    const { from, to } = doc.line(line + 1);
    return Math.min(from + character, to);
  }
  const start = known[line];
  return start === undefined ? doc.length : Math.min(start + character, known[line + 1] ?? doc.length);
}

export function toPosition(doc: Text, offset: number): Position {
  const known = lineStarts(doc);
  if (known === undefined) {
    const { number, from } = doc.lineAt(offset);
    return { line: number - 1, character: offset - from };
  }
  let line = known.findLastIndex((start) => start <= offset);
  line = Math.max(line, 0);
  return { line, character: offset - (known[line] ?? 0) };
}

export function toRange(doc: Text, from: number, to: number): Range {
  return { start: toPosition(doc, from), end: toPosition(doc, to) };
}
