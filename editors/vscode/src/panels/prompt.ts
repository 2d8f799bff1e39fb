// A prompt as its panel shows it: section by section, each line with where it comes from. Joined from what the server says of the text
// (`mangle/virtualDocument`) and of its sections (`mangle/preview`).
// Knows nothing of VS Code, so that it can be tested alone.

import type { Place, Range } from "../protocol.ts";

/** The answer of `mangle/preview`, as far as it is looked at. */
export interface Preview {
  name: string;
  shard: string;
  shard_type: string;
  mode: string;
  sections: { section: string; title: string; tokens: number; lines: PreviewLine[] }[];
  totals: { tokens: number; tokenizer: string; available: number };
  fallback?: string | null;
  diagnostics: { code: string; rule: string; severity: string; message: string; place: string }[];
}

interface PreviewLine {
  text: string;
  role: string;
  origin: { kind: string; file?: string; line?: number; name?: string; pointer?: string; proof?: string[] };
}

/** What the page draws. */
export interface Prompt {
  name: string;
  shard: string;
  mode: string;
  tokens: number;
  tokenizer: string;
  available: number;
  fallback: string | null;
  notes: { severity: string; text: string; rule: string; place: string }[];
  sections: { title: string; tokens: number; lines: Line[] }[];
}

export interface Line {
  text: string;
  /** In a few words: `derived by policy.mg:20`. */
  from: string;
  /** What it is there: `fact`, `derived`, `session`, … */
  kind: string;
  isLayout: boolean;
  place: Place | null;
  /** How it follows. */
  proof: string;
}

/** Joins both answers; `origins` are those of the text, in which a line stands for a line. */
export function joined(preview: Preview, origins: { range: Range; location: Place }[]): Prompt {
  const places = new Map(origins.map(({ range, location }) => [range.start.line, location]));
  let at = 0;
  const sections = preview.sections.map(({ title, section, tokens, lines }) => ({
    title: title === "" ? section : title,
    tokens,
    lines: lines.map((line) => {
      const place = places.get(at) ?? null;
      at += line.text.split("\n").length;
      return drawn(line, place);
    }),
  }));
  const { name, shard, shard_type, mode, totals, diagnostics } = preview;
  const notes = diagnostics.map(({ severity, message, rule, place }) => ({ severity, text: message, rule, place }));
  return {
    name,
    shard: `${shard} (${shard_type})`,
    mode,
    tokens: totals.tokens,
    tokenizer: totals.tokenizer,
    available: totals.available,
    fallback: preview.fallback ?? null,
    notes,
    sections,
  };
}

function drawn({ text, role, origin }: PreviewLine, place: Place | null): Line {
  return { text, kind: origin.kind, from: words(origin), isLayout: role === "layout", place, proof: (origin.proof ?? []).join("\n").trimEnd() };
}

function words({ kind, file, line, name, pointer }: PreviewLine["origin"]): string {
  const where = file === undefined ? "" : `${file.split("/").at(-1)}${line === undefined ? "" : `:${line}`}`;
  if (kind === "derived") return `derived by ${where}`;
  if (kind === "builtin") return name === undefined || name === "layout" ? "" : `built in: ${name}`;
  return [kind, pointer ?? name ?? "", where].filter((word) => word !== "").join(" ");
}
