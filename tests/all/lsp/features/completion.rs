//! Completion.

use serde_json::{Value, json};

use crate::lsp::features::client::Client;
use crate::lsp::features::{at, crab, in_each_encoding};

/// The place behind `pr` of the last line is completed.
const TEXT: &str = "Decl prize(Name, Year) descr [doc(\"What was won.\")].\nq(X) :- r(\"🦀\", X), pr\n";

fn prize(client: &mut Client, uri: &str, encoding: &str) -> Value {
    let found = client.request("textDocument/completion", at(uri, 1, 20 + crab(encoding))).unwrap();
    let items = found["items"].as_array().unwrap();
    items.iter().find(|item| item["label"] == "prize").unwrap_or_else(|| panic!("{found}")).clone()
}

fn range(from: u64, to: u64) -> Value {
    json!({ "start": { "line": 1, "character": from }, "end": { "line": 1, "character": to } })
}

#[test]
fn a_rich_client_gets_snippets_details_and_documentation_later() {
    let able = json!({ "completion": { "completionItem": {
        "snippetSupport": true,
        "labelDetailsSupport": true,
        "insertReplaceSupport": true,
        "documentationFormat": ["markdown"],
        "resolveSupport": { "properties": ["documentation", "detail"] },
    } } });
    in_each_encoding(&able, TEXT, |client, uri, encoding| {
        let item = prize(client, uri, encoding);
        let word = range(18 + crab(encoding), 20 + crab(encoding));
        assert_eq!(item["textEdit"]["insert"], word);
        assert_eq!(item["textEdit"]["replace"], word);
        assert_eq!(item["textEdit"]["newText"], "prize(${1:Name}, ${2:Year})");
        assert_eq!(item["insertTextFormat"], 2);
        assert_eq!(item["labelDetails"]["detail"], "(Name, Year)");
        assert!(item.get("documentation").is_none());
        let resolved = client.request("completionItem/resolve", item).unwrap();
        assert_eq!(resolved["documentation"]["kind"], "markdown");
        assert!(resolved["documentation"]["value"].as_str().unwrap().contains("What was won."), "{resolved}");
    });
}

#[test]
fn a_plain_client_gets_plain_text_and_all_of_it_at_once() {
    in_each_encoding(&json!({ "completion": {} }), TEXT, |client, uri, encoding| {
        let item = prize(client, uri, encoding);
        assert_eq!(item["textEdit"]["range"], range(18 + crab(encoding), 20 + crab(encoding)));
        assert!(!item["textEdit"]["newText"].as_str().unwrap().contains('$'), "{item}");
        for member in ["insertTextFormat", "labelDetails", "data", "tags"] {
            assert!(item.get(member).is_none(), "{member} in {item}");
        }
        assert_eq!(item["documentation"]["kind"], "plaintext");
        assert!(item["documentation"]["value"].as_str().unwrap().contains("What was won."), "{item}");
    });
}
