// The page's side of a panel: it is filled by messages, and remembers what it shows, where it is scrolled to, and what was chosen.

import type { Said, Shown } from "../panels/messages.ts";
import type { Place } from "../protocol.ts";
import { element, make, withCode } from "./elements.ts";

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** What is remembered. */
interface Kept<Of, Chosen> {
  of?: Of;
  chosen?: Chosen;
  top?: number;
  left?: number;
}

export class Host<Of, Data, Chosen extends object> {
  private readonly api = acquireVsCodeApi();
  private kept: Kept<Of, Chosen>;
  /** Whether the page shows data, and not the reason why there is none. */
  private isDrawn = false;
  readonly main = element("main");

  constructor() {
    this.kept = (this.api.getState() as Kept<Of, Chosen> | undefined) ?? {};
    window.addEventListener("scroll", () => this.isDrawn && this.keep({ top: window.scrollY, left: window.scrollX }), { passive: true });
  }

  /** What was chosen, before the page was hidden or the window loaded anew. */
  get chosen(): Partial<Chosen> {
    return this.kept.chosen ?? {};
  }

  /** What is shown. */
  get of(): Of | undefined {
    return this.kept.of;
  }

  choose(chosen: Partial<Chosen>): void {
    this.keep({ chosen: { ...this.chosen, ...chosen } as Chosen });
  }

  private keep(what: Kept<Of, Chosen>): void {
    this.kept = { ...this.kept, ...what };
    this.api.setState(this.kept);
  }

  /** Draws with `draw` whatever comes, from now on. */
  start(draw: (data: Data) => void): void {
    window.addEventListener("message", ({ data }: MessageEvent<Shown<Of, Data>>) => {
      this.keep({ of: data.of });
      const wasDrawn = this.isDrawn;
      this.isDrawn = data.type === "show";
      if (data.type === "show") draw(data.data);
      else this.main.replaceChildren(make("p", { class: "note", role: "alert" }, ...withCode(data.message)));
      this.main.setAttribute("aria-busy", "false");
      // A reason is shorter than the data: what stood at this place is there again when the data come back.
      if (this.isDrawn && !wasDrawn && this.kept.top !== undefined) window.scrollTo(this.kept.left ?? 0, this.kept.top);
    });
    this.say({ type: "ready" });
  }

  say(said: Said<Of>): void {
    this.api.postMessage(said);
  }

  open(place: Place | null): void {
    if (place !== null) this.say({ type: "open", place });
  }
}
