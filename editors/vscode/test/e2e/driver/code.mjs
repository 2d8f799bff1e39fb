// VS Code as a server for browsers: installed into a folder of its own, with the extension and nothing else.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Milliseconds that anything may take. */
export const PATIENCE = 60_000;

/** Settings of a user who wants to be left alone by everything that is not tested. */
const SETTINGS = {
  "chat.disableAIFeatures": true,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "git.enabled": false,
  "files.autoSave": "off",
  "security.workspace.trust.banner": "never",
  "security.workspace.trust.startupPrompt": "never",
};

const QUIET = ["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override", "--disable-proxy"];

export class Code {
  /** `program` is code-server, `home` a folder that becomes its home. */
  constructor(program, home) {
    Object.assign(this, { program, home });
    this.folders = ["--config", join(home, "config.yaml"), "--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
    this.environment = { ...process.env, HOME: home };
  }

  /** A fresh installation with one extension. */
  install(vsix) {
    rmSync(this.home, { recursive: true, force: true });
    this.write("config.yaml", "auth: none\n");
    this.set({});
    execFileSync(this.program, [...this.folders, "--install-extension", vsix], { env: this.environment, stdio: "ignore" });
  }

  write(name, content) {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** The user's settings: those of somebody who wants to be left alone, and these. */
  set(settings) {
    this.write("data/User/settings.json", JSON.stringify({ ...SETTINGS, ...settings }));
  }

  /** The path belongs to the machine that the server runs on, so it is not among the user's settings. */
  setServer(path) {
    this.write("data/Machine/settings.json", JSON.stringify(path === "" ? {} : { "mangle.server.path": path }));
  }

  /** Starts on a free port; gives the address. */
  start({ trust = false } = {}) {
    this.older = this.sessions();
    const trusting = trust ? [] : ["--disable-workspace-trust"];
    this.child = spawn(this.program, [...this.folders, "--bind-addr", "127.0.0.1:0", "--auth", "none", ...trusting, ...QUIET], { env: this.environment });
    return new Promise((done, fail) => {
      let said = "";
      const late = setTimeout(() => fail(new Error(`code-server does not start: ${said}`)), PATIENCE);
      this.child.stdout.on("data", (chunk) => {
        said += chunk;
        const address = /HTTP server listening on (http:\S+?)\/?\s/.exec(said)?.[1];
        if (address === undefined) return;
        clearTimeout(late);
        done(address);
      });
    });
  }

  stop() {
    this.child?.kill();
  }

  /** Sends a signal to our servers below; gives whether there was one. */
  signal(signal) {
    const listed = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" });
    const all = listed.split("\n").flatMap((row) => [...row.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/g)].map(([, id, parent, said]) => ({ id, parent, said })));
    const below = new Set([String(this.child.pid)]);
    for (let size = 0; size < below.size; ) {
      size = below.size;
      for (const { id, parent } of all) if (below.has(parent)) below.add(id);
    }
    const servers = all.filter(({ id, said }) => below.has(id) && /mangle-ls lsp$/.test(said));
    for (const { id } of servers) process.kill(Number(id), signal);
    return servers.length > 0;
  }

  /** The folders of logs, one for each start. */
  sessions() {
    const root = join(this.home, "data/logs");
    return existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : [];
  }

  /** What the extension has written to its log since the start, in all windows. */
  logs() {
    const ours = this.sessions().filter((folder) => !this.older.includes(folder));
    const files = ours.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
    return files.filter((name) => name.endsWith("Mangle.log")).sort().map((name) => readFileSync(name, "utf8")).join("");
  }
}
