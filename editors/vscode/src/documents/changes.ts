// Tells all who want to know that a document of the server is another one by now. A client calls only the last of the handlers that are
// registered for a notification, so there is one, here.

import type { LanguageClient } from "vscode-languageclient/node";

type Listener = (address: string) => void;

const listeners = new WeakMap<LanguageClient, Set<Listener>>();

/** Calls a listener with the address of each document that changes. */
export function onDocumentChanged(client: LanguageClient, listener: Listener): void {
  const known = listeners.get(client);
  if (known !== undefined) {
    known.add(listener);
    return;
  }
  const all = new Set([listener]);
  listeners.set(client, all);
  client.onNotification("mangle/virtualDocumentChanged", ({ uri }: { uri: string }) => all.forEach((one) => one(uri)));
}
