// Prompts by what they are asked for with: what one is called, and the address of its document.
// Knows nothing of VS Code, so that it can be tested alone.

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
