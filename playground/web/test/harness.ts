// What the tests call in the browser: the module over any files, as commands and as a language server.

import type { Answer, Files } from "../src/engine/protocol.ts";
import { Commands, startServer } from "../src/engine/remote.ts";
import { Client } from "../src/lsp/client.ts";
import type { Diagnostic } from "../src/lsp/types.ts";

const makeWorker = () => new Worker("worker.js", { type: "module" });
const program = WebAssembly.compileStreaming(fetch("mangle-ls.wasm")).then((module) => ({ module, vocabularies: {} }));

/** Files by path, their bytes in base64. */
type Encoded = Readonly<Record<string, string>>;

function decoded(files: Encoded): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]));
}

let commands: Commands | undefined;

const harness = {
  /** Runs a command over files. */
  async run(files: Encoded, working: string, args: readonly string[]): Promise<Answer> {
    commands ??= new Commands(await program, makeWorker);
    return commands.run("/workspace", decoded(files), working, args);
  },

  /** What the language server finds in files, by name, once it has been quiet for a moment. `open` are shown in an editor. */
  async diagnose(files: Encoded, open: readonly string[], quiet: number): Promise<Record<string, readonly Diagnostic[]>> {
    const found: Record<string, readonly Diagnostic[]> = {};
    const worker = makeWorker();
    let last = performance.now();
    let failure: string | undefined;
    const port = startServer(worker, await program, decoded(files), (why) => (failure = why));
    const client = new Client(port, {
      diagnosed: (name, diagnostics) => {
        found[name] = diagnostics;
        last = performance.now();
      },
      edit: () => undefined,
      say: () => undefined,
    });
    await client.started;
    const decoder = new TextDecoder();
    for (const name of open) client.open(name, decoder.decode(decoded(files)[`/workspace/${name}`]));
    last = performance.now();
    while (failure === undefined && performance.now() - last < quiet) await new Promise((done) => setTimeout(done, 20));
    worker.terminate();
    if (failure !== undefined) throw new Error(failure);
    return found;
  },
};

declare global {
  interface Window {
    harness: typeof harness;
  }
}

window.harness = harness;
