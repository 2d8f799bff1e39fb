// Entry point: puts the parts together, and names the commands.

import * as vscode from "vscode";
import { Answers } from "./documents/answers.ts";
import { Conversations } from "./documents/conversations.ts";
import { generateGrammar } from "./documents/grammar.ts";
import { ConversationOffer } from "./documents/offer_conversation.ts";
import { Previews } from "./documents/previews.ts";
import type { PromptOf } from "./documents/prompt_of.ts";
import { type PropertyOf, openProperty } from "./documents/properties.ts";
import { type Turn, openTurn, openTurnHere } from "./documents/replays.ts";
import { Views } from "./documents/views.ts";
import { FirstDiagnostics } from "./first_diagnostics.ts";
import { Graphs } from "./panels/graph.ts";
import { PromptPanels } from "./panels/preview.ts";
import { Reports } from "./panels/report.ts";
import { offerSchema, useSchema } from "./schema.ts";
import { type Deed, commands, copyRepair } from "./server/deeds.ts";
import { Server } from "./server/server.ts";
import { openStory } from "./story.ts";
import { StatusItem } from "./status/item.ts";
import { type Asked, Tests } from "./testing/tests.ts";

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const log = vscode.window.createOutputChannel("Mangle", { log: true });
  const [views, previews, conversations] = [new Views(), new Previews(), new Conversations()];
  const offer = new ConversationOffer(context.globalState);
  const extension = context.extensionUri;
  const [prompts, reports, graphs] = [new PromptPanels(extension, previews), new Reports(extension), new Graphs(extension)];
  const deeds: Record<string, Deed> = {
    "mangle.copyRepair": copyRepair,
    "mangle.preview": async (of: object) => prompts.open(of as PromptOf),
    "mangle.property": (of, client) => openProperty(of as PropertyOf, client),
    "mangle.query": (question: object) => answers.answer(question),
    "mangle.replay": (turn, client) => openTurn("mangle.replay", turn as Turn, client),
    "mangle.state": (turn, client) => openTurn("mangle.state", turn as Turn, client),
    "mangle.test": (asked: object) => tests.runAsked(asked as Asked),
  };
  const first = new FirstDiagnostics(log, started);
  const server: Server = new Server(extension, log, [views, previews, conversations, offer, prompts, reports, graphs], {
    ...commands(() => server.running, deeds),
    ...first.middleware(),
  });
  server.onDidChangeHealth(({ kind }) => first.passed(kind));
  const [answers, tests] = [new Answers(server), new Tests(server)];
  const status = new StatusItem(server);
  running = server;
  const does: Record<string, (argument?: unknown) => unknown> = {
    "mangle.start": () => server.start(),
    "mangle.stop": () => server.stop(),
    "mangle.restart": () => server.restart(),
    "mangle.showLogs": () => log.show(),
    "mangle.showStatus": () => status.show(),
    "mangle.openSettings": () => vscode.commands.executeCommand("workbench.action.openSettings", "mangle."),
    "mangle.previewPrompt": () => prompts.show(),
    "mangle.replayTranscript": () => reports.show(),
    "mangle.replayFromHere": () => openTurnHere("mangle.replay", server.running),
    "mangle.showState": () => openTurnHere("mangle.state", server.running),
    "mangle.openConversation": (uri) => conversations.show(uri instanceof vscode.Uri ? uri : undefined),
    "mangle.showRaw": () => conversations.showRaw(),
    "mangle.fixInTranscript": () => conversations.fix(),
    "mangle.showChannels": () => views.showChannels(),
    "mangle.runQuery": () => answers.ask(),
    "mangle.runTests": () => tests.runAll(),
    "mangle.generateGrammar": () => generateGrammar(server),
    "mangle.showGraph": () => graphs.show(),
    "mangle.showSyntaxTree": () => views.showTree(),
    "mangle.useSchema": () => useSchema(context),
    "mangle.openStory": () => openStory(context),
  };
  context.subscriptions.push(
    log,
    ...[answers, views, previews, conversations, offer, prompts, reports, graphs, tests, status, server],
    ...Object.entries(does).map(([name, deed]) => vscode.commands.registerCommand(name, deed)),
    // Also when a folder is trusted, and its settings count from then on.
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("mangle.server.path")) void server.restart();
    }),
    offerSchema(context),
  );
  void server.restart(); // not awaited: a server that hangs must not hang the extension
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}
