// What the files of a project are called: by name in the page, by path in the module, by URI in the protocol.

/** The folder of the project in the module's file system. */
export const WORKSPACE = "/workspace";

const ROOT = `file://${WORKSPACE}/`;

export function toUri(name: string): string {
  return ROOT + name.split("/").map(encodeURIComponent).join("/");
}

/** The name of a file of the project. */
export function toName(uri: string): string | undefined {
  return uri.startsWith(ROOT) ? decodeURIComponent(uri.slice(ROOT.length)) : undefined;
}

const LANGUAGES: Readonly<Record<string, string>> = {
  mg: "mangle", gl: "mangle", json: "json", jsonl: "jsonl", ndjson: "jsonl", md: "markdown", log: "log", toml: "toml", yaml: "yaml", yml: "yaml",
};

/** The language of a file, as the server knows it. */
export function languageOf(name: string): string {
  return LANGUAGES[name.split(".").pop() ?? ""] ?? "plaintext";
}

export function isPolicy(name: string): boolean {
  return languageOf(name) === "mangle";
}

export function isTest(name: string): boolean {
  return name.endsWith("_test.mg");
}

/** Whether a file is a sample, of which prompts are made. */
export function isSample(name: string): boolean {
  return name.endsWith(".kernel.mg");
}

/** Whether a file may be a captured session. */
export function mayBeTranscript(name: string): boolean {
  return !isPolicy(name) && !/(^|\/)(README\.md|mangle-ls\.toml|[^/]*\.(ya?ml|toml|gbnf|ebnf|lark|regex|csv|schema\.json))$/.test(name);
}

/** Whether a name can be that of a file of the project. */
export function isValidName(name: string): boolean {
  return /^[\w .+@-]+(\/[\w .+@-]+)*$/.test(name) && !name.split("/").some((part) => part === "." || part === "..") && name.length <= 120;
}
