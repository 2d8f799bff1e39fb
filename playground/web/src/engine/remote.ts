// A page's side of the workers: one that is the language server, one that runs commands.

import type { Answer, Files, FromWorker, ToWorker, Vocabularies } from "./protocol.ts";

/** Makes a worker of the script `engine/worker.ts`. */
export type MakeWorker = () => Worker;

/** What a worker runs. */
export interface Program {
  readonly module: WebAssembly.Module;
  readonly vocabularies: Vocabularies;
}

/** Starts the language server over files. Gives the port of its messages. */
export function startServer(worker: Worker, program: Program, files: Files, failed: (why: string) => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "failed") failed(data.why);
  };
  worker.onerror = (event) => failed(event.message);
  const start: ToWorker = { kind: "start", ...program, files, port: port2 };
  worker.postMessage(start, [port2]);
  return port1;
}

/** Why a command has no answer. */
export class Stopped extends Error {}

/** Runs commands one after the other. A worker that failed or was stopped is replaced by a new one. */
export class Commands {
  private readonly program: Program;
  private readonly make: MakeWorker;
  private worker: Worker | undefined;
  private waiting: { id: number; done: (answer: Answer) => void; fail: (error: Error) => void } | undefined;
  private count = 0;

  constructor(program: Program, make: MakeWorker) {
    this.program = program;
    this.make = make;
  }

  /** Runs a command over the files below `folder`, which are all that it sees. What runs before is stopped. */
  run(folder: string, files: Files, working: string, args: readonly string[]): Promise<Answer> {
    this.stop();
    const worker = (this.worker ??= this.started());
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.waiting = { id, done, fail };
      this.post(worker, { kind: "replace", folder, files });
      this.post(worker, { kind: "run", id, working, args });
    });
  }

  /** Ends the worker; the next command gets a new one. */
  end(): void {
    this.stop();
    this.discard();
  }

  /** Stops the command that runs. */
  stop(): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    this.discard();
    waiting.fail(new Stopped("stopped"));
  }

  private discard(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.waiting = undefined;
  }

  private started(): Worker {
    const worker = this.make();
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const { waiting } = this;
      if (data.kind === "answer" && data.id === waiting?.id) {
        this.waiting = undefined;
        waiting.done(data.answer);
      } else if (data.kind === "failed") {
        this.discard();
        waiting?.fail(new Error(`mangle-ls failed: ${data.why}`));
      }
    };
    this.post(worker, { kind: "start", ...this.program, files: {} });
    return worker;
  }

  private post(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }
}
