//! Formatting a document, a selection, and while somebody types: the edits, put into the text as a client does it, give
//! the formatted text, in every encoding.

use serde_json::{Value, json};

use crate::lsp::features::client::{Client, Folder, with_encoding};
use crate::lsp::features::in_each_encoding;

const UGLY: &str = "# 🦀\r\np( \"🦀\",  /a ) .  # 🦀\r\n\r\n\r\n\r\n\r\nq(X):-p(X,_),\r\n  r( \"🦀\",X ).\r\nbroken( X :- .\r\nr(1,  2).";
const PRETTY: &str = "# 🦀\r\np(\"🦀\", /a).  # 🦀\r\n\r\n\r\nq(X) :-\r\n    p(X, _),\r\n    r(\"🦀\", X).\r\nbroken( X :- .\r\nr(1, 2).\r\n";

/// The offset of a position, which must be one.
fn offset(text: &str, position: &Value, encoding: &str) -> usize {
    let number = |key: &str| usize::try_from(position[key].as_u64().unwrap()).unwrap();
    let start = text.split_inclusive('\n').take(number("line")).map(str::len).sum::<usize>();
    let line = text[start..].split('\n').next().unwrap();
    let units = |char: char| match encoding {
        "utf-8" => char.len_utf8(),
        "utf-16" => char.len_utf16(),
        _ => 1,
    };
    let mut column = 0;
    for (at, char) in line.char_indices() {
        if column == number("character") {
            return start + at;
        }
        column += units(char);
    }
    assert_eq!(column, number("character"), "{position} is in the middle of a character");
    start + line.len()
}

/// The text after edits, which must not overlap.
fn applied(text: &str, edits: &Value, encoding: &str) -> String {
    let place = |edit: &Value| {
        let [start, end] = ["start", "end"].map(|key| offset(text, &edit["range"][key], encoding));
        (start, end, edit["newText"].as_str().unwrap().to_owned())
    };
    let mut edits: Vec<_> = edits.as_array().unwrap().iter().map(place).collect();
    edits.sort();
    let mut new = String::new();
    let mut at = 0;
    for (start, end, replacement) in edits {
        assert!(at <= start && start <= end, "edits overlap");
        new.push_str(&text[at..start]);
        new.push_str(&replacement);
        at = end;
    }
    new + &text[at..]
}

/// What an editor says of itself, which does not count.
fn options() -> Value {
    json!({ "tabSize": 8, "insertSpaces": false })
}

fn format(client: &mut Client, uri: &str) -> Result<Value, Value> {
    let params = json!({ "textDocument": { "uri": uri }, "options": options() });
    client.request("textDocument/formatting", params)
}

#[test]
fn a_document() {
    in_each_encoding(&json!({}), UGLY, |client, uri, encoding| {
        let edits = format(client, uri).unwrap();
        assert_eq!(applied(UGLY, &edits, encoding), PRETTY);
        let longest =
            edits.as_array().unwrap().iter().map(|edit| edit["newText"].as_str().unwrap().len()).max();
        assert!(longest < Some(10), "edits are small");
        let change = json!([{ "text": PRETTY }]);
        client.did_change(uri, 2, change);
        assert_eq!(format(client, uri).unwrap(), json!([]));
    });
}

#[test]
fn a_selection() {
    in_each_encoding(&json!({}), UGLY, |client, uri, encoding| {
        let range = json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 7, "character": 3 } });
        let params = json!({ "textDocument": { "uri": uri }, "range": range, "options": options() });
        let edits = client.request("textDocument/rangeFormatting", params).unwrap();
        let expected =
            UGLY.replace("q(X):-p(X,_),\r\n  r( \"🦀\",X ).", "q(X) :-\r\n    p(X, _),\r\n    r(\"🦀\", X).");
        assert_eq!(applied(UGLY, &edits, encoding), expected);
    });
}

#[test]
fn while_somebody_types() {
    let text = "r( 1 ).\r\np(\"🦀\",X) :- q(X),\r\n\r\n";
    in_each_encoding(&json!({}), text, |client, uri, encoding| {
        let mut typed = |line: u64, character: u64, key: &str| {
            let position = json!({ "line": line, "character": character });
            let params = json!({ "textDocument": { "uri": uri }, "position": position, "ch": key, "options": options() });
            client.request("textDocument/onTypeFormatting", params).unwrap()
        };
        assert_eq!(applied(text, &typed(2, 0, "\n"), encoding), text.replace("\r\n\r\n", "\r\n    \r\n"));
        assert_eq!(applied(text, &typed(0, 7, "."), encoding), text.replace("( 1 )", "(1)"));
        assert!(typed(99, 99, "\n").is_array());
        assert_eq!(typed(0, 3, "x"), json!([]));
    });
}

#[test]
fn the_settings_of_the_project_count() {
    let folder = Folder::new(&[("mangle-ls.toml", "[format]\nindent = 2\n"), ("a.mg", UGLY)]);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(json!({}), "utf-16"));
    let uri = folder.uri("a.mg");
    client.did_open(&uri, 1, UGLY);
    let edits = format(&mut client, &uri).unwrap();
    assert_eq!(applied(UGLY, &edits, "utf-16"), PRETTY.replace("\r\n    ", "\r\n  "));
    assert!(client.shut_down().success());
}

/// A file that changed on disk, in the editor, or that nobody knows any more.
#[test]
fn documents_that_we_may_not_touch() {
    let folder = Folder::new(&[("a.mg", UGLY), ("mangle-ls.toml", "")]);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(json!({}), "utf-16"));
    assert_eq!(format(&mut client, "untitled:nobody.mg").unwrap(), Value::Null);
    let uri = folder.uri("a.mg");
    client.did_open(&uri, 1, UGLY);
    let lost = json!([{ "range": { "start": { "line": 900, "character": 0 }, "end": { "line": 901, "character": 0 } }, "text": "" }]);
    client.did_change(&uri, 2, lost);
    assert_eq!(format(&mut client, &uri).unwrap(), Value::Null, "the document is suspect");
    client.did_change(&uri, 3, json!([{ "text": "p( 1 ).\n" }]));
    assert_eq!(applied("p( 1 ).\n", &format(&mut client, &uri).unwrap(), "utf-16"), "p(1).\n");
    // An answer is for the text of its moment, or refused.
    let params = json!({ "textDocument": { "uri": uri }, "options": options() });
    let asked = client.ask("textDocument/formatting", params);
    client.did_change(&uri, 4, json!([{ "text": "q( 2 ).\n" }]));
    match client.response(asked) {
        Ok(edits) => assert_eq!(applied("p( 1 ).\n", &edits, "utf-16"), "p(1).\n"),
        Err(error) => assert_eq!(error["code"], -32801),
    }
    assert!(client.shut_down().success());
}
