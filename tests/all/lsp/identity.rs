//! One file, one identity: file order by path, links, spellings of URIs, byte order marks.
#![cfg(unix)]

use crate::support::client;

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use client::{Client, Folder, messages, pulling, pushed, uri};

const DUPLICATE: &str = "Decl p(X).\n";

fn event(client: &mut Client, uri: &str, kind: u32) {
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": kind }] }));
}

fn found(client: &mut Client, uri: &str) -> Vec<String> {
    messages(&client.pull(uri)["items"])
}

/// Pulls until what is found is as wanted.
fn until(client: &mut Client, uri: &str, wanted: impl Fn(&[String]) -> bool) -> Vec<String> {
    loop {
        let found = found(client, uri);
        if wanted(&found) {
            return found;
        }
        client.incoming("workspace/diagnostic/refresh");
    }
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character },
        "context": { "includeDeclaration": true }, "newName": "renamed" })
}

fn hover(client: &mut Client, uri: &str, line: u32, character: u32) -> Value {
    client.request("textDocument/hover", at(uri, line, character)).unwrap()
}

/// A workspace folder in which links lead to `a.mg`: a file, a folder, and the workspace folder itself.
fn linked() -> (Folder, Folder) {
    let real = Folder::new(&[("ws/inner/a.mg", "q(X) :- p(X).\n"), ("ws/b.mg", "r(X) :- q(X).\n")]);
    let links = Folder::new(&[]);
    symlink("inner/a.mg", real.path().join("ws/link.mg")).unwrap();
    symlink("inner", real.path().join("ws/folder")).unwrap();
    symlink(real.path().join("ws"), links.path().join("ws")).unwrap();
    (real, links)
}

#[test]
fn duplicates_are_reported_by_path_whatever_came_first() {
    let folder = Folder::new(&[("b.mg", DUPLICATE)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let (a, b) = (folder.uri("a.mg"), folder.uri("b.mg"));
    client.did_open(&b, 1, DUPLICATE);
    assert!(found(&mut client, &b).is_empty());
    folder.write("a.mg", DUPLICATE);
    event(&mut client, &a, 1);
    assert!(until(&mut client, &b, |found| !found.is_empty())[0].contains("duplicate-decl"));
    assert!(found(&mut client, &a).is_empty());
    // The same for a document that is not saved yet.
    client.did_open(&folder.uri("0.mg"), 1, DUPLICATE);
    until(&mut client, &a, |found| !found.is_empty());
    assert!(found(&mut client, &folder.uri("0.mg")).is_empty());
    let symbols = client.request("workspace/symbol", json!({ "query": "p" })).unwrap();
    let symbols: Vec<_> =
        symbols.as_array().unwrap().iter().map(|one| one["location"]["uri"].clone()).collect();
    assert_eq!(symbols, [folder.uri("0.mg"), a.clone(), b.clone()]);
    let definition = client.request("textDocument/definition", at(&b, 0, 5)).unwrap();
    assert!(definition.to_string().contains(&folder.uri("0.mg")), "{definition}");
    client.did_close(&folder.uri("0.mg"));
    until(&mut client, &a, <[String]>::is_empty);
}

#[test]
fn paths_are_compared_part_by_part() {
    let folder = Folder::new(&[("o/z.mg", DUPLICATE), ("o-b.mg", DUPLICATE)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    client.did_open(&folder.uri("o-b.mg"), 1, DUPLICATE);
    assert_eq!(found(&mut client, &folder.uri("o-b.mg")).len(), 1);
    assert!(found(&mut client, &folder.uri("o/z.mg")).is_empty());
}

#[test]
fn what_a_sample_declares_again_is_its_own_fault() {
    let folder = Folder::new(&[("a.kernel.mg", DUPLICATE), ("b.mg", DUPLICATE)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    client.did_open(&folder.uri("a.kernel.mg"), 1, DUPLICATE);
    assert_eq!(found(&mut client, &folder.uri("a.kernel.mg")).len(), 1);
    assert!(found(&mut client, &folder.uri("b.mg")).is_empty());
}

#[test]
fn documents_are_answered_at_the_uri_that_was_used() {
    let (real, links) = linked();
    let text = "q(X) :- p(X).\n";
    for root in [real.path().join("ws"), links.path().join("ws")] {
        for (root_of_uri, path) in [
            (&root, "link.mg"),
            (&root, "folder/a.mg"),
            (&real.path().join("ws"), "inner/a.mg"),
            (&links.path().join("ws"), "folder/a.mg"),
        ] {
            let name = uri(&root_of_uri.join(path));
            let mut client = Client::open_workspace(Some(&root), pulling());
            client.did_open(&name, 1, text);
            assert_eq!(found(&mut client, &name).len(), 1, "{name} in {}", root.display());
            assert_ne!(hover(&mut client, &name, 0, 0), Value::Null, "{name}");
            let definition = client.request("textDocument/definition", at(&name, 0, 0)).unwrap();
            assert!(definition.to_string().contains(&name), "{definition}");
            let places = client.request("textDocument/references", at(&name, 0, 0)).unwrap();
            let places: Vec<_> =
                places.as_array().unwrap().iter().map(|place| place["uri"].clone()).collect();
            assert_eq!(places, [json!(uri(&root.join("b.mg"))), json!(name)]);
            let rename = client.request("textDocument/rename", at(&name, 0, 0)).unwrap();
            let edited: Vec<_> = rename["documentChanges"]
                .as_array()
                .unwrap()
                .iter()
                .map(|edit| &edit["textDocument"])
                .collect();
            let expected = [
                json!({ "uri": uri(&root.join("b.mg")), "version": null }),
                json!({ "uri": name, "version": 1 }),
            ];
            assert_eq!(edited, expected.iter().collect::<Vec<_>>());
            client.did_change(&name, 2, json!([{ "text": "q(X) :- b(X), X = X.\n" }]));
            assert!(until(&mut client, &name, |found| !found.is_empty())[0].contains("b/1"));
            client.did_close(&name);
            assert!(client.status()["documents"].as_array().unwrap().is_empty());
        }
    }
}

#[test]
fn pushed_findings_have_the_uri_that_was_used() {
    let (real, _links) = linked();
    let root = real.path().join("ws");
    let mut client = Client::open_workspace(Some(&root), pushed());
    let name = uri(&root.join("link.mg"));
    client.did_open(&name, 1, "q(X) :- p(X).\n");
    loop {
        let params = client.incoming("textDocument/publishDiagnostics")["params"].take();
        if params["uri"] == json!(name) && !params["diagnostics"].as_array().unwrap().is_empty() {
            break;
        }
    }
}

#[test]
fn findings_follow_the_uri_of_the_file_that_they_refer_to() {
    for capabilities in [pulling(), pushed()] {
        let folder = Folder::new(&[("ws/inner/a.mg", DUPLICATE), ("ws/z.mg", DUPLICATE)]);
        symlink("inner", folder.path().join("ws/folder")).unwrap();
        let mut client = Client::open_workspace(Some(&folder.path().join("ws")), capabilities.clone());
        let pulls = capabilities == pulling();
        let (real, linked, z) =
            (folder.uri("ws/inner/a.mg"), folder.uri("ws/folder/a.mg"), folder.uri("ws/z.mg"));
        client.did_open(&z, 1, DUPLICATE);
        let is_of = |found: &Value, uri: &str| found[0]["relatedInformation"][0]["location"]["uri"] == uri;
        let refers_to = |client: &mut Client, uri: &str| {
            while pulls && !is_of(&client.pull(&z)["items"], uri) {
                client.incoming("workspace/diagnostic/refresh");
            }
            if !pulls {
                let of_z = |params: &Value| params["uri"] == z && is_of(&params["diagnostics"], uri);
                client.wait("the findings of z.mg", |message| of_z(&message["params"]));
            }
        };
        refers_to(&mut client, &real);
        client.did_open(&linked, 1, DUPLICATE);
        refers_to(&mut client, &linked);
        client.did_close(&linked);
        refers_to(&mut client, &real);
    }
}

#[test]
fn a_file_that_is_open_twice_has_the_text_that_was_edited_last() {
    let (real, _links) = linked();
    let root = real.path().join("ws");
    let mut client = Client::open_workspace(Some(&root), pulling());
    let [one, other] = ["inner/a.mg", "link.mg"].map(|path| uri(&root.join(path)));
    let text = "q(X) :- p(X).\n";
    client.did_open(&one, 1, text);
    client.did_open(&other, 7, text);
    for name in [&one, &other] {
        assert_eq!(found(&mut client, name).len(), 1);
        assert_ne!(hover(&mut client, name, 0, 0), Value::Null);
        let definition = client.request("textDocument/definition", at(name, 0, 0)).unwrap();
        assert!(definition.to_string().contains(name), "{definition}");
    }
    assert_eq!(client.status()["documents"].as_array().unwrap().len(), 2);
    // One is edited: the other says so, and has no answers about a text that it does not have.
    client.did_change(&other, 8, json!([{ "text": "\nq(X) :- p(X).\n" }]));
    let elsewhere = client.pull(&one)["items"].clone();
    assert!(elsewhere[0]["message"].as_str().unwrap().contains(&other), "{elsewhere}");
    assert_eq!(elsewhere.as_array().unwrap().len(), 1);
    assert_eq!(hover(&mut client, &one, 0, 0), Value::Null);
    assert_ne!(hover(&mut client, &other, 1, 0), Value::Null);
    assert!(found(&mut client, &other)[0].starts_with("1: undefined-predicate"));
    // Both are the same again.
    client.did_change(&one, 2, json!([{ "text": "\nq(X) :- p(X).\n" }]));
    for name in [&one, &other] {
        assert!(found(&mut client, name)[0].starts_with("1: undefined-predicate"));
    }
    // One of two is closed.
    client.did_change(&one, 3, json!([{ "text": "\n\nq(X) :- p(X).\n" }]));
    client.did_close(&one);
    assert!(found(&mut client, &other)[0].starts_with("1: undefined-predicate"));
    client.did_open(&one, 1, text);
    client.did_close(&other);
    assert!(found(&mut client, &one)[0].starts_with("0: undefined-predicate"));
    client.did_close(&one);
    until(&mut client, &one, |found| found.first().is_some_and(|first| first.starts_with("0: ")));
}

#[test]
fn uris_may_be_spelled_in_any_way() {
    let folder = Folder::new(&[("a b/é.mg", "q(X) :- p(X).\n")]);
    let root = uri(&folder.path());
    let spelled = ["a%20b/%C3%A9.mg", "a%20b/%c3%a9.mg", "%61%20b/é.mg", "./a%20b//x/../é.mg"];
    let spelled = spelled.map(|path| format!("{root}/{path}"));
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    for (at, name) in spelled.iter().enumerate() {
        client.did_open(name, 1, "q(X) :- p(X).\n");
        for asked in &spelled {
            assert_eq!(found(&mut client, asked).len(), 1, "{asked} after {name}");
        }
        client.did_change(name, 2, json!([{ "text": "q(1).\n" }]));
        assert!(found(&mut client, &spelled[(at + 1) % 4]).is_empty());
        client.did_close(&spelled[(at + 1) % 4]);
        until(&mut client, name, |found| found.len() == 1);
    }
    // At once, too.
    client.did_open(&spelled[0], 1, "q(X) :- p(X).\n");
    client.did_open(&spelled[1], 1, "q(X) :- p(X).\n");
    client.did_change(&spelled[0], 2, json!([{ "text": "q(1).\n" }]));
    assert!(found(&mut client, &spelled[0]).is_empty());
    assert_eq!(found(&mut client, &spelled[1]).len(), 1);
    client.did_change(&spelled[1], 2, json!([{ "text": "q(1).\n" }]));
    assert!(found(&mut client, &spelled[1]).is_empty());
}

#[test]
fn events_arrive_for_the_file_or_for_the_link() {
    let (real, _links) = linked();
    let root = real.path().join("ws");
    for path in ["inner/a.mg", "link.mg", "folder/a.mg"] {
        real.write("ws/inner/a.mg", "q(X) :- p(X).\n");
        let mut client = Client::open_workspace(Some(&root), pulling());
        let b = uri(&root.join("b.mg"));
        client.did_open(&b, 1, "r(X) :- q(X).\n");
        assert!(found(&mut client, &b).is_empty());
        real.write("ws/inner/a.mg", "o(1).\n");
        event(&mut client, &uri(&root.join(path)), 2);
        until(&mut client, &b, |found| found.len() == 1);
    }
}

#[test]
fn a_document_follows_its_path_when_that_becomes_a_link() {
    for configuration in
        ["", "[[program]]\nname = \"all\"\n", "[[program]]\nname = \"a\"\ninclude = [\"a.mg\"]\n"]
    {
        let folder = Folder::new(&[("a.mg", DUPLICATE), ("mangle-ls.toml", configuration)]);
        let mut client = Client::open_workspace(Some(&folder.path()), pulling());
        let link = folder.uri("link.mg");
        client.did_open(&link, 1, "Decl p(X).\nDecl q(X).\nDecl q(Y).\n");
        // There is no such file yet: the document is a file of its own.
        let count = until(&mut client, &link, |found| !found.is_empty()).len();
        symlink("a.mg", folder.path().join("link.mg")).unwrap();
        event(&mut client, &link, 1);
        // Now it has the text of `a.mg`, and nothing is declared in two files.
        let q = |found: &[String]| found.iter().filter(|one| one.contains("declaration of `q/1`")).count();
        let p = |found: &[String]| found.iter().filter(|one| one.contains("declaration of `p/1`")).count();
        let found = until(&mut client, &link, |found| p(found) == 0);
        assert_eq!(q(&found), 1, "{count} findings before");
        let definition = client.request("textDocument/definition", at(&link, 0, 5)).unwrap();
        assert!(definition.to_string().contains(&link), "{definition}");
    }
}

#[test]
fn a_link_that_stands_for_a_hidden_file_is_that_file() {
    let folder = Folder::new(&[(".hidden/x.mg", "q(X) :- p(X).\n"), ("b.mg", "r(X) :- q(X).\n")]);
    symlink(".hidden/x.mg", folder.path().join("link.mg")).unwrap();
    let (b, link) = (folder.uri("b.mg"), folder.uri("link.mg"));
    for name in [&link, &folder.uri(".hidden/x.mg")] {
        let mut client = Client::open_workspace(Some(&folder.path()), pulling());
        client.did_open(name, 1, "q(X) :- p(X).\n");
        client.did_open(&b, 1, "r(X) :- q(X).\n");
        until(&mut client, name, |found| found.len() == 1);
        assert!(found(&mut client, &b).is_empty());
        client.did_change(name, 2, json!([{ "text": "o(1).\n" }]));
        until(&mut client, &b, |found| found.len() == 1);
        client.did_close(name);
        until(&mut client, &b, <[String]>::is_empty);
    }
}

#[test]
fn a_byte_order_mark_moves_nothing() {
    let text = "q(X) :- p(X). é$\n";
    let folder = Folder::new(&[("a.mg", &format!("\u{feff}{text}")), ("b.mg", "o(1).\n")]);
    let a = folder.uri("a.mg");
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let capabilities = client::with_encoding(pulling(), encoding);
        let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
        let closed = client.pull(&a)["items"].clone();
        assert!(closed.as_array().unwrap().len() > 1, "{closed}");
        client.did_open(&a, 1, text);
        until(&mut client, &a, |found| found.len() == closed.as_array().unwrap().len());
        assert_eq!(client.pull(&a)["items"], closed);
        client.did_close(&a);
        assert_eq!(client.pull(&a)["items"], closed);
        // The editor saved it without; the file is open at two URIs.
        client.did_open(&a, 1, text);
        let spelled = format!("{}%67", &a[..a.len() - 1]);
        client.did_open(&spelled, 1, text);
        until(&mut client, &spelled, |found| found.iter().any(|one| one.contains("bom")));
        folder.write("a.mg", text);
        event(&mut client, &a, 2);
        for uri in [&a, &spelled] {
            until(&mut client, uri, |found| !found.iter().any(|one| one.contains("bom")));
        }
        folder.write("a.mg", &format!("\u{feff}{text}"));
    }
}

#[test]
fn documents_without_a_file_stay_apart() {
    let folder = Folder::new(&[("a.mg", DUPLICATE)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    for name in ["untitled:Untitled-2", "untitled:Untitled-1"] {
        client.did_open(name, 1, DUPLICATE);
        assert!(found(&mut client, name).is_empty());
    }
    let symbols = client.request("workspace/symbol", json!({ "query": "p" })).unwrap();
    let symbols: Vec<_> =
        symbols.as_array().unwrap().iter().map(|one| one["location"]["uri"].clone()).collect();
    assert_eq!(symbols, [folder.uri("a.mg"), "untitled:Untitled-1".into(), "untitled:Untitled-2".into()]);
    assert!(Path::new("untitled:Untitled-1").is_relative());
}

#[test]
fn a_document_that_becomes_another_opening_of_a_file_counts_if_it_was_edited_last() {
    for link_is_last in [true, false] {
        let folder = Folder::new(&[("a.mg", "p(1).\n"), ("link.mg", "p(2).\n")]);
        let mut client = Client::open_workspace(Some(&folder.path()), pulling());
        let (a, link) = (folder.uri("a.mg"), folder.uri("link.mg"));
        client.did_open(&a, 1, "p(1).\n");
        client.did_open(&link, 1, "p(2).\n");
        let (first, last) = if link_is_last { (&a, &link) } else { (&link, &a) };
        client.did_change(first, 2, json!([{ "text": "q(X) :- first(X).\n" }]));
        client.did_change(last, 2, json!([{ "text": "q(X) :- last(X).\n" }]));
        std::fs::remove_file(folder.path().join("link.mg")).unwrap();
        symlink("a.mg", folder.path().join("link.mg")).unwrap();
        event(&mut client, &link, 1);
        let is_it = |found: &[String]| found.iter().any(|found| found.contains("last/1"));
        until(&mut client, last, is_it);
        until(&mut client, first, |found| found.iter().any(|found| found.contains("open-twice")));
    }
}
