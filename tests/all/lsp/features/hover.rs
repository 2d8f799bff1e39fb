//! Hover.

use serde_json::json;

use crate::lsp::features::{at, crab, in_each_encoding};

const TEXT: &str = "# Says <b>hi</b>.\nDecl p(X) bound [/string].\nq(\"🦀\", X) :- p(X).\n";

#[test]
fn counts_columns_in_each_encoding_and_escapes_foreign_words() {
    let document = json!({ "hover": { "contentFormat": ["plaintext", "markdown"] } });
    in_each_encoding(&document, TEXT, |client, uri, encoding| {
        let column = 12 + crab(encoding);
        let found = client.request("textDocument/hover", at(uri, 2, column)).unwrap();
        let end = json!({ "line": 2, "character": column + 1 });
        assert_eq!(found["range"], json!({ "start": { "line": 2, "character": column }, "end": end }));
        assert_eq!(found["contents"]["kind"], "markdown");
        let text = found["contents"]["value"].as_str().unwrap();
        assert!(text.starts_with("```mangle\np(X: /string)\n```"), "{text}");
        assert!(text.contains("Says \\<b\\>hi\\</b\\>."), "{text}");
    });
}

#[test]
fn plain_text_for_those_who_show_no_markdown() {
    in_each_encoding(&json!({}), TEXT, |client, uri, _| {
        let found = client.request("textDocument/hover", at(uri, 1, 5)).unwrap();
        assert_eq!(found["contents"]["kind"], "plaintext");
        let text = found["contents"]["value"].as_str().unwrap();
        assert!(text.contains("Says <b>hi</b>."), "{text}");
    });
}

#[test]
fn nothing_where_nothing_is() {
    in_each_encoding(&json!({}), TEXT, |client, uri, _| {
        assert!(client.request("textDocument/hover", at(uri, 0, 3)).unwrap().is_null());
        assert!(client.request("textDocument/hover", at(uri, 99, 99)).unwrap().is_null());
        assert!(client.request("textDocument/hover", at("file:///nowhere.mg", 0, 0)).unwrap().is_null());
    });
}
