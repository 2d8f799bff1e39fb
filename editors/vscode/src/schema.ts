// The schema of `mangle-ls.toml` for "Even Better TOML", which completes and explains keys by it. That extension takes schemas by address
// only, and the one that comes with this extension has a path that changes with each version: it is copied to where it stays.

import * as vscode from "vscode";

const TOML = "tamasfe.even-better-toml";
const FILES = ".*/mangle-ls\\.toml$";
const ASKED = "schema.asked";

/** Tells Even Better TOML of the schema, for all workspaces. */
export async function useSchema(context: vscode.ExtensionContext): Promise<void> {
  if (vscode.extensions.getExtension(TOML) === undefined) {
    const how = "Completion in mangle-ls.toml requires the extension Even Better TOML. The server reports findings without it.";
    const choice = await vscode.window.showInformationMessage(how, "Show Extension");
    if (choice !== undefined) await vscode.commands.executeCommand("workbench.extensions.search", TOML);
    return;
  }
  const settings = vscode.workspace.getConfiguration("evenBetterToml.schema");
  const known = settings.inspect<Record<string, string>>("associations")?.globalValue ?? {};
  const schema = await placed(context);
  await settings.update("associations", { ...known, [FILES]: schema.toString() }, vscode.ConfigurationTarget.Global);
  vscode.window.setStatusBarMessage("Mangle: Even Better TOML now uses the schema of mangle-ls.toml", 5000);
}

/** Asks once, when a configuration is opened with Even Better TOML there and no schema. Keeps the copy of a schema that is in use new. */
export function offerSchema(context: vscode.ExtensionContext): vscode.Disposable {
  const associations = (): object => vscode.workspace.getConfiguration("evenBetterToml.schema").get<object>("associations") ?? {};
  if (FILES in associations()) void placed(context);
  const offer = async ({ uri }: vscode.TextDocument): Promise<void> => {
    if (!uri.path.endsWith("/mangle-ls.toml") || vscode.extensions.getExtension(TOML) === undefined) return;
    if (FILES in associations() || context.globalState.get<boolean>(ASKED) === true) return;
    await context.globalState.update(ASKED, true);
    const choice = await vscode.window.showInformationMessage("Use the schema of mangle-ls.toml in Even Better TOML?", "Use Schema", "No");
    if (choice === "Use Schema") await useSchema(context);
  };
  return vscode.workspace.onDidOpenTextDocument(offer);
}

/** The copy that has one address for ever. */
async function placed(context: vscode.ExtensionContext): Promise<vscode.Uri> {
  const copy = vscode.Uri.joinPath(context.globalStorageUri, "mangle-ls.schema.json");
  const ours = vscode.Uri.joinPath(context.extensionUri, "dist", "mangle-ls.schema.json");
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  await vscode.workspace.fs.copy(ours, copy, { overwrite: true });
  return copy;
}
