// Whether a server at work still answers: it is asked for something that it can say at any time, whenever something else is asked of it,
// and now and then besides.
// Knows nothing of VS Code, so that it can be tested alone.

/** Milliseconds. */
export const LIMITS = {
  /** An answer may take so long; then a person hears of it. Twice as long, and the server is given up. */
  answer: 10_000,
  /** Between two questions while somebody works. */
  pause: 5_000,
  /** Between two questions while nobody does. */
  idle: 30_000,
};

/** What is noticed: it is silent for the first limit, then for the second; or it answers again. */
export type Noticed = "silent" | "lost" | "answers";

export class Pulse {
  private readonly question: () => Promise<unknown>;
  private readonly report: (noticed: Noticed) => void;
  private readonly idle = setInterval(() => this.look(), LIMITS.idle);
  private patience: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private isAsked = false;
  private isSilent = false;
  private looked = -Infinity;

  /** `question` is put to the server; an error is an answer, too. */
  constructor(question: () => Promise<unknown>, report: (noticed: Noticed) => void) {
    this.question = question;
    this.report = report;
  }

  /** Asks, unless a question waits for its answer; soon, if one was just answered. */
  look(): void {
    if (this.isAsked || this.soon !== undefined) return;
    const wait = this.looked + LIMITS.pause - Date.now();
    if (wait > 0) this.soon = setTimeout(() => this.ask(), wait);
    else this.ask();
  }

  private ask(): void {
    this.soon = undefined;
    [this.isAsked, this.looked] = [true, Date.now()];
    this.patience = setTimeout(() => this.silent(), LIMITS.answer);
    const answered = (): void => this.answered();
    this.question().then(answered, answered);
  }

  private silent(): void {
    this.isSilent = true;
    // Counted from now: where this process itself was held up, the answer may lie there and be read next.
    this.patience = setTimeout(() => this.report("lost"), LIMITS.answer);
    this.report("silent");
  }

  private answered(): void {
    clearTimeout(this.patience);
    this.isAsked = false;
    if (this.isSilent) this.report("answers");
    this.isSilent = false;
  }

  dispose(): void {
    clearInterval(this.idle);
    clearTimeout(this.soon);
    clearTimeout(this.patience);
    this.isSilent = false;
    // Whoever asks later asks another one.
    this.isAsked = true;
  }
}
