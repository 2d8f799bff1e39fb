// Makes the site of a module. The environment names the module (`MODULE`), the folder of the site (`SITE`) and that of the vocabularies of
// tokenizers (`VOCABULARIES`). Prints the sizes, compressed as a server does.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { EXAMPLES } from "../examples.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const root = join(here, "../..");
const { MODULE: module, SITE: output, VOCABULARIES: vocabularies } = process.env;

rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, "examples"), { recursive: true });

await build({
  entryPoints: { page: join(here, "src/page.ts"), worker: join(here, "src/engine/worker.ts") },
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  minify: true,
  legalComments: "eof",
  outdir: output,
  logLevel: "warning",
});
cpSync(join(here, "index.html"), join(output, "index.html"));
cpSync(join(here, "src/page.css"), join(output, "page.css"));
cpSync(module, join(output, "mangle-ls.wasm"));
writeFileSync(join(output, "rules.json"), JSON.stringify(rulePages()));
mkdirSync(join(output, "vocabularies"));
for (const name of ["cl100k_base", "o200k_base"]) cpSync(join(vocabularies, `${name}.tiktoken`), join(output, "vocabularies", `${name}.tiktoken`));

/** The code and the page of each rule in the book, by name. */
function rulePages() {
  const rules = JSON.parse(readFileSync(join(here, "rules.json"), "utf8"));
  return Object.fromEntries(Object.entries(rules).map(([name, { code }]) => [name, { code, page: `../rules/${name}.html` }]));
}

/** All files below a folder that are texts, READMEs aside. */
function texts(folder, below = folder) {
  return readdirSync(folder).sort().flatMap((entry) => {
    const path = join(folder, entry);
    if (statSync(path).isDirectory()) return texts(path, below);
    const bytes = readFileSync(path);
    const text = bytes.toString();
    return entry === "README.md" || !Buffer.from(text).equals(bytes) ? [] : [[relative(below, path), text]];
  });
}

for (const { id, folders, title: _, ...project } of EXAMPLES) {
  const files = Object.entries(folders).flatMap(([folder, prefix]) => texts(join(root, "examples", folder)).map(([name, text]) => [prefix + name, text]));
  writeFileSync(join(output, "examples", `${id}.json`), JSON.stringify({ files: Object.fromEntries(files), ...project }));
}
writeFileSync(join(output, "examples/index.json"), JSON.stringify(EXAMPLES.map(({ id, title }) => ({ id, title }))));

const total = { plain: 0, gzip: 0, brotli: 0 };
for (const name of ["mangle-ls.wasm", "page.js", "worker.js", "page.css", "index.html"]) {
  const bytes = readFileSync(join(output, name));
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
  const sizes = { plain: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli };
  for (const kind of Object.keys(total)) total[kind] += sizes[kind];
  report(name, sizes);
}
report("together", total);
writeFileSync(join(output, "..", `${basename(output)}-size.json`), JSON.stringify(total));

function report(name, { plain, gzip, brotli }) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(3)} MB`.padStart(9);
  console.log(`${name.padEnd(15)} ${megabytes(plain)}, gzip ${megabytes(gzip)}, brotli ${megabytes(brotli)}`);
}
