// The worker: one instance of the module, as a language server or for commands. Whatever computes, computes here.

import { Engine } from "./module.ts";
import { FILES, type FileChanges, type FromWorker, type ToWorker } from "./protocol.ts";

/** What a worker needs of the global object. */
interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = self as unknown as Scope;

let engine: Engine | undefined;
/** What the module wrote last: the place of a panic. */
let said = "";
let hasFailed = false;
/** What came before the module had started. */
const early: ToWorker[] = [];

/** Drives the language server: a step at a time, so that a message that comes is taken before the next computation. */
class Server {
  private readonly engine: Engine;
  private readonly port: MessagePort;
  private readonly turns = new MessageChannel();
  private isPending = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: Engine, port: MessagePort) {
    this.engine = engine;
    this.port = port;
    this.turns.port1.onmessage = () => guarded(() => this.turn());
    port.onmessage = (event) => guarded(() => {
      // Files come the same way, so that a message finds those that were written before it.
      if (event.data.method === FILES) change(this.engine, event.data.params as FileChanges);
      else this.engine.send(event.data);
      this.schedule();
    });
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (this.isPending) return;
    this.isPending = true;
    this.turns.port2.postMessage(undefined);
  }

  private turn(): void {
    this.isPending = false;
    const next = this.engine.step();
    for (let message = this.engine.next(); message !== undefined; message = this.engine.next()) this.port.postMessage(message);
    if (next === 0) this.schedule();
    else if (next > 0) this.timer = setTimeout(() => this.schedule(), next);
  }
}

/** Runs a call of the module. One that fails ends the worker's work. */
function guarded(act: () => void): void {
  if (hasFailed) return;
  try {
    act();
  } catch (error) {
    hasFailed = true;
    const why = said !== "" ? said : error instanceof Error ? error.message : String(error);
    scope.postMessage({ kind: "failed", why });
  }
}

function change({ files }: Engine, { written, removed }: FileChanges): void {
  for (const [path, data] of Object.entries(written)) files.write(path, data);
  for (const path of removed) files.remove(path);
}

async function start(message: ToWorker & { kind: "start" }): Promise<void> {
  engine = await Engine.start(message.module, (line) => (said = line));
  for (const [path, data] of Object.entries(message.files)) engine.files.write(path, data);
  for (const [name, lines] of Object.entries(message.vocabularies)) engine.provideVocabulary(name, lines);
  // Its port keeps it.
  if (message.port !== undefined) new Server(engine, message.port);
  scope.postMessage({ kind: "ready" });
  for (const message of early.splice(0)) take(message, engine);
}

function take(message: ToWorker, running: Engine): void {
  guarded(() => {
    if (message.kind === "replace") running.files.replace(message.folder, message.files);
    else if (message.kind === "run") {
      scope.postMessage({ kind: "answer", id: message.id, answer: running.run(message.working, message.args) });
    }
  });
}

scope.onmessage = ({ data: message }) => {
  if (message.kind === "start") start(message).catch((error: unknown) => guarded(() => { throw error; }));
  else if (engine === undefined) early.push(message);
  else take(message, engine);
};
