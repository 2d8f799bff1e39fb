// The findings of the module are those of the program: for every example and for programs of the conformance suite.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** How many programs of the conformance suite are compared. */
const CASES = 200;

const WORKSPACE = "/workspace";

/** All files below a folder: `[name, bytes]`. */
export function filesBelow(folder, below = folder) {
  return readdirSync(folder).sort().flatMap((entry) => {
    const path = join(folder, entry);
    return statSync(path).isDirectory() ? filesBelow(path, below) : [[relative(below, path), readFileSync(path)]];
  });
}

/** Files as the harness takes them. */
function encoded(files) {
  return Object.fromEntries(files.map(([name, bytes]) => [`${WORKSPACE}/${name}`, bytes.toString("base64")]));
}

/** Runs the program in a folder with these files. */
function native(program, folder, files, args) {
  rmSync(folder, { recursive: true, force: true });
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  try {
    return { status: 0, output: execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 }) };
  } catch (error) {
    return { status: error.status, output: error.stdout };
  }
}

/** A folder in no repository, as the files of the page are in none: paths may lead out of a project as far as its repository does. */
function folderOutside() {
  const outer = mkdtempSync(join(tmpdir(), "mangle-ls-"));
  process.on("exit", () => rmSync(outer, { recursive: true, force: true }));
  return join(outer, "native");
}

/** Where two texts differ first. */
function difference(ours, theirs) {
  const [one, other] = [ours.split("\n"), theirs.split("\n")];
  const at = one.findIndex((line, index) => line !== other[index]);
  return `line ${at + 1}: ${JSON.stringify(one[at]?.slice(0, 300))}, the program has ${JSON.stringify(other[at]?.slice(0, 300))}`;
}

/** The commands that are compared for each example. */
function commandsOf(files) {
  const names = files.map(([name]) => name);
  const commands = [["check", "--format", "json"], ["check", "--evaluate", "--format", "json"]];
  if (names.some((name) => name.endsWith("_test.mg"))) commands.push(["test", "--format", "json"]);
  for (const name of names) if (name.endsWith(".kernel.mg")) commands.push(["preview", name, "--format", "json"]);
  for (const name of names) if (/\.jsonl$/.test(name)) commands.push(["replay", name, "--format", "json"]);
  return commands;
}

export async function equality(page, { program, root, check }) {
  const folder = folderOutside();
  const compare = async (files, args) => {
    const theirs = native(program, folder, files, args);
    const ours = await page.evaluate(([files, args]) => window.harness.run(files, "/workspace", args), [encoded(files), args]);
    const plain = (text) => text.replaceAll(`${folder}/`, `${WORKSPACE}/`).replaceAll(folder, WORKSPACE).replace(/"(seconds|milliseconds|duration_ms|elapsed_ms)":[\d.]+/g, '"$1":0');
    if (ours.status !== theirs.status) throw new Error(`exit status ${ours.status}, the program has ${theirs.status}: ${ours.errors.slice(0, 300)}`);
    if (plain(ours.output) !== plain(theirs.output)) throw new Error(difference(plain(ours.output), plain(theirs.output)));
  };
  let commands = 0;
  for (const example of readdirSync(join(root, "examples")).sort()) {
    const files = filesBelow(join(root, "examples", example));
    await check(`example ${example}: the findings and answers of the program`, async () => {
      for (const args of commandsOf(files)) {
        await compare(files, args).catch((error) => { throw new Error(`${args.join(" ")}: ${error.message}`); });
        commands += 1;
      }
    });
  }
  const cases = readdirSync(join(root, "tests/conformance/cases")).sort();
  // Evenly spread over the families.
  const chosen = cases.filter((_, index) => Math.floor((index * CASES) / cases.length) !== Math.floor(((index - 1) * CASES) / cases.length));
  await check(`${chosen.length} conformance cases: the findings of the program`, async () => {
    for (const name of chosen) {
      const files = [[name, readFileSync(join(root, "tests/conformance/cases", name))]];
      await compare(files, ["check", "--format", "json"]).catch((error) => { throw new Error(`${name}: ${error.message}`); });
      commands += 1;
    }
  });
  console.log(`# ${commands} commands gave the same output`);
}

/** The project of each rule, which *Try it* on its page opens, shows a finding of that rule. */
export async function trials(page, { root, check }) {
  const rules = JSON.parse(readFileSync(join(root, "playground/web/rules.json"), "utf8"));
  const projects = Object.entries(rules).filter(([, { project }]) => project !== null);
  await check(`the examples of ${projects.length} rules show their findings`, async () => {
    const without = [];
    for (const [name, { code, project }] of projects) {
      const files = Object.entries(project.files).map(([name, text]) => [name, Buffer.from(text)]);
      const line = project.panel === "verdicts" ? `replay ${project.inputs.transcript} ${project.inputs.replayOptions}` : project.inputs.line;
      const { output } = await page.evaluate(([files, args]) => window.harness.run(files, "/workspace", args), [encoded(files), line.split(" ")]);
      if (!output.includes(`[${code} ${name}]`)) without.push(name);
    }
    if (without.length > 0) throw new Error(`${without.length} do not: ${without.slice(0, 8).join(", ")}`);
  });
}

/** What the editor shows is what the program reports, for every example. */
export async function editorEquality(page, { program, root, check }) {
  const folder = folderOutside();
  for (const example of readdirSync(join(root, "examples")).sort()) {
    const files = filesBelow(join(root, "examples", example));
    await check(`example ${example}: the editor shows the findings of the program`, async () => {
      const { output } = native(program, folder, files, ["check", "--format", "json"]);
      const theirs = output.trim().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)).filter((one) => one.code !== undefined).map(signature).sort();
      const open = files.map(([name]) => name).filter((name) => /\.(mg|gl)$/.test(name)).slice(0, 1);
      const found = await page.evaluate(([files, open]) => window.harness.diagnose(files, open, 1500), [encoded(files), open]);
      const ours = Object.entries(found).flatMap(([name, all]) => all.map((one) => `${name}:${one.range.start.line + 1} ${one.code} ${SEVERITIES[one.severity]}`)).sort();
      // An editor reads no archive that is not open, and says so.
      const isFurther = (one) => !theirs.includes(one) && !one.includes(" transcript-left-out ");
      const [missing, further] = [theirs.filter((one) => !ours.includes(one)), ours.filter(isFurther)];
      if (missing.length + further.length > 0) throw new Error(`missing ${missing.slice(0, 3)}; further ${further.slice(0, 3)} (${ours.length} of ${theirs.length})`);
    });
  }
}

const SEVERITIES = ["", "error", "warning", "information", "hint"];

function signature(finding) {
  const { file, line, rule, severity } = finding;
  return `${file}:${line} ${rule} ${severity}`;
}
