// Validates what a page sends to its panel. A page is ours, but shows foreign text: if markup ever ran there, it could send anything. So
// a page opens only the places that the server named in what is shown, and chooses only among views of the document that its panel shows.
// Knows nothing of VS Code, so that it can be tested alone.

import type { Place, Range } from "../protocol.ts";
import type { Said } from "./messages.ts";

/** Returns a request for a view if it has the shape of one, else `undefined`. */
export type Reader<Of> = (value: unknown) => Of | undefined;

/** What a message is validated against. */
export interface Expected<Of> {
  /** What the panel shows now. */
  of: Of;
  read: Reader<Of>;
  /** The places that may be opened. */
  places: ReadonlySet<string>;
}

/** Returns the message if it is one that the page may send, else `undefined`. */
export function incoming<Of extends { uri: string }>(message: unknown, { of, read, places }: Expected<Of>): Said<Of> | undefined {
  if (!isObject(message)) return undefined;
  switch (message.type) {
    case "ready":
    case "text":
      return { type: message.type };
    case "open": {
      const place = placeOf(message.place);
      return place !== undefined && places.has(key(place)) ? { type: "open", place } : undefined;
    }
    case "want": {
      const want = read(message.of);
      return want?.uri === of.uri ? { type: "want", of: want } : undefined;
    }
    default:
      return undefined;
  }
}

/** The places anywhere in `data`, which the server sent. */
export function placesIn(data: unknown): Set<string> {
  const found = new Set<string>();
  const left = [data];
  while (left.length > 0) {
    const value = left.pop();
    const place = placeOf(value);
    if (place !== undefined) found.add(key(place));
    if (typeof value === "object" && value !== null) for (const part of Object.values(value)) left.push(part);
  }
  return found;
}

function key({ uri, range: { start, end } }: Place): string {
  return JSON.stringify([uri, start.line, start.character, end.line, end.character]);
}

/** A copy of a place with its known fields, or `undefined`. */
function placeOf(value: unknown): Place | undefined {
  if (!isObject(value) || typeof value.uri !== "string") return undefined;
  const range = rangeOf(value.range);
  return range && { uri: value.uri, range };
}

function rangeOf(value: unknown): Range | undefined {
  if (!isObject(value)) return undefined;
  const [start, end] = [value.start, value.end].map((position) => {
    if (!isObject(position)) return undefined;
    const { line, character } = position;
    return isCount(line) && isCount(character) ? { line, character } : undefined;
  });
  return start && end && { start, end };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a value is an object with string keys; arrays are not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an optional field is absent or a string. */
export function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
