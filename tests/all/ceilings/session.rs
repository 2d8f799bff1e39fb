//! A server beside hostile policies: they are opened, hovered over, their lenses are resolved.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::policies::Hostile;
use super::support::client::{Client, Folder, pulling};
use super::support::high_water;

/// Opens a policy and the transcript beside it, asks for everything that shows facts. Gives the peak in megabytes, the
/// time, and how many bytes the largest answer has.
pub(crate) fn one(folder: &Folder, text: &str) -> (f64, Duration, usize) {
    let start = Instant::now();
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("policy.mg");
    client.did_open(&uri, 1, text);
    let mut shown = ask(&mut client, &uri, text);
    let transcript = folder.uri("transcripts/a.json");
    let reply = std::fs::read_to_string(folder.path().join("transcripts/a.json")).unwrap();
    let document = json!({ "uri": transcript, "languageId": "json", "version": 1, "text": reply });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let turn = json!({ "uri": transcript, "turn": 1 });
    for (method, params) in [
        ("mangle/replay", json!({ "uri": transcript })),
        ("workspace/executeCommand", json!({ "command": "mangle.state", "arguments": [turn] })),
        ("mangle/query", json!({ "uri": uri })),
    ] {
        // An answer that is refused is an answer; the server must be there.
        let answer = client.request(method, params).unwrap_or_else(|error| error);
        shown = shown.max(if method == "mangle/query" { 0 } else { answer.to_string().len() });
    }
    let peak = high_water(client.process()).unwrap_or(0.0);
    assert!(client.shut_down().success());
    (peak, start.elapsed(), shown)
}

/// Lenses with what they say, hints, and hovers over the last rule; how many bytes the largest answer has.
fn ask(client: &mut Client, uri: &str, text: &str) -> usize {
    let document = json!({ "uri": uri });
    let mut shown = 0;
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": document })).unwrap();
    let lenses: Vec<Value> = lenses.as_array().cloned().unwrap_or_default();
    let last = lenses.len().saturating_sub(3);
    for lens in lenses.into_iter().skip(last) {
        let resolved = client.request("codeLens/resolve", lens);
        shown = shown.max(resolved.unwrap_or_default().to_string().len());
    }
    let line = text.lines().count() - 1;
    for line in [0, line] {
        let at = json!({ "textDocument": document, "position": { "line": line, "character": 0 } });
        shown = shown.max(client.request("textDocument/hover", at).unwrap().to_string().len());
    }
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": line + 1, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", json!({ "textDocument": document, "range": range }));
    shown.max(hints.unwrap_or_default().to_string().len())
}

/// Opens all policies, each a program by itself, and waits until they are evaluated. Gives the peak in megabytes and the
/// time.
pub(crate) fn all(policies: &[Hostile]) -> (f64, Duration) {
    let start = Instant::now();
    let (folder, mut client) = open(policies);
    for (at, hostile) in policies.iter().enumerate() {
        ask(&mut client, &folder.uri(&format!("p{at}/policy.mg")), &hostile.text);
    }
    let peak = high_water(client.process()).unwrap_or(0.0);
    assert!(client.shut_down().success());
    (peak, start.elapsed())
}

/// A server in which all policies are open, each a program by itself.
pub(crate) fn open(policies: &[Hostile]) -> (Folder, Client) {
    let mut settings = String::new();
    let mut files: Vec<(String, &str)> = Vec::new();
    for (at, hostile) in policies.iter().enumerate() {
        settings.push_str(&format!("[[program]]\nname = \"p{at}\"\ninclude = [\"p{at}/**/*.mg\"]\n\n"));
        files.push((format!("p{at}/policy.mg"), &hostile.text));
    }
    settings.push_str("[[program]]\nname = \"edited\"\ninclude = [\"edited.mg\"]\n");
    files.push(("mangle-ls.toml".to_owned(), &settings));
    files.push(("edited.mg".to_owned(), EDITED));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let folder = Folder::new(&files);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    for (at, hostile) in policies.iter().enumerate() {
        client.did_open(&folder.uri(&format!("p{at}/policy.mg")), 1, &hostile.text);
    }
    (folder, client)
}

/// The policy that is typed into beside the others.
pub(crate) const EDITED: &str = "Decl door(Id) bound [/string].\nopen(X) :- door(X).\n";
