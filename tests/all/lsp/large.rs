//! A workspace folder with more than is scanned: the limit is reported, and the open document is checked all the same.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, pushed};

/// A folder with so many Mangle files, and one with something wrong in it that comes last.
fn folder(count: usize, configuration: Option<&str>) -> Folder {
    let folder = Folder::new(&[("zz/open.mg", "p(1\n"), ("zz/beside.mg", "q(1).\n")]);
    configuration.into_iter().for_each(|text| folder.write("mangle-ls.toml", text));
    (0..count).for_each(|n| folder.write(&format!("{}/p{n:05}.mg", n / 100), "p(1).\n"));
    folder
}

fn is_about_the_limit(message: &Value) -> bool {
    let text = message["params"]["message"].as_str().unwrap_or_default();
    message["method"] == "window/showMessage" && text.contains("max_scan_files")
}

/// Waits until all is scanned; gives what the status says of it.
fn scanned(client: &mut Client) -> Value {
    loop {
        let scan = client.status()["scan"].take();
        if scan["complete"] == true {
            return scan;
        }
        // What needs the whole workspace is answered when it is known.
        client.request("workspace/symbol", json!({ "query": "xyzzy" })).unwrap();
    }
}

#[test]
fn without_a_configuration_the_default_limit_holds() {
    let folder = folder(5_100, None);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("zz/open.mg");
    client.did_open(&uri, 1, "p(1\n");
    assert_eq!(client.pull(&uri)["items"][0]["code"], "missing-bracket");
    let scan = scanned(&mut client);
    let limited = &scan["limited"][0];
    assert_eq!((&limited["limit"], &limited["files"]), (&json!("max_scan_files"), &json!(5_000)));
    assert_eq!(limited["folder"], folder.path().to_str().unwrap());
    assert_eq!(client.pull(&uri)["items"][0]["code"], "missing-bracket");
    client.wait("the message", is_about_the_limit);
    // Another scan says nothing new.
    client.notify("workspace/didChangeConfiguration", json!({ "settings": {} }));
    scanned(&mut client);
    assert!(!client.drain().iter().any(is_about_the_limit));
    assert!(client.shut_down().success());
}

#[test]
fn the_limit_is_a_finding_of_the_folder() {
    let folder = folder(50, Some("[files]\nmax_scan_files = 10\n"));
    let mut client = Client::open_workspace(Some(&folder.path()), pushed());
    let uri = folder.uri("zz/open.mg");
    client.did_open(&uri, 1, "p(1\n");
    let root = client::uri(&folder.path());
    let is_of_root = |message: &Value| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == root.as_str()
    };
    let published = client.wait("the finding", is_of_root);
    assert_eq!(published["params"]["diagnostics"][0]["code"], "scan-limit");
    // A higher limit takes it back.
    folder.write("mangle-ls.toml", "[files]\nmax_scan_files = 100\n");
    let changed = json!([{ "uri": folder.uri("mangle-ls.toml"), "type": 2 }]);
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changed }));
    assert_eq!(client.wait("nothing", is_of_root)["params"]["diagnostics"], json!([]));
    assert_eq!(client.status()["scan"]["limited"], json!([]));
}

#[test]
fn the_server_leaves_while_it_scans() {
    let folder = folder(3_000, None);
    let client = Client::open_workspace(Some(&folder.path()), pulling());
    assert!(client.shut_down().success());
}
