//! What follows from the shape of the text alone: semantic tokens, folding, selection.

use serde_json::{Value, json};

use crate::lsp::features::client::Client;
use crate::lsp::features::{crab, in_each_encoding};

const TEXT: &str = "p(\"🦀\", /a). # 🦀\r\nq(X) :-\r\n  !p(\"a\r\nb\", X).\r\n";

fn showing_tokens() -> Value {
    json!({ "semanticTokens": {
        "requests": { "full": { "delta": true }, "range": true },
        "tokenTypes": ["function", "string", "comment", "operator", "variable"],
        "tokenModifiers": ["definition", "negated"],
        "formats": ["relative"],
    } })
}

/// `line:column+length type modifiers` of each token.
fn decoded(data: &Value) -> Vec<String> {
    let types = ["comment", "operator", "string", "function", "variable"];
    let numbers: Vec<_> = data.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let token = |token: &[u64]| {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        format!("{line}:{column}+{} {} {}", token[2], types[usize::try_from(token[3]).unwrap()], token[4])
    };
    numbers.chunks(5).map(token).collect()
}

fn full(client: &mut Client, uri: &str) -> Value {
    client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } })).unwrap()
}

#[test]
fn tokens_are_of_the_types_that_the_client_knows() {
    in_each_encoding(&showing_tokens(), TEXT, |client, uri, encoding| {
        let crab = crab(encoding);
        let expected = [
            "0:0+1 function 1".to_owned(),
            format!("0:2+{} string 0", crab + 2),
            format!("0:{}+2 string 0", crab + 6),
            format!("0:{}+{} comment 0", crab + 11, crab + 2),
            "1:0+1 function 1".to_owned(),
            "1:2+1 variable 0".to_owned(),
            "1:5+2 operator 0".to_owned(),
            "2:2+1 operator 0".to_owned(),
            "2:3+1 function 2".to_owned(),
            "2:5+2 string 0".to_owned(),
            "3:0+2 string 0".to_owned(),
            "3:4+1 variable 0".to_owned(),
        ];
        assert_eq!(decoded(&full(client, uri)["data"]), expected);
        let line = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 9 } });
        let params = json!({ "textDocument": { "uri": uri }, "range": line });
        let part = client.request("textDocument/semanticTokens/range", params).unwrap();
        assert_eq!(decoded(&part["data"]), expected[4..7]);
    });
}

#[test]
fn a_delta_leads_from_the_old_tokens_to_the_new() {
    in_each_encoding(&showing_tokens(), TEXT, |client, uri, _| {
        let old = full(client, uri);
        let start = json!({ "line": 1, "character": 7 });
        let change = json!([{ "range": { "start": start, "end": start }, "text": " r(X)," }]);
        client.did_change(uri, 2, change);
        let ask = |client: &mut Client, id: &Value| {
            let params = json!({ "textDocument": { "uri": uri }, "previousResultId": id });
            client.request("textDocument/semanticTokens/full/delta", params).unwrap()
        };
        let delta = ask(client, &old["resultId"]);
        let mut data: Vec<_> = old["data"].as_array().unwrap().clone();
        for edit in delta["edits"].as_array().unwrap() {
            let [start, count] = ["start", "deleteCount"].map(|key| edit[key].as_u64().unwrap() as usize);
            data.splice(start..start + count, edit["data"].as_array().cloned().unwrap_or_default());
        }
        let new = full(client, uri);
        assert_eq!(Value::from(data), new["data"]);
        assert_eq!(ask(client, &new["resultId"])["edits"], json!([]));
        assert!(ask(client, &json!("unknown"))["data"].is_array());
    });
}

#[test]
fn no_tokens_for_a_client_that_shows_none() {
    in_each_encoding(&json!({}), TEXT, |client, uri, _| assert!(full(client, uri).is_null()));
}

#[test]
fn folds_by_line_where_the_client_wants_that() {
    let by_line = json!({ "foldingRange": { "lineFoldingOnly": true } });
    let fold = |client: &mut Client, uri: &str| {
        client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } })).unwrap()
    };
    in_each_encoding(&by_line, TEXT, |client, uri, _| {
        assert_eq!(
            fold(client, uri),
            json!([{ "startLine": 1, "endLine": 3 }, { "startLine": 2, "endLine": 3 }])
        );
    });
    in_each_encoding(&json!({}), TEXT, |client, uri, _| {
        let range = |line, start, end| json!({ "startLine": line, "startCharacter": start, "endLine": 3, "endCharacter": end });
        assert_eq!(fold(client, uri), json!([range(1, 7, 7), range(2, 5, 5)]));
    });
}

#[test]
fn selections_grow_from_each_position() {
    in_each_encoding(&json!({}), TEXT, |client, uri, encoding| {
        let column = 7 + crab(encoding);
        let positions = json!([{ "line": 0, "character": column }, { "line": 9, "character": 9 }]);
        let params = json!({ "textDocument": { "uri": uri }, "positions": positions });
        let chains = client.request("textDocument/selectionRange", params).unwrap();
        let [first, second] = chains.as_array().unwrap().as_slice() else { panic!("{chains}") };
        assert_eq!(first["range"]["start"], json!({ "line": 0, "character": column - 1 }));
        assert_eq!(first["range"]["end"], json!({ "line": 0, "character": column + 1 }));
        assert_eq!(first["parent"]["range"]["start"], json!({ "line": 0, "character": 0 }));
        assert_eq!(second["range"]["end"], json!({ "line": 4, "character": 0 }));
    });
}
