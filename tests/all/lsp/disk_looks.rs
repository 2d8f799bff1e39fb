//! Changes on disk in files that are not open, for clients that report none.

use serde_json::{Value, json};

use super::workspace::Told;
use crate::support::client::{Client, Folder, pushed};

const USING: &str = "r(X) :- p(X), later(X).\n";
const DECLARING: &str = "Decl p(X) bound [/name].\np(/a).\n";

/// Something that a client sends and that makes the server compare the disk.
type Trigger = fn(&mut Client, &str);

const TRIGGERS: [(&str, Trigger); 3] = [
    ("save", |client, uri| client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }))),
    ("focus", |client, _| client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }))),
    ("open", |client, _| client.did_open("untitled:other.mg", 1, "")),
];

/// A client that declares that it cannot watch, or that it can and then misses everything.
fn capabilities(watches: bool) -> Value {
    let mut capabilities = pushed();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": watches });
    capabilities
}

fn opened(folder: &Folder, watches: bool) -> (Told, String) {
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), capabilities(watches)));
    let uri = folder.uri("b.mg");
    told.client.did_open(&uri, 1, USING);
    (told, uri)
}

#[test]
fn a_save_shows_changes_in_files_that_are_not_open() {
    for (name, trigger) in TRIGGERS {
        let folder = Folder::new(&[("a.mg", DECLARING), ("b.mg", USING)]);
        let (mut told, uri) = opened(&folder, false);
        assert!(told.until_found(&uri)[0].contains("later"), "{name}");
        folder.write("a.mg", &format!("{DECLARING}later(/a).\n"));
        trigger(&mut told.client, &uri);
        told.until_clean(&uri);
    }
}

#[test]
fn a_save_is_enough_if_a_watcher_misses_changes() {
    let folder = Folder::new(&[("a.mg", DECLARING), ("b.mg", USING)]);
    let (mut told, uri) = opened(&folder, true);
    told.until_found(&uri);
    folder.write("later.mg", "later(/a).\n");
    TRIGGERS[0].1(&mut told.client, &uri);
    told.until_clean(&uri);
    std::fs::remove_file(folder.path().join("later.mg")).unwrap();
    TRIGGERS[0].1(&mut told.client, &uri);
    told.until_found(&uri);
}

#[test]
fn files_of_all_kinds_are_compared() {
    let folder = Folder::new(&[("a.mg", DECLARING), ("b.mg", USING), ("old/c.mg", "later(/a).\n")]);
    let (mut told, uri) = opened(&folder, false);
    let save = TRIGGERS[0].1;
    told.until_clean(&uri);
    // The files of a folder are ignored, and no longer.
    folder.write(".ignore", "/old\n");
    save(&mut told.client, &uri);
    told.until_found(&uri);
    std::fs::remove_file(folder.path().join(".ignore")).unwrap();
    save(&mut told.client, &uri);
    told.until_clean(&uri);
    // A folder gets another name.
    std::fs::rename(folder.path().join("old"), folder.path().join("new")).unwrap();
    folder.write("new/c.mg", "");
    save(&mut told.client, &uri);
    told.until_found(&uri);
    // A configuration comes.
    folder.write("mangle-ls.toml", "[rules]\nundefined-predicate = \"off\"\n");
    save(&mut told.client, &uri);
    told.until(&uri, |list| !list.iter().any(|message| message.contains("later")));
}

#[test]
fn a_transcript_that_changes_is_read_again() {
    let text = |predicate: &str| {
        let reply = json!({ "control_packet": { "mangle_updates": [format!("{predicate}(/a).")] }, "surface_response": "" });
        format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() }))
    };
    let folder = Folder::new(&[("a.mg", DECLARING), ("transcripts/one.jsonl", &text("p"))]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), capabilities(false)));
    let (a, one) = (folder.uri("a.mg"), folder.uri("transcripts/one.jsonl"));
    told.client.did_open(&a, 1, DECLARING);
    let is_unknown = |message: &String| message.contains("unknown_one");
    told.until(&one, |list| !list.iter().any(is_unknown));
    folder.write("transcripts/one.jsonl", &text("unknown_one"));
    TRIGGERS[0].1(&mut told.client, &a);
    told.until(&one, |list| list.iter().any(is_unknown));
}
