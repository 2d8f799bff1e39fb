// The module of WebAssembly: its language server and its commands, over files in memory.

import { ConsoleStdout, File, OpenFile, WASI } from "@bjorn3/browser_wasi_shim";
import { MemoryFiles } from "./files.ts";
import type { Answer } from "./protocol.ts";

/** What the module exports (playground/src/exports.rs). */
interface Exports {
  readonly memory: WebAssembly.Memory;
  reserve(length: number): number;
  output_pointer(): number;
  output_length(): number;
  run_command(): void;
  provide_vocabulary(): number;
  server_send(): number;
  server_step(): number;
  server_next(): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Engine {
  readonly files: MemoryFiles;
  private readonly exports: Exports;

  private constructor(files: MemoryFiles, exports: Exports) {
    this.files = files;
    this.exports = exports;
  }

  /** An instance of its own. `log` gets what a failing module says last. */
  static async start(module: WebAssembly.Module, log: (line: string) => void): Promise<Engine> {
    const files = new MemoryFiles();
    const said = () => ConsoleStdout.lineBuffered(log);
    const wasi = new WASI([], [], [new OpenFile(new File([])), said(), said(), files.root], { debug: false });
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport as WebAssembly.ModuleImports });
    const exports = instance.exports as unknown as Exports;
    wasi.initialize({ exports: exports as Exports & { _initialize?: () => unknown } });
    return new Engine(files, exports);
  }

  /** Runs a command; paths count from the folder `working`. */
  run(working: string, args: readonly string[]): Answer {
    this.give(JSON.stringify({ working, arguments: args }));
    this.exports.run_command();
    return JSON.parse(this.taken()) as Answer;
  }

  /** Takes the vocabulary of a tokenizer. Gives whether it is one. */
  provideVocabulary(name: string, lines: string): boolean {
    this.give(`${name}\n${lines}`);
    return this.exports.provide_vocabulary() === 1;
  }

  /** Passes a message of the protocol to the server. */
  send(message: unknown): void {
    this.give(JSON.stringify(message));
    if (this.exports.server_send() !== 0) throw new Error(this.taken());
  }

  /** Lets the server do one thing. Gives after how many milliseconds it wants to go on, -1 for not before the next message. */
  step(): number {
    return this.exports.server_step();
  }

  /** The next message of the server. */
  next(): unknown {
    return this.exports.server_next() === 0 ? undefined : JSON.parse(this.taken());
  }

  private give(text: string): void {
    const bytes = encoder.encode(text);
    const at = this.exports.reserve(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  private taken(): string {
    const { memory, output_pointer, output_length } = this.exports;
    return decoder.decode(new Uint8Array(memory.buffer, output_pointer(), output_length()));
  }
}
