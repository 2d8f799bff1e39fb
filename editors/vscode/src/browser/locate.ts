// Where mangle-ls is in VS Code for the Web: in the extension. In place of `server/locate.ts`.

export type Source = "bundled";

export interface Found {
  path: string;
  source: Source;
}

export interface Missing {
  problem: string;
}

export function locate(): Found | Missing {
  return { path: "mangle-ls.wasm", source: "bundled" };
}
