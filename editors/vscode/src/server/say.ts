// Says what is wrong with a server, and does what a person chooses.

import * as vscode from "vscode";
import type { Remedy, Trouble } from "./trouble.ts";

const TITLES: Record<Remedy, string> = { restart: "Restart Server", setting: "Open Setting", logs: "Show Logs" };

/** Not awaited: the message stays until the user has dealt with it. */
export function say({ problem, advice, remedies }: Trouble, severity: "warning" | "error"): void {
  const show = severity === "error" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
  const titles = remedies.map((remedy) => TITLES[remedy]);
  void show(`${problem} ${advice}`, ...titles).then((choice) => {
    const remedy = remedies.find((one) => TITLES[one] === choice);
    if (remedy === "restart") void vscode.commands.executeCommand("mangle.restart");
    if (remedy === "setting") void vscode.commands.executeCommand("workbench.action.openSettings", "mangle.server.path");
    if (remedy === "logs") void vscode.commands.executeCommand("mangle.showLogs");
  });
}
