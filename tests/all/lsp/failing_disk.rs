//! A session while the file system fails, and with things in the workspace that are no files: the server goes on to
//! answer, and says what it could not read.

#![cfg(all(unix, debug_assertions))]

use crate::support::client;

use std::path::Path;
use std::process::Command;

use client::{Client, pulling, uri};
use serde_json::{Value, json};
use tempfile::TempDir;

const FILES: [(&str, &str); 6] = [
    ("mangle-ls.toml", "[prompt]\natoms = [\"atoms\"]\n"),
    ("a.mg", "Decl p(X) bound [/number].\np(1).\n"),
    ("b.mg", "q(X) :- p(X), r(X).\n"),
    (".gitignore", "ignored\n"),
    ("atoms/x.yaml", "- {id: me, category: identity, content: x}\n"),
    ("transcripts/t.json", "{\"control_packet\":{},\"surface_response\":\"Fine.\"}\n"),
];

fn workspace() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    for (name, text) in FILES {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// A session in a folder, and what is found in its programs, as `file: message`.
fn session(folder: &Path, environment: &[(&str, &str)]) -> (Client, Vec<String>) {
    let mut client = Client::start_with(&["lsp"], environment);
    client.initialize(json!({
        "processId": null,
        "rootUri": null,
        "capabilities": pulling(),
        "workspaceFolders": [{ "uri": uri(folder), "name": "test" }],
    }));
    let opened = uri(&folder.join("a.mg"));
    client.did_open(&opened, 1, FILES[1].1);
    let hover = json!({ "textDocument": { "uri": &opened }, "position": { "line": 1, "character": 0 } });
    assert!(client.request("textDocument/hover", hover).unwrap().is_object());
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let found = |item: &Value| {
        let file = item["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let messages = item["items"].as_array().unwrap().iter();
        messages.map(|one| format!("{file}: {}", one["message"].as_str().unwrap())).collect::<Vec<_>>()
    };
    let mut all: Vec<String> = report["items"].as_array().unwrap().iter().flat_map(found).collect();
    all.sort();
    (client, all)
}

/// Waits until the server says something of a file that is in no program.
fn wait_for_finding(client: &mut Client, name: &str, words: &str) {
    client.wait(&format!("a finding of {name}"), |message| {
        let params = &message["params"];
        message["method"] == "textDocument/publishDiagnostics"
            && params["uri"].as_str().is_some_and(|uri| uri.ends_with(name))
            && params["diagnostics"]
                .as_array()
                .unwrap()
                .iter()
                .any(|one| one["message"].as_str().unwrap().contains(words))
    });
}

#[test]
fn a_server_answers_whatever_fails() {
    let folder = workspace();
    let root = folder.path().canonicalize().unwrap();
    let clean = session(&root, &[]).1;
    for (operation, how) in [("open", "EACCES"), ("read", "EIO"), ("list", "EACCES")] {
        for number in 1.. {
            let aside = TempDir::new().unwrap();
            let hit = aside.path().join("hit");
            let fault = format!("{operation}:{number}:{how}");
            let environment = [
                ("MANGLE_LS_TEST_FAULT", fault.as_str()),
                ("MANGLE_LS_TEST_FAULT_HIT", hit.to_str().unwrap()),
            ];
            let (mut client, found) = session(&root, &environment);
            let hit = std::fs::read_to_string(&hit);
            if let Ok(path) = &hit {
                let name = Path::new(path).file_name().unwrap().to_str().unwrap();
                if found != clean && !found.iter().any(|one| one.starts_with(name)) {
                    wait_for_finding(&mut client, name, "cannot be read");
                }
            }
            assert_eq!(client.shut_down().code(), Some(0), "{fault}");
            if hit.is_err() {
                assert!(number > 1, "{operation}");
                break;
            }
            assert!(number < 200, "{operation} has no end");
        }
    }
}

#[test]
fn pipes_in_a_workspace_are_reported() {
    for name in ["mangle-ls.toml", "b.mg", ".gitignore", ".ignore", "sub/.gitignore", "sub/mangle-ls.toml"] {
        let folder = workspace();
        let root = folder.path().canonicalize().unwrap();
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (mut client, found) = session(&root, &[]);
        let last = path.file_name().unwrap().to_str().unwrap();
        if !found.iter().any(|one| one.starts_with(last) && one.contains("named pipe")) {
            wait_for_finding(&mut client, name, "named pipe");
        }
        assert_eq!(client.shut_down().code(), Some(0), "{name}");
    }
}
