#!/usr/bin/env node
// Runs the program of mangle-ls from the npm package for this platform.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

/** The npm packages with a program for this platform, best first. */
function candidates() {
  const name = `@mangle-ls/${process.platform}-${process.arch}`;
  if (process.platform !== "linux") {
    return [name];
  }
  // The program for musl is static, so it also runs on other systems.
  return usesGlibc() ? [`${name}-gnu`, `${name}-musl`] : [`${name}-musl`];
}

/** True if Node is linked against glibc. */
function usesGlibc() {
  if (!process.report) {
    return true;
  }
  process.report.excludeNetwork = true; // Looking up host names takes seconds on some networks.
  return Boolean(process.report.getReport().header.glibcVersionRuntime);
}

/** The path of the program; undefined if no package for this platform is installed. */
function findProgram() {
  const file = process.platform === "win32" ? "mangle-ls.exe" : "mangle-ls";
  for (const name of candidates()) {
    try {
      return require.resolve(`${name}/${file}`);
    } catch {
      // The next package may be installed.
    }
  }
  return undefined;
}

function fail(...lines) {
  console.error(lines.map((line) => `mangle-ls: ${line}`).join("\n"));
  process.exit(2);
}

function main() {
  const program = findProgram();
  if (program === undefined) {
    fail(
      `no program is installed for ${process.platform}-${process.arch}.`,
      `It is in the optional dependency ${candidates().join(" or ")}.`,
      "Install again with optional dependencies (no --omit=optional, no --no-optional),",
      "and on this platform: node_modules of another platform does not work.",
    );
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => fail(`cannot start ${program}: ${error.message}`));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (os.constants.signals[signal] ?? 0);
  });
}

main();
