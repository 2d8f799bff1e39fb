// Bundles the extension for VS Code for the Web: the same sources, with `src/browser` in place of what needs processes and files, and the module
// of WebAssembly that `cargo xtask playground` builds. Without that module the bundle does nothing, and there is highlighting only.

import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const extension = fileURLToPath(new URL("..", import.meta.url));
const root = join(extension, "../..");
const module = join(root, "target/playground-site/mangle-ls.wasm");
const output = join(extension, "dist/browser");

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
if (!existsSync(module)) {
  console.log("no module of WebAssembly: in VS Code for the Web there is highlighting only");
  // The package needs the entry point that its manifest names.
  writeFileSync(join(output, "extension.js"), "exports.activate = () => undefined;\n");
  process.exit(0);
}
copyFileSync(module, join(output, "mangle-ls.wasm"));

/** What is replaced, of `src/server`. */
const replaced = {
  name: "browser",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/(client|locate|unfit)\.ts$/ }, ({ path, resolveDir }) => (resolveDir === join(extension, "src/server") ? { path: join(extension, "src/browser", path) } : undefined));
  },
};

const common = { bundle: true, platform: "browser", target: "es2022", minify: true, logLevel: "warning", legalComments: "eof" };
await build({
  ...common,
  entryPoints: [join(extension, "src/extension.ts")],
  format: "cjs",
  external: ["vscode"],
  alias: { "vscode-languageclient/node": "vscode-languageclient/browser" },
  define: { "process.env": "{}" },
  plugins: [replaced],
  outfile: join(output, "extension.js"),
});
await build({ ...common, entryPoints: [join(root, "playground/web/src/engine/worker.ts")], format: "iife", outfile: join(output, "worker.js") });
