// A project in the fragment of an address: `#z=` and the JSON of it, compressed (deflate without header) and in base64url; or `#p=`
// and the JSON in base64url as it is, which programs write that have no compressor.

import { isValidName } from "./names.ts";
import { LARGEST, type Project, readProject } from "./project.ts";

/** The most bytes of JSON that a fragment may expand to: all characters of the largest project escaped. */
const MOST = 7 * LARGEST;

export async function toFragment(project: Project): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(project));
  return `#z=${toBase64(await through(new CompressionStream("deflate-raw"), json, Infinity))}`;
}

/** The project of a fragment; nothing where the fragment names none. */
export async function fromFragment(fragment: string): Promise<Project | undefined> {
  const found = /^#([zp])=(.*)$/.exec(fragment);
  if (found === null) return undefined;
  const bytes = fromBase64(found[2] ?? "");
  const json = found[1] === "p" ? bytes : await through(new DecompressionStream("deflate-raw"), bytes, MOST);
  return readProject(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)), isValidName);
}

/** What a stream makes of bytes, which may not be more than `most`. */
async function through(stream: CompressionStream | DecompressionStream, bytes: Uint8Array, most: number): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  // An error shows at the other end.
  writer.write(bytes as BufferSource).then(() => writer.close()).catch(() => undefined);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.readable.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const chunk = next.value as Uint8Array;
    length += chunk.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("it is larger than 1 MiB");
    }
    chunks.push(chunk);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
