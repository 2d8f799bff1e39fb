//! The server's text is the editor's, or it knows that it may not be: damaged messages, lost edits, halves of characters.

use crate::support::client;
use crate::support::text;

use serde_json::{Value, json};

use client::{Client, pulling, with_encoding};
use text::{Columns, Dice, checksum, position};

const URI: &str = "untitled:a.mg";
const OTHER: &str = "untitled:b.mg";
/// Something to format, to fix and to rename.
const TEXT: &str = "p(1).\nq( X ) :- p(X), p(Y).\n";

fn body(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn send(client: &mut Client, body: &[u8]) {
    client.send_raw(&[format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat());
}

fn change_params(version: i32, changes: &Value) -> Value {
    json!({ "textDocument": { "uri": URI, "version": version }, "contentChanges": changes })
}

fn insertion(text: &str) -> Value {
    let start = json!({ "line": 0, "character": 0 });
    json!([{ "range": { "start": start, "end": start }, "text": text }])
}

/// A pulling client of which `damage.mg` and another document are open.
fn with_documents() -> Client {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, TEXT);
    client.did_open(OTHER, 1, TEXT);
    client
}

/// The status of a document.
fn document(client: &mut Client, uri: &str) -> Value {
    let status = client.status();
    let documents = status["documents"].as_array().unwrap();
    documents.iter().find(|document| document["uri"] == uri).cloned().unwrap_or_default()
}

fn is_suspect(client: &mut Client, uri: &str) -> bool {
    document(client, uri)["suspect"] == true
}

fn warnings(client: &mut Client) -> Vec<String> {
    let is_warning = |message: &Value| message["method"] == "window/showMessage";
    let messages = client.drain().into_iter().filter(is_warning);
    messages.map(|message| message["params"]["message"].as_str().unwrap().to_owned()).collect()
}

/// What changes documents, asked for one: the answers that would change something.
fn edits(client: &mut Client, uri: &str) -> Vec<&'static str> {
    let document = json!({ "uri": uri });
    let place = json!({ "line": 1, "character": 0 });
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } });
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let at = json!({ "textDocument": document, "position": place });
    let mut found = Vec::new();
    for (method, params) in [
        ("textDocument/formatting", json!({ "textDocument": document, "options": options })),
        (
            "textDocument/rangeFormatting",
            json!({ "textDocument": document, "range": all, "options": options }),
        ),
        (
            "textDocument/onTypeFormatting",
            json!({ "textDocument": document, "position": { "line": 1, "character": 17 }, "ch": "\n", "options": options }),
        ),
        ("textDocument/rename", json!({ "textDocument": document, "position": place, "newName": "r" })),
        ("textDocument/prepareRename", at.clone()),
        ("textDocument/completion", at.clone()),
        (
            "textDocument/linkedEditingRange",
            json!({ "textDocument": document, "position": { "line": 1, "character": 3 } }),
        ),
    ] {
        let answer = client.request(method, params).unwrap_or_default();
        if !(answer.is_null() || answer == json!([])) {
            found.push(method);
        }
    }
    let params = json!({ "textDocument": document, "range": all, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let changes = |action: &Value| action["command"]["command"] != "mangle.openRulePage";
    if actions.as_array().unwrap().iter().any(changes) {
        found.push("textDocument/codeAction");
    }
    client.request("workspace/executeCommand", json!({ "command": "mangle.fixWorkspace" })).unwrap();
    let is_edit = |message: &Value| {
        let is_sent = message["method"] == "workspace/applyEdit" || message["method"] == "window/showMessage";
        is_sent
            && !message["params"]["message"].as_str().is_some_and(|message| message.contains("Until then"))
    };
    let fixed = client.wait("what was fixed", is_edit);
    if fixed.to_string().contains(uri) {
        found.push("mangle.fixWorkspace");
    }
    found
}

/// The server holds the document for suspect, says so once, and gives no edit of it; opened again it is as for a server
/// that sees it first.
#[track_caller]
fn check_suspect(client: &mut Client, what: &str) {
    assert!(is_suspect(client, URI), "{what}");
    let warned = warnings(client);
    assert_eq!(warned.len(), 1, "{what}: {warned:#?}");
    let is_open = !document(client, URI)["version"].is_null();
    let items = client.pull(URI)["items"].take();
    let codes: Vec<_> = items.as_array().unwrap().iter().map(|item| &item["code"]).collect();
    assert_eq!(codes, if is_open { vec!["document-out-of-sync"] } else { vec![] }, "{what}");
    assert_eq!(edits(client, URI), [""; 0], "{what}");
    // Later edits have no effect, and are not complained about.
    client.did_change(URI, 90, insertion("x"));
    assert!(is_suspect(client, URI), "{what}");
    assert_eq!(warnings(client), [""; 0], "{what}");
    client.did_close(URI);
    client.did_open(URI, 1, TEXT);
    check_in_sync(client, what);
}

#[track_caller]
fn check_in_sync(client: &mut Client, what: &str) {
    assert_eq!(document(client, URI)["checksum"], checksum(TEXT), "{what}");
    assert!(!is_suspect(client, URI), "{what}");
    let mut fresh = Client::open_workspace(None, pulling());
    fresh.did_open(URI, 1, TEXT);
    assert_eq!(client.pull(URI)["items"], fresh.pull(URI)["items"], "{what}");
    let expected = edits(&mut fresh, URI);
    assert_eq!(edits(client, URI), expected, "{what}");
    let changing =
        ["textDocument/formatting", "textDocument/rename", "textDocument/codeAction", "mangle.fixWorkspace"];
    assert!(changing.iter().all(|method| expected.contains(method)), "{expected:?}");
}

#[test]
fn a_document_that_lost_an_edit_is_suspect_until_it_is_opened_again() {
    let good = body("textDocument/didChange", &change_params(2, &insertion("@")));
    let replaced = |from: &str, to: &[u8]| {
        let at = good.find(from).unwrap();
        [&good.as_bytes()[..at], to, &good.as_bytes()[at + from.len()..]].concat()
    };
    let bodies: [(&str, Vec<u8>); 12] = [
        ("invalid UTF-8", replaced("@", b"\xff")),
        ("a cut character", replaced("@", b"\xe2\x82")),
        ("an unknown escape", replaced("@", b"\\x")),
        ("a control character", replaced("@", b"\x01")),
        ("a cut body", good.as_bytes()[..good.len() - 3].to_vec()),
        ("a body with a tail", [good.as_bytes(), b"}"].concat()),
        ("another version of JSON-RPC", replaced("2.0", b"1.0")),
        ("a list of messages", [b"[", good.as_bytes(), b"]"].concat()),
        ("a notification with an id", replaced("\"method\"", b"\"id\":700,\"method\"")),
        ("another name of the method", replaced("didChange", b"didChanhe")),
        ("another name of a member", replaced("contentChanges", b"contentChangeS")),
        ("a line that is no number", replaced("\"line\":0", b"\"line\":1e999")),
    ];
    let mut client = with_documents();
    for (what, body) in bodies {
        send(&mut client, &body);
        assert!(!is_suspect(&mut client, OTHER), "{what}");
        check_suspect(&mut client, what);
    }
}

#[test]
fn edits_that_cannot_follow_make_suspect() {
    let nowhere = json!({ "line": 50, "character": 0 });
    let past_the_end = json!([{ "range": { "start": nowhere, "end": nowhere }, "text": "x" }]);
    let one_of_three = json!([insertion("x")[0], { "range": 7, "text": "y" }, insertion("z")[0]]);
    let mut client = with_documents();
    for (what, version, changes) in [
        ("a line past the end", 2, past_the_end),
        ("a version that is known", 1, insertion("x")),
        ("a version that goes back", 0, insertion("x")),
        ("one bad change of three", 2, one_of_three),
    ] {
        client.notify("textDocument/didChange", change_params(version, &changes));
        check_suspect(&mut client, what);
    }
    client.did_close(URI);
    client.did_change(URI, 2, insertion("x"));
    check_suspect(&mut client, "a document that is not open");
}

#[test]
fn versions_may_leave_numbers_out() {
    let mut client = with_documents();
    client.did_change(URI, 40, insertion("x"));
    assert_eq!(document(&mut client, URI)["checksum"], checksum(&format!("x{TEXT}")));
    assert!(!is_suspect(&mut client, URI) && warnings(&mut client).is_empty());
}

#[test]
fn edits_that_come_in_the_wrong_order_are_put_in_order() {
    let mut client = with_documents();
    let insert = |character: u32, text: &str| {
        let at = json!({ "line": 0, "character": character });
        json!([{ "range": { "start": at, "end": at }, "text": text }])
    };
    for (version, changes) in
        [(2, insert(0, "a")), (4, insert(2, "c")), (3, insert(1, "b")), (5, insert(3, "d"))]
    {
        client.did_change(URI, version, changes);
    }
    let now = document(&mut client, URI);
    assert_eq!((&now["version"], &now["checksum"]), (&json!(5), &json!(checksum(&format!("abcd{TEXT}")))));
    assert!(!is_suspect(&mut client, URI) && warnings(&mut client).is_empty());
}

#[test]
fn a_whole_text_makes_up_for_what_was_lost() {
    let mut client = with_documents();
    send(&mut client, &body("textDocument/didChange", &change_params(2, &insertion("x"))).as_bytes()[..150]);
    assert!(is_suspect(&mut client, URI));
    client.did_change(URI, 3, json!([insertion("x")[0], { "text": TEXT }]));
    warnings(&mut client);
    check_in_sync(&mut client, "a whole text");
    // Also in the same notification as a change that cannot be read.
    client.did_change(URI, 4, json!([{ "range": 7, "text": "x" }, { "text": TEXT }]));
    check_in_sync(&mut client, "a whole text behind a bad change");
    assert_eq!(warnings(&mut client), [""; 0]);
}

#[test]
fn damage_of_which_nothing_shows_makes_all_documents_suspect() {
    let good = body("textDocument/didChange", &change_params(2, &insertion("@")));
    let of_uri = good.replace(URI, "untitled:\\x.mg");
    let lost = format!("Content-Lenght: {}\r\n\r\n{good}", good.len());
    let framed = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let cut = framed(&good).replace(&format!(": {}", good.len()), &format!(": {}", good.len() - 5));
    for (what, bytes) in
        [("a URI", framed(&of_uri)), ("a header", lost), ("a length", cut), ("all", framed("{"))]
    {
        let mut client = with_documents();
        client.send_raw(bytes.as_bytes());
        client.did_open("untitled:c.mg", 1, TEXT);
        let suspects = [URI, OTHER, "untitled:c.mg"].map(|uri| is_suspect(&mut client, uri));
        assert_eq!(suspects, [true, true, false], "{what}");
        let warned = warnings(&mut client);
        assert!(!warned.is_empty() && warned.len() <= 2, "{what}: {warned:#?}");
        assert_eq!(edits(&mut client, OTHER), [""; 0], "{what}");
    }
}

#[test]
fn other_damaged_messages_leave_documents_alone() {
    let mut client = with_documents();
    for method in
        ["textDocument/didSave", "textDocument/hover", "mangle/query", "notebookDocument/didChange", "$/x"]
    {
        let good = body(method, &json!({ "textDocument": { "uri": URI }, "text": "@" }));
        send(&mut client, good.replace('@', "\\x").as_bytes());
        let at = good.find('@').unwrap();
        send(&mut client, &[&good.as_bytes()[..at], b"\xff", &good.as_bytes()[at + 1..]].concat());
        assert!(!is_suspect(&mut client, URI), "{method}");
    }
    assert_eq!(warnings(&mut client), [""; 0]);
    // A request is answered with the error.
    let request = json!({ "jsonrpc": "2.0", "id": 900, "method": "mangle/query", "params": { "atom": "@" } });
    let (before, after) =
        request.to_string().split_once('@').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    send(&mut client, &[before.as_bytes(), b"\xff", after.as_bytes()].concat());
    assert_eq!(client.response(900).unwrap_err()["code"], -32700);
}

#[test]
fn an_opening_that_is_lost_is_made_up_for() {
    let item = json!({ "uri": URI, "languageId": "mangle", "version": 1, "text": "@" });
    let good = body("textDocument/didOpen", &json!({ "textDocument": item }));
    let mut client = Client::open_workspace(None, pulling());
    for bad in [good.replace('@', "\\x"), good.replace("\"version\":1", "\"version\":\"1\"")] {
        send(&mut client, bad.as_bytes());
        assert!(is_suspect(&mut client, URI));
        client.did_change(URI, 2, insertion("x"));
        check_suspect(&mut client, &bad);
        client.did_close(URI);
        send(&mut client, bad.as_bytes());
        client.did_change(URI, 2, json!([{ "text": TEXT }]));
        assert!(!is_suspect(&mut client, URI));
        warnings(&mut client);
        check_in_sync(&mut client, &bad);
        client.did_close(URI);
        assert_eq!(document(&mut client, URI), Value::Null);
    }
}

#[test]
fn documents_in_other_languages_are_of_no_interest() {
    let mut client = Client::open_workspace(None, pulling());
    let document = json!({ "uri": "file:///x/a.py", "languageId": "python", "version": 1, "text": "x" });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.did_change("file:///x/a.py", 2, insertion("x"));
    client.did_change("file:///x/b.py", 2, insertion("x"));
    assert_eq!(client.status()["documents"], json!([]));
    assert_eq!(warnings(&mut client), [""; 0]);
}

#[test]
fn edits_of_the_server_name_versions() {
    let mut client = with_documents();
    client.did_change(URI, 7, insertion("# x\n"));
    let at = json!({ "line": 2, "character": 0 });
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "r" });
    let edit = client.request("textDocument/rename", params).unwrap();
    assert_eq!(edit["documentChanges"][0]["textDocument"], json!({ "uri": URI, "version": 7 }));
    client.request("workspace/executeCommand", json!({ "command": "mangle.fixWorkspace" })).unwrap();
    let sent = client.incoming("workspace/applyEdit");
    let changed = sent["params"]["edit"]["documentChanges"].as_array().unwrap().clone();
    let mut versions: Vec<_> = changed.iter().map(|edit| edit["textDocument"].to_string()).collect();
    versions.sort();
    let expected = [json!({ "uri": URI, "version": 7 }), json!({ "uri": OTHER, "version": 1 })];
    assert_eq!(versions, expected.map(|document| document.to_string()));
}

/// A JSON string of units of UTF-16, each escaped.
fn escaped(units: &[u16]) -> String {
    units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn send_text(client: &mut Client, version: i32, range: &Value, units: &[u16]) {
    let good =
        body("textDocument/didChange", &change_params(version, &json!([{ "range": range, "text": "@" }])));
    send(client, good.replace('@', &escaped(units)).as_bytes());
}

/// The position between units of UTF-16.
fn unit_position(text: &[u16], index: usize) -> Value {
    let before = &text[..index];
    let line = before.iter().filter(|unit| **unit == 10).count();
    let start = before.iter().rposition(|unit| *unit == 10).map_or(0, |at| at + 1);
    json!({ "line": line, "character": index - start })
}

#[test]
fn characters_that_are_cut_in_two_come_back() {
    let mut client = Client::open_workspace(None, with_encoding(pulling(), "utf-16"));
    let mut text: Vec<u16> = TEXT.encode_utf16().collect();
    client.did_open(URI, 0, TEXT);
    let mut dice = Dice::new(5);
    let pieces: [&[u16]; 8] =
        [&[0xd83d], &[0xde00], &[0xd83d, 0xde00], &[0x61], &[10], &[0xe9], &[0xfffd], &[0xde00, 0xd83d]];
    for version in 1..400 {
        let start = dice.below(text.len() + 1);
        let end = (start + dice.below(3)).min(text.len());
        let piece = pieces[dice.below(pieces.len())];
        let range = json!({ "start": unit_position(&text, start), "end": unit_position(&text, end) });
        send_text(&mut client, version, &range, piece);
        text.splice(start..end, piece.iter().copied());
        if version % 20 == 0 {
            let seen = document(&mut client, URI);
            assert_eq!(
                (&seen["checksum"], &seen["suspect"]),
                (&checksum(&String::from_utf16_lossy(&text)).into(), &false.into())
            );
        }
    }
    let whole = String::from_utf16_lossy(&text);
    let mut fresh = Client::open_workspace(None, with_encoding(pulling(), "utf-16"));
    fresh.did_open(URI, 0, &whole);
    assert_eq!(client.pull(URI)["items"], fresh.pull(URI)["items"]);
}

#[test]
fn halves_of_characters_keep_positions_in_every_encoding() {
    for columns in Columns::ALL {
        let mut client = Client::open_workspace(None, with_encoding(pulling(), columns.name()));
        let mut text: Vec<char> = TEXT.chars().collect();
        client.did_open(URI, 0, TEXT);
        let mut dice = Dice::new(9);
        for version in 1..200 {
            let start = dice.below(text.len() + 1);
            let end = (start + dice.below(3)).min(text.len());
            let (char, sent) =
                [('\u{fffd}', 0xd83d), ('\u{fffd}', 0xdead), ('é', 0xe9), ('\n', 10)][dice.below(4)];
            // Two halves that make a character are one in JSON, and one in UTF-16.
            let before = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&'\u{fffd}');
            let after = text.get(end) == Some(&'\u{fffd}');
            if char == '\u{fffd}' && (before || after) {
                continue;
            }
            let range =
                json!({ "start": position(&text, start, columns), "end": position(&text, end, columns) });
            send_text(&mut client, version, &range, &[sent]);
            text.splice(start..end, [char]);
        }
        let whole: String = text.iter().collect();
        let seen = document(&mut client, URI);
        assert_eq!(
            (&seen["checksum"], &seen["suspect"]),
            (&checksum(&whole).into(), &false.into()),
            "{columns:?}"
        );
        let mut fresh = Client::open_workspace(None, with_encoding(pulling(), columns.name()));
        fresh.did_open(URI, 0, &whole);
        assert_eq!(client.pull(URI)["items"], fresh.pull(URI)["items"], "{columns:?}");
    }
}

#[test]
fn halves_of_characters_in_an_opened_text_come_back() {
    let item = json!({ "uri": URI, "languageId": "mangle", "version": 1, "text": "@" });
    let good = body("textDocument/didOpen", &json!({ "textDocument": item }));
    let mut client = Client::open_workspace(None, with_encoding(pulling(), "utf-16"));
    send(&mut client, good.replace('@', "# \\ud83d\\n").as_bytes());
    assert_eq!(document(&mut client, URI)["checksum"], checksum("# \u{fffd}\n"));
    let at = json!({ "line": 0, "character": 3 });
    send_text(&mut client, 2, &json!({ "start": at, "end": at }), &[0xde00]);
    assert_eq!(document(&mut client, URI)["checksum"], checksum("# 😀\n"));
    assert!(!is_suspect(&mut client, URI));
}
