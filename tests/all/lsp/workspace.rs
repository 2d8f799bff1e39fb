//! Programs of a workspace as files, folders and settings come and go.

use crate::support::client;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use client::{Client, Folder, messages, pulling, pushed, uri};

const UNDECLARED: &str = "q(X) :- p(X).\n";
const DECLARING: &str = "Decl p(X).\n";

/// What a client that is told keeps: the last list of each file, by URI.
pub(super) struct Told {
    pub(super) client: Client,
    lists: BTreeMap<String, Value>,
}

impl Told {
    pub(super) fn new(client: Client) -> Self {
        Self { client, lists: BTreeMap::new() }
    }

    /// Takes in what is published until `wanted` holds of a file's messages.
    pub(super) fn until(&mut self, uri: &str, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
        loop {
            let list = self.lists.get(uri).map(messages);
            if let Some(list) = list.filter(|list| wanted(list)) {
                return list;
            }
            let params = self.client.incoming("textDocument/publishDiagnostics")["params"].take();
            self.lists.insert(params["uri"].as_str().unwrap().into(), params["diagnostics"].clone());
        }
    }

    pub(super) fn until_clean(&mut self, uri: &str) {
        self.until(uri, <[String]>::is_empty);
    }

    pub(super) fn until_found(&mut self, uri: &str) -> Vec<String> {
        self.until(uri, |list| !list.is_empty())
    }
}

fn event(client: &mut Client, uri: &str, kind: u32) {
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": kind }] }));
}

fn folders(client: &mut Client, added: &[&Folder], removed: &[&Folder]) {
    let list = |folders: &[&Folder]| {
        let one = |folder: &&Folder| json!({ "uri": uri(&folder.path()), "name": "x" });
        folders.iter().map(one).collect::<Vec<_>>()
    };
    let event = json!({ "added": list(added), "removed": list(removed) });
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
}

#[test]
fn files_that_are_not_open_are_part_of_the_program() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let a = folder.uri("a.mg");
    let found = told.until_found(&a);
    assert!(found[0].contains("`p/1`"), "{found:?}");
    // An edit of one file is seen in another that nobody opened.
    let schemas = folder.uri("schemas.gl");
    told.client.did_open(&schemas, 1, "Decl r(X).\n");
    told.client.did_change(&schemas, 2, json!([{ "text": "Decl r(X).\nDecl p(X).\n" }]));
    told.until_clean(&a);
    // What was not saved is forgotten when the document is closed.
    told.client.did_close(&schemas);
    told.until_found(&a);
}

#[test]
fn a_document_that_is_opened_again_is_told_anew() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let a = folder.uri("a.mg");
    told.client.did_open(&a, 0, UNDECLARED);
    told.until_found(&a);
    // As Neovim does at `:edit!`, which also forgets what was found.
    told.client.did_close(&a);
    told.client.did_open(&a, 0, UNDECLARED);
    told.lists.clear();
    told.until_found(&a);
}

#[test]
fn files_change_come_and_go_on_disk() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let a = folder.uri("a.mg");
    told.until_found(&a);
    folder.write("schemas.gl", DECLARING);
    event(&mut told.client, &folder.uri("schemas.gl"), 2);
    told.until_clean(&a);
    folder.write("schemas.gl", "Decl r(X).\n");
    event(&mut told.client, &folder.uri("schemas.gl"), 2);
    told.until_found(&a);
    folder.write("sub/more.mg", DECLARING);
    event(&mut told.client, &folder.uri("sub/more.mg"), 1);
    told.until_clean(&a);
    folder.remove("sub/more.mg");
    event(&mut told.client, &folder.uri("sub/more.mg"), 3);
    told.until_found(&a);
    // The diagnostics of a file that is gone are taken back.
    folder.remove("a.mg");
    event(&mut told.client, &a, 3);
    told.until_clean(&a);
}

#[test]
fn a_renamed_file_takes_its_diagnostics_along() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let (a, b) = (folder.uri("a.mg"), folder.uri("b.mg"));
    told.client.did_open(&a, 1, UNDECLARED);
    told.until_found(&a);
    std::fs::rename(folder.path().join("a.mg"), folder.path().join("b.mg")).unwrap();
    told.client.did_close(&a);
    told.client.did_open(&b, 1, UNDECLARED);
    let changes = json!([{ "uri": a, "type": 3 }, { "uri": b, "type": 1 }]);
    told.client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    told.until_found(&b);
    told.until_clean(&a);
}

#[test]
fn settings_are_live() {
    let folder = Folder::new(&[("mangle-ls.toml", ""), ("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let (a, settings) = (folder.uri("a.mg"), folder.uri("mangle-ls.toml"));
    let found = told.until_found(&a);
    let rule = found[0].split(": ").nth(1).unwrap();
    folder.write("mangle-ls.toml", &format!("[rules]\n\"{rule}\" = \"off\"\n"));
    event(&mut told.client, &settings, 2);
    told.until_clean(&a);
    folder.write("mangle-ls.toml", "[rules]\n\"no-such-rule\" = \"off\"\n");
    event(&mut told.client, &settings, 2);
    told.until_found(&a);
    let found = told.until_found(&settings);
    assert!(found[0].contains("no-such-rule"), "{found:?}");
    // Also while they are being typed.
    told.client.did_open(&settings, 1, "");
    told.until_clean(&settings);
    folder.remove("mangle-ls.toml");
    for nothing in
        [json!(null), json!({}), json!({ "settings": null }), json!({ "settings": [1, "x"] }), json!(7)]
    {
        told.client.notify("workspace/didChangeConfiguration", nothing);
    }
    told.until_found(&a);
}

#[test]
fn folders_come_and_go() {
    let (one, two) = (Folder::new(&[("a.mg", "p(1\n")]), Folder::new(&[("b.mg", "q(1\n")]));
    let mut told = Told::new(Client::open_workspace(Some(&one.path()), pushed()));
    told.until_found(&one.uri("a.mg"));
    folders(&mut told.client, &[&two], &[]);
    told.until_found(&two.uri("b.mg"));
    assert_eq!(told.client.status()["programs"].as_array().unwrap().len(), 2);
    folders(&mut told.client, &[], &[&one]);
    told.until_clean(&one.uri("a.mg"));
    assert_eq!(told.client.status()["programs"].as_array().unwrap().len(), 1);
}

#[test]
fn a_file_of_two_folders_is_reported_once() {
    let folder = Folder::new(&[("inner/a.mg", "p(1\n"), ("b.mg", "q(1).\n")]);
    let mut client = Client::start();
    client.initialize(json!({ "capabilities": pulling(), "workspaceFolders": [
        { "uri": uri(&folder.path()), "name": "outer" },
        { "uri": uri(&folder.path().join("inner")), "name": "inner" },
    ] }));
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let a: Vec<_> = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["uri"] == folder.uri("inner/a.mg"))
        .collect();
    assert_eq!(a.len(), 1);
    assert_eq!(a[0]["items"], client.pull(&folder.uri("inner/a.mg"))["items"]);
    assert_eq!(a[0]["items"].as_array().unwrap().len(), 1);
}

#[test]
fn documents_outside_of_all_folders_and_without_a_file() {
    let folder = Folder::new(&[("a.mg", "p(1).\n")]);
    let elsewhere = Folder::new(&[("schemas.gl", DECLARING), ("x.mg", UNDECLARED)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    // The schemas beside it are read with it, but not reported.
    client.did_open(&elsewhere.uri("x.mg"), 1, UNDECLARED);
    assert_eq!(client.pull(&elsewhere.uri("x.mg"))["items"], json!([]));
    client.did_open("untitled:Untitled-1", 1, "p(1\n");
    assert_eq!(client.pull("untitled:Untitled-1")["items"].as_array().unwrap().len(), 1);
    // Other languages are none of our business.
    let python = json!({ "uri": "file:///x.py", "languageId": "python", "version": 1, "text": "# p(1" });
    client.notify("textDocument/didOpen", json!({ "textDocument": python }));
    client.did_change("file:///x.py", 2, json!([{ "text": "" }]));
    assert_eq!(client.pull("file:///x.py")["items"], json!([]));
    assert_eq!(client.status()["documents"].as_array().unwrap().len(), 2);
    client.did_close("untitled:Untitled-1");
    assert_eq!(client.pull("untitled:Untitled-1")["items"], json!([]));
}

#[test]
fn a_new_document_joins_its_program_before_it_is_saved() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    assert_eq!(client.pull(&folder.uri("a.mg"))["items"].as_array().unwrap().len(), 1);
    client.did_open(&folder.uri("new.mg"), 1, DECLARING);
    assert_eq!(client.pull(&folder.uri("new.mg"))["items"], json!([]));
    client.pull_until(&folder.uri("a.mg"), 0);
    client.did_close(&folder.uri("new.mg"));
    client.pull_until(&folder.uri("a.mg"), 1);
}

#[test]
fn unreadable_files_are_said_and_the_rest_is_checked() {
    let folder = Folder::new(&[("a.mg", "p(1\n"), ("b.mg", "\0\0\0")]);
    std::os::unix::fs::symlink("nowhere.mg", folder.path().join("c.mg")).unwrap();
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    told.until_found(&folder.uri("a.mg"));
    told.until_found(&folder.uri("b.mg"));
    let found = told.until_found(&folder.uri("c.mg"));
    assert!(found[0].contains("leads nowhere"), "{found:?}");
}

#[test]
fn unchanged_reports_are_not_sent_again() {
    let folder = Folder::new(&[("a.mg", "p(1\n"), ("b.mg", "q(1).\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let items = report["items"].as_array().unwrap().clone();
    assert_eq!(items.iter().map(|item| item["kind"].as_str().unwrap()).collect::<Vec<_>>(), ["full", "full"]);
    let a = folder.uri("a.mg");
    let first = client.pull_after(&a, &json!(null));
    assert_eq!((&first["kind"], first["items"].as_array().unwrap().len()), (&json!("full"), 1));
    client.did_open(&a, 5, "p(1\n");
    let second = client.pull_after(&a, &first["resultId"]);
    assert_eq!(second["kind"], "unchanged");
    assert!(second["resultId"].as_str().unwrap().starts_with("5:"));
    client.did_change(&a, 6, json!([{ "text": "p(1).\n" }]));
    assert_eq!(client.pull_after(&a, &second["resultId"])["items"], json!([]));
}

#[test]
fn loading_shows_progress_where_the_client_can() {
    let folder = Folder::new(&[("a.mg", "p(1).\n")]);
    let mut client = Client::start();
    client.initialize(json!({
        "capabilities": pulling(),
        "workDoneToken": "start",
        "workspaceFolders": [{ "uri": uri(&folder.path()), "name": "x" }],
    }));
    client.pull(&folder.uri("a.mg"));
    let steps: Vec<_> =
        client.drain().into_iter().filter(|message| message["method"] == "$/progress").collect();
    let kinds: Vec<_> = steps.iter().map(|step| step["params"]["value"]["kind"].as_str().unwrap()).collect();
    // A small workspace may be loaded before the client is ready for a bar.
    assert!(kinds.is_empty() || kinds[0] == "begin", "{kinds:?}");
    assert!(steps.iter().all(|step| step["params"]["token"] == "start"));
}

/// Two open documents: an edit of one changes what is found in the other.
fn open_both(folder: &Folder, capabilities: Value) -> Client {
    let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
    client.did_open(&folder.uri("schemas.gl"), 1, "Decl r(X).\n");
    client.did_open(&folder.uri("a.mg"), 1, UNDECLARED);
    assert_eq!(client.pull(&folder.uri("a.mg"))["items"].as_array().unwrap().len(), 1);
    assert_eq!(client.pull(&folder.uri("schemas.gl"))["items"], json!([]));
    client.did_change(&folder.uri("schemas.gl"), 2, json!([{ "text": "Decl r(X).\nDecl p(X).\n" }]));
    client
}

#[test]
fn an_edit_refreshes_other_open_documents() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut client = open_both(&folder, pulling());
    client.drain();
    assert!(client.pull(&folder.uri("schemas.gl")).get("relatedDocuments").is_none());
    client.incoming("workspace/diagnostic/refresh");
    assert_eq!(client.pull(&folder.uri("a.mg"))["items"], json!([]));
    let mut capabilities = pulling();
    capabilities["textDocument"]["diagnostic"]["relatedDocumentSupport"] = json!(true);
    let mut client = open_both(&folder, capabilities);
    let report = client.pull(&folder.uri("schemas.gl"));
    assert_eq!(report["relatedDocuments"][folder.uri("a.mg")]["items"], json!([]));
    assert!(client.pull(&folder.uri("schemas.gl")).get("relatedDocuments").is_none());
}

#[test]
fn files_that_a_client_does_not_pull_are_pushed_until_it_does() {
    let folder = Folder::new(&[("a.mg", "p(1\n"), ("b.mg", "q(1\n")]);
    let (a, b) = (folder.uri("a.mg"), folder.uri("b.mg"));
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pulling()));
    told.client.did_open(&a, 1, "p(1\n");
    assert_eq!(told.client.pull(&a)["items"].as_array().unwrap().len(), 1);
    told.until_found(&b);
    // An open document is pulled, so it is not pushed; what was pushed before is taken back.
    told.client.did_open(&b, 1, "q(1\n");
    told.until_clean(&b);
    assert_eq!(told.client.pull(&b)["items"].as_array().unwrap().len(), 1);
    told.client.did_close(&b);
    told.until_found(&b);
    // A client that pulls the workspace needs no telling.
    told.client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    told.until_clean(&b);
}

#[test]
fn the_editors_settings_hold_where_the_file_says_nothing() {
    let folder = Folder::new(&[("mangle-ls.toml", ""), ("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut capabilities = pushed();
    capabilities["workspace"] = json!({ "configuration": true });
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), capabilities));
    let (a, settings) = (folder.uri("a.mg"), folder.uri("mangle-ls.toml"));
    let asked = told.client.incoming("workspace/configuration");
    assert_eq!(asked["params"]["items"][0]["section"], "mangle");
    told.until_found(&a);
    let off = json!({ "settings": { "mangle": { "rules": { "predicates": "off" } } } });
    told.client.notify("workspace/didChangeConfiguration", off);
    told.until_clean(&a);
    folder.write("mangle-ls.toml", "[rules]\n\"MG3*\" = \"error\"\n");
    event(&mut told.client, &settings, 2);
    told.until_found(&a);
}

#[test]
fn settings_sent_along_at_the_start() {
    let folder = Folder::new(&[("schemas.gl", "Decl r(X).\n"), ("a.mg", UNDECLARED)]);
    let mut client = Client::start();
    client.initialize(json!({
        "capabilities": pushed(),
        "rootUri": uri(&folder.path()),
        "initializationOptions": { "rules": { "undefined-predicate": "hint" } },
    }));
    let mut told = Told::new(client);
    let list = told.until(&folder.uri("a.mg"), |list| !list.is_empty());
    assert_eq!(list.len(), 1);
    assert_eq!(told.lists[&folder.uri("a.mg")][0]["severity"], 4);
}

#[test]
fn a_kernel_follows_what_it_uses() {
    let folder = Folder::new(&[
        ("schemas.gl", "Decl p(X).\n"),
        ("other/x.gl", "Decl r(X).\n"),
        ("sample.kernel.mg", "# @preview use: other/x.gl\nq(X) :- p(X).\n"),
    ]);
    let mut told = Told::new(Client::open_workspace(Some(&folder.path()), pushed()));
    let kernel = folder.uri("sample.kernel.mg");
    told.client.did_open(&kernel, 1, "# @preview use: other/x.gl\nq(X) :- p(X).\n");
    told.until_found(&kernel);
    told.client.did_change(&kernel, 2, json!([{ "text": "# @preview use: schemas.gl\nq(X) :- p(X).\n" }]));
    told.until_clean(&kernel);
    // The text on disk counts again when the document is closed, and that of another opening when that is edited.
    told.client.did_close(&kernel);
    told.until_found(&kernel);
    let spelled = format!("{}%67", &kernel[..kernel.len() - 1]);
    told.client.did_open(&kernel, 1, "# @preview use: schemas.gl\nq(X) :- p(X).\n");
    told.until_clean(&kernel);
    told.client.did_open(&spelled, 1, "# @preview use: other/x.gl\nq(X) :- p(X).\n");
    told.client.did_change(&spelled, 2, json!([{ "text": "# @preview use: other/x.gl\nq(X) :- p(X). \n" }]));
    told.until_found(&spelled);
}
