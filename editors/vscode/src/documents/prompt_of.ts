// Prompts by what they are asked for with: what one is called, and the address of its document.
// Knows nothing of VS Code, so that it can be tested alone.

import { isObject, isText } from "../panels/incoming.ts";

/** The argument of the command, as far as it is looked at. */
export interface PromptOf {
  uri: string;
  name?: string;
  shard?: [string, string];
  mode?: string;
  part?: string;
}

/** What a prompt is called. */
export function nameOf({ name, shard, part }: PromptOf): string {
  return [name ?? shard?.[0], part].filter((word) => word !== undefined).join(", ");
}

/** The address of a prompt. */
export function address({ uri, name, shard, mode, part }: PromptOf): string {
  const keys: [string, string | undefined][] = [
    ["shard", shard?.join(" ")],
    ["mode", mode],
    ["part", part],
    ["of", uri],
  ];
  const said = keys.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`]));
  return `mangle-preview:/${encodeURIComponent(name ?? "")}?${said.join("&")}`;
}

/** Validates a request for a prompt. */
export function readPromptOf(value: unknown): PromptOf | undefined {
  if (!isObject(value)) return undefined;
  const { uri, name, shard, mode, part } = value;
  if (typeof uri !== "string" || !isText(name) || !isText(mode) || !isText(part)) return undefined;
  const words = Array.isArray(shard) && shard.length === 2 && shard.every((word) => typeof word === "string");
  if (shard !== undefined && !words) return undefined;
  const all = { name, shard, mode, part };
  return { uri, ...Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) };
}
