// The client's side of the protocol, over a port.

/** A position of the protocol: UTF-16 units in a line. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

interface Message {
  readonly jsonrpc?: "2.0";
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Waiting {
  readonly done: (result: never) => void;
  readonly fail: (error: Error) => void;
}

/** Takes what the server sends without being asked. Requests of the server get what it gives. */
export type Handler = (params: never) => unknown;

/** An error that the server answered, such as `ContentModified`. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export class Connection {
  private readonly port: MessagePort;
  private readonly handlers = new Map<string, Handler>();
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;

  constructor(port: MessagePort) {
    this.port = port;
    port.onmessage = (event: MessageEvent<Message>) => this.take(event.data);
  }

  on(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
  }

  notify(method: string, params: unknown): void {
    this.port.postMessage({ jsonrpc: "2.0", method, params });
  }

  /** Sends a request. A signal that is raised cancels it. */
  request<Result>(method: string, params: unknown, signal?: AbortSignal): Promise<Result> {
    const id = ++this.count;
    return new Promise<Result>((done, fail) => {
      this.waiting.set(id, { done, fail });
      signal?.addEventListener("abort", () => this.notify("$/cancelRequest", { id }), { once: true });
      this.port.postMessage({ jsonrpc: "2.0", id, method, params });
    });
  }

  close(): void {
    this.port.onmessage = null;
    this.port.close();
    for (const { fail } of this.waiting.values()) fail(new Error("the server has ended"));
    this.waiting.clear();
  }

  private take(message: Message): void {
    if (message.method !== undefined) {
      const result = this.handlers.get(message.method)?.(message.params as never);
      if (message.id !== undefined) this.port.postMessage({ jsonrpc: "2.0", id: message.id, result: result ?? null });
      return;
    }
    const waiting = this.waiting.get(message.id as number);
    this.waiting.delete(message.id as number);
    if (message.error === undefined) waiting?.done(message.result as never);
    else waiting?.fail(new Refusal(message.error.code, message.error.message));
  }
}
