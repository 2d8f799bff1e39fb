// The file system of the module: a tree in memory, below `/`.

import { Directory, File, type Inode, PreopenDirectory } from "@bjorn3/browser_wasi_shim";
import type { Files } from "./protocol.ts";

export class MemoryFiles {
  readonly root = new PreopenDirectory("/", new Map());

  constructor() {
    // Where temporary files are made.
    this.root.dir.contents.set("tmp", new Directory(new Map()));
  }

  /** Writes a file, and makes the folders above it. */
  write(path: string, data: Uint8Array): void {
    const { folder, name } = this.place(path);
    folder.set(name, new File(data));
  }

  remove(path: string): void {
    const { folder, name } = this.place(path);
    folder.delete(name);
  }

  /** Replaces all that is below a folder. */
  replace(folder: string, files: Files): void {
    const { folder: above, name } = this.place(folder);
    above.set(name, new Directory(new Map()));
    for (const [path, data] of Object.entries(files)) this.write(path, data);
  }

  private place(path: string): { folder: Map<string, Inode>; name: string } {
    const parts = path.split("/").filter((part) => part !== "");
    const name = parts.pop() ?? "";
    let folder = this.root.dir.contents;
    for (const part of parts) {
      let entry = folder.get(part);
      if (!(entry instanceof Directory)) {
        entry = new Directory(new Map());
        folder.set(part, entry);
      }
      folder = (entry as Directory).contents;
    }
    return { folder, name };
  }
}
