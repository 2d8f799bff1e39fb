//! Going about in a program: definitions, references, highlights, symbols; over the protocol, in all encodings.

use crate::support::client;
use crate::support::text;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, with_encoding};
use text::{Columns, about, position};

/// Characters of all widths before everything that counts, and CRLF.
const SCHEMAS: &str =
    "# 🦀\r\nDecl stop(Line, Name) bound [/line, /string].\r\nDecl idle(Line) bound [/line].\r\n";
const POLICY: &str = "# 漢字\r\nstop(/line/é🦀, \"x\").\r\nstop(\"🦀é\", \"Quay\").\r\n\r\nidle(L) :- line(\"🦀\", L), !stop(L, \"漢\").\r\n";
const TEST: &str = "was(L) :- stop(L, \"🦀\").\r\n";

fn folder() -> Folder {
    let files =
        [("schemas.mg", SCHEMAS), ("policy.mg", POLICY), ("idle_test.mg", TEST), ("mangle-ls.toml", "")];
    Folder::new(&files)
}

/// `capabilities` of a client that shows links and trees.
fn modern() -> Value {
    let mut capabilities = pulling();
    for method in ["definition", "declaration", "typeDefinition", "implementation"] {
        capabilities["textDocument"][method] = json!({ "linkSupport": true });
    }
    capabilities["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    capabilities
}

/// The text of a range.
fn part(text: &str, range: &Value, columns: Columns) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at =
        |end: &str| (0..=chars.len()).find(|index| position(&chars, *index, columns) == range[end]).unwrap();
    chars[at("start")..at("end")].iter().collect()
}

#[test]
fn definitions_in_every_encoding() {
    for columns in Columns::ALL {
        let folder = folder();
        let (uri, schemas) = (folder.uri("policy.mg"), folder.uri("schemas.mg"));
        let mut client =
            Client::open_workspace(Some(&folder.path()), with_encoding(modern(), columns.name()));
        client.did_open(&uri, 1, POLICY);
        let params = about(&uri, POLICY, "!st|op(L", columns);
        let found = client.request("textDocument/definition", params.clone()).unwrap();
        assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
        let link = &found[0];
        assert_eq!(link["targetUri"], schemas);
        assert_eq!(part(POLICY, &link["originSelectionRange"], columns), "stop");
        assert_eq!(part(SCHEMAS, &link["targetSelectionRange"], columns), "stop");
        assert!(part(SCHEMAS, &link["targetRange"], columns).starts_with("Decl stop"));
        let found = client.request("textDocument/implementation", params).unwrap();
        assert_eq!(part(POLICY, &found[0]["targetSelectionRange"], columns), "stop");
        let params = about(&uri, POLICY, "stop(L|,", columns);
        let found = client.request("textDocument/typeDefinition", params.clone()).unwrap();
        assert_eq!(part(SCHEMAS, &found[0]["targetSelectionRange"], columns), "/line");
        let found = client.request("textDocument/definition", params).unwrap();
        assert_eq!(part(POLICY, &found[0]["targetRange"], columns), POLICY.lines().nth(4).unwrap());
        let found = client.request("textDocument/declaration", about(&uri, POLICY, "\"x|\"", columns));
        assert_eq!(found.unwrap(), json!(null));
        assert!(client.shut_down().success());
    }
}

#[test]
fn a_client_without_links_gets_locations() {
    let folder = folder();
    let uri = folder.uri("policy.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    client.did_open(&uri, 1, POLICY);
    let params = about(&uri, POLICY, "!st|op(L", Columns::Utf16);
    let found = client.request("textDocument/declaration", params).unwrap();
    let start = json!({ "line": 1, "character": 5 });
    let range = json!({ "start": start, "end": { "line": 1, "character": 9 } });
    assert_eq!(found, json!([{ "uri": folder.uri("schemas.mg"), "range": range }]));
}

#[test]
fn references_reach_the_tests_of_a_program() {
    let folder = folder();
    let uri = folder.uri("policy.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), modern());
    client.did_open(&uri, 1, POLICY);
    let mut lines = |declarations: bool| {
        let mut params = about(&uri, POLICY, "!stop|(L", Columns::Utf16);
        params["context"] = json!({ "includeDeclaration": declarations });
        let found = client.request("textDocument/references", params).unwrap();
        let one = |location: &Value| {
            let file = location["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file}:{}", location["range"]["start"]["line"])
        };
        found.as_array().unwrap().iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(lines(false), ["idle_test.mg:0", "policy.mg:1", "policy.mg:2", "policy.mg:4"]);
    assert_eq!(lines(true), ["idle_test.mg:0", "policy.mg:1", "policy.mg:2", "policy.mg:4", "schemas.mg:1"]);
}

#[test]
fn highlights_follow_an_edit() {
    let folder = folder();
    let uri = folder.uri("policy.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), modern());
    client.did_open(&uri, 1, POLICY);
    let text = POLICY.replace("!stop(L, \"漢\")", "!stop(L, \"漢\"), L != /line/9 ");
    client.did_change(&uri, 2, json!([{ "text": text }]));
    let found =
        client.request("textDocument/documentHighlight", about(&uri, &text, "stop(L|,", Columns::Utf16));
    let shown: Vec<_> = found
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (part(&text, &one["range"], Columns::Utf16), one["kind"].as_u64().unwrap()))
        .collect();
    let one = |kind| ("L".to_owned(), kind);
    assert_eq!(shown, [one(2), one(3), one(2), one(2)]);
}

#[test]
fn the_outline_is_a_tree_or_a_list() {
    let text = "# =====\n# Stops\n# =====\nstop(1).\nstop(2).\n";
    let uri = "untitled:Untitled-1";
    let params = json!({ "textDocument": { "uri": uri } });
    let mut client = Client::open_workspace(None, modern());
    client.did_open(uri, 1, text);
    let tree = client.request("textDocument/documentSymbol", params.clone()).unwrap();
    assert_eq!(tree[0]["name"], "Stops");
    assert_eq!(tree[0]["children"][0]["detail"], "2 facts");
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(uri, 1, text);
    let list = client.request("textDocument/documentSymbol", params).unwrap();
    assert_eq!(list[1]["containerName"], "Stops");
    assert_eq!(list[1]["location"]["range"]["end"], json!({ "line": 4, "character": 8 }));
}

#[test]
fn the_workspace_is_searched_as_soon_as_it_is_known() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), modern());
    let found = client.request("workspace/symbol", json!({ "query": "idl" })).unwrap();
    let places: Vec<_> = found.as_array().unwrap().iter().map(|one| one["location"]["uri"].clone()).collect();
    assert_eq!(places, [json!(folder.uri("schemas.mg")), json!(folder.uri("policy.mg"))]);
}

/// Whatever is asked where, there is an answer or none, and no error.
#[test]
fn every_place_of_a_damaged_file() {
    let text = "# 🦀\r\nDecl p(X, Y) descr [arg(X bound [/a, .List<X].\r\np(X, ) :- q([X, {/a : Y}]), !r(\"🦀, X |> let Z = fn:f(X, _).\r\n$$ p(/a. \r\n";
    let uri = "untitled:Untitled-1";
    let mut client = Client::open_workspace(None, modern());
    client.did_open(uri, 1, text);
    let chars: Vec<char> = text.chars().collect();
    for index in 0..=chars.len() {
        let at = position(&chars, index, Columns::Utf16);
        let params = json!({
            "textDocument": { "uri": uri },
            "position": at,
            "context": { "includeDeclaration": true },
        });
        for method in [
            "definition",
            "declaration",
            "typeDefinition",
            "implementation",
            "references",
            "documentHighlight",
        ] {
            client.request(&format!("textDocument/{method}"), params.clone()).unwrap();
        }
    }
}

#[test]
fn the_call_hierarchy_is_found_again_after_edits() {
    let folder = folder();
    let uri = folder.uri("policy.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), modern());
    client.did_open(&uri, 1, POLICY);
    let params = about(&uri, POLICY, "!st|op(L", Columns::Utf16);
    let items = client.request("textDocument/prepareCallHierarchy", params).unwrap();
    assert_eq!(items[0]["name"], "stop/2");
    let text = format!("# 🦀\r\n{POLICY}");
    client.did_change(&uri, 2, json!([{ "text": text }]));
    let calls = client.request("callHierarchy/incomingCalls", json!({ "item": items[0] })).unwrap();
    let mut callers: Vec<_> = calls.as_array().unwrap().clone();
    callers.sort_by_key(|call| call["from"]["name"].to_string());
    let names: Vec<_> = callers.iter().map(|call| call["from"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["idle/1", "was/1"]);
    assert_eq!(callers[0]["from"]["detail"], "not");
    assert!(callers[1]["from"].get("detail").is_none());
    assert_eq!(part(&text, &callers[0]["fromRanges"][0], Columns::Utf16), "stop");
    assert_eq!(part(TEST, &callers[1]["fromRanges"][0], Columns::Utf16), "stop");
    let calls = client.request("callHierarchy/outgoingCalls", json!({ "item": callers[0]["from"] })).unwrap();
    let to: Vec<_> = calls.as_array().unwrap().iter().map(|call| call["to"]["name"].clone()).collect();
    assert_eq!(to, ["stop/2"]);
    assert_eq!(part(&text, &calls[0]["fromRanges"][0], Columns::Utf16), "stop");
    // An item that is not ours is nobody's.
    let mut foreign = items[0].clone();
    foreign["data"] = json!({ "x": 1 });
    let calls = client.request("callHierarchy/incomingCalls", json!({ "item": foreign })).unwrap();
    assert_eq!(calls, json!(null));
}

#[test]
fn a_variable_is_edited_in_all_its_places() {
    let uri = "untitled:Untitled-1";
    let mut client = Client::open_workspace(None, modern());
    client.did_open(uri, 1, POLICY);
    let found =
        client.request("textDocument/linkedEditingRange", about(uri, POLICY, "idle(|L", Columns::Utf16));
    let found = found.unwrap();
    let parts: Vec<_> =
        found["ranges"].as_array().unwrap().iter().map(|range| part(POLICY, range, Columns::Utf16)).collect();
    assert_eq!(parts, ["L", "L", "L"]);
    assert_eq!(found["wordPattern"], "[A-Z][A-Za-z0-9]*");
    let elsewhere =
        client.request("textDocument/linkedEditingRange", about(uri, POLICY, "i|dle", Columns::Utf16));
    assert_eq!(elsewhere.unwrap(), json!(null));
}

#[test]
fn links_lead_to_the_web_and_to_files_that_are_there() {
    let text = "# @preview use: ../schemas.mg, nowhere.mg\n# 🦀 https://example.org/a?b (sub/a.kernel.mg, b.mg) /etc/passwd.mg\np(1).\n";
    let folder = Folder::new(&[
        ("schemas.mg", SCHEMAS),
        ("b.mg", "q(1).\n"),
        ("sub/a.kernel.mg", text),
        ("sub/c.mg", "# ../../../../etc/hosts.mg schemas.mg\n"),
        ("mangle-ls.toml", ""),
    ]);
    let mut client = Client::open_workspace(Some(&folder.path()), modern());
    let mut links = |file: &str, text: &str| {
        let params = json!({ "textDocument": { "uri": folder.uri(file) } });
        let found = client.request("textDocument/documentLink", params).unwrap();
        let one = |link: &Value| {
            let target = link["target"].as_str().unwrap().replace(&folder.uri(""), "…/");
            format!("{} → {target}", part(text, &link["range"], Columns::Utf16))
        };
        found.as_array().unwrap().iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(
        links("sub/a.kernel.mg", text),
        [
            "../schemas.mg → …/schemas.mg",
            "https://example.org/a?b → https://example.org/a?b",
            "b.mg → …/b.mg"
        ]
    );
    assert_eq!(links("sub/c.mg", "# ../../../../etc/hosts.mg schemas.mg\n"), ["schemas.mg → …/schemas.mg"]);
}
