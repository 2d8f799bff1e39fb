// The prompt of a shard in a panel: sections with their tokens, where each line comes from, and what changed since it was opened.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Made } from "../documents/made.ts";
import type { Previews } from "../documents/previews.ts";
import { type PromptOf, address, nameOf, readPromptOf } from "../documents/prompt_of.ts";
import { isWorkspaceFile } from "../documents/workspace_file.ts";
import { type Kind, Panels } from "./panels.ts";
import { type Preview, joined } from "./prompt.ts";

const kind = (previews: Previews): Kind<PromptOf> => ({
  name: "preview",
  title: (of) => `Prompt: ${nameOf(of)}`,
  key: address,
  read: readPromptOf,
  isMadeOf: ({ languageId, uri }) => isWorkspaceFile(uri) && (languageId === "mangle" || /\.(ya?ml|json|toml)$/.test(uri.path)),
  data: async (of: PromptOf, client: LanguageClient) => {
    // The server tells of changes of those documents that were asked for.
    const made = await client.sendRequest<Made>("mangle/virtualDocument", { uri: address(of) });
    const answer = await client.sendRequest<Preview | Preview[]>("mangle/preview", { ...of, provenance: true });
    // Of one that is asked for by name there is one, unless its header is just being typed.
    const preview = Array.isArray(answer) ? answer[0] : answer;
    if (preview === undefined) throw new Error(made.text.trim());
    return joined(preview, made.origins);
  },
  asText: (of) => previews.show(of),
});

/** A comment that names a preview. */
const NAME = /^#\s*@preview\s+name:\s*(\S.*?)\s*$/;

export class PromptPanels extends Panels<PromptOf> {
  constructor(extension: vscode.Uri, previews: Previews) {
    super(extension, kind(previews));
  }

  /** Shows a prompt of the sample kernel in the active editor; of several, the one that is chosen. */
  async show(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const lines = document?.languageId === "mangle" ? document.getText().split(/\r?\n/) : [];
    const names = lines.flatMap((line) => NAME.exec(line)?.[1] ?? []);
    if (document === undefined || !lines.some((line) => /^#\s*@preview\b/.test(line))) {
      const how = "A sample kernel is a file NAME.kernel.mg with comments such as `# @preview shard: coder-7 coder`.";
      void vscode.window.showInformationMessage(`Open a sample kernel first. ${how}`);
      return;
    }
    const uri = document.uri.toString();
    if (names.length === 0) return this.open({ uri, name: stem(document.uri) });
    const name = names.length === 1 ? names[0] : await vscode.window.showQuickPick(names, { title: "Mangle: Preview Prompt" });
    if (name !== undefined) this.open({ uri, name });
  }
}

/** What a preview is called that has no name: its file, up to the first dot. */
function stem(uri: vscode.Uri): string {
  return (uri.path.split("/").at(-1) ?? "").split(".")[0] ?? "";
}
