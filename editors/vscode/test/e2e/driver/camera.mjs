// Takes pictures of a part of the window: all that is in the boxes of some elements.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Pixels around what is shown. */
const MARGIN = 3;

export class Camera {
  frames = [];

  constructor(bench, name) {
    Object.assign(this, { bench, name });
  }

  /** The picture `NAME.png` of elements, in the window or in a panel. `box` replaces some sides of what they take up. */
  async picture(elements, box = {}) {
    await this.shoot(`${this.name}.png`, await this.around(elements, box));
  }

  /** The next frame of an animation, which is shown for so many milliseconds. All frames show the box of the first. */
  async frame(milliseconds, elements, box = {}) {
    const folder = join(this.bench.output, this.name);
    if (this.frames.length === 0) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      this.clip = await this.around(elements, box);
    }
    const file = `${String(this.frames.length).padStart(3, "0")}.png`;
    await this.shoot(join(this.name, file), this.clip);
    this.frames.push({ file, milliseconds });
    writeFileSync(join(folder, "frames.json"), JSON.stringify(this.frames));
  }

  /** The smallest box around elements, with a margin, within the window. */
  async around(elements, { left, top, right, bottom }) {
    let boxes;
    // A panel replaces its elements when it is updated.
    await this.bench.until("what the picture shows", async () => {
      boxes = await Promise.all(elements.map((element) => element.boundingBox()));
      return boxes.every((box) => box !== null);
    });
    const { width, height } = this.bench.page.viewportSize();
    const x = left ?? Math.max(0, Math.min(...boxes.map((box) => box.x)) - MARGIN);
    const y = top ?? Math.max(0, Math.min(...boxes.map((box) => box.y)) - MARGIN);
    const farX = right ?? Math.min(width, Math.max(...boxes.map((box) => box.x + box.width)) + MARGIN);
    const farY = bottom ?? Math.min(height, Math.max(...boxes.map((box) => box.y + box.height)) + MARGIN);
    return { x, y, width: farX - x, height: farY - y };
  }

  async shoot(file, clip) {
    // What fades in is there by then.
    await new Promise((done) => setTimeout(done, 400));
    await this.bench.page.screenshot({ path: join(this.bench.output, file), clip });
  }
}
