// Addresses of the workspace as the server has them: each folder is a folder of the module's file system, below `/workspace`.

/** A folder as VS Code has it, and as the server has it: both without a slash at the end. */
export interface Mapped {
  readonly outside: string;
  readonly inside: string;
}

/** What holds texts of documents, which stay as they are. */
const TEXTS = new Set(["text", "newText"]);

/** The folders, with names that differ. */
export function mapped(folders: readonly { readonly uri: string; readonly name: string }[]): Mapped[] {
  const names = new Set<string>();
  return folders.map(({ uri, name }, index) => {
    const plain = name.replaceAll(/[^\w.-]/g, "_") || "folder";
    const unique = names.has(plain) ? `${plain}-${index}` : plain;
    names.add(unique);
    return { outside: uri.replace(/\/$/, ""), inside: `file:///workspace/${unique}` };
  });
}

/** A message with other addresses: in all its strings but texts of documents. */
export function translated(value: unknown, folders: readonly Mapped[], direction: "in" | "out"): unknown {
  const [from, to] = direction === "in" ? (["outside", "inside"] as const) : (["inside", "outside"] as const);
  // A folder's name can begin as that of another.
  const patterns = folders.map((folder) => [new RegExp(`${folder[from].replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.%-])`, "g"), folder[to]] as const);
  const one = (text: string): string => {
    for (const [pattern, address] of patterns) text = text.replace(pattern, () => address);
    return text;
  };
  const all = (inner: unknown): unknown => {
    if (typeof inner === "string") return one(inner);
    if (Array.isArray(inner)) return inner.map(all);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [one(key), TEXTS.has(key) ? member : all(member)]));
  };
  return all(value);
}
