//! What a server says of a state: findings, and answers at some places.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::oracle::model::Model;
use crate::oracle::session::Server;
use crate::oracle::text::{Dice, position};

/// The questions about places and documents that are compared.
pub(crate) const QUESTIONS: [&str; 9] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/semanticTokens/full",
    "textDocument/formatting",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/prepareRename",
];

/// How many places of each document are asked about.
const PLACES: usize = 2;

/// The answers of a server, by what was asked.
pub(crate) type Answers = BTreeMap<String, Value>;

/// Where two parties differ.
#[derive(Debug)]
pub(crate) struct Difference(pub(crate) String);

/// The parameters of any of [`QUESTIONS`].
pub(crate) fn parameters(name: &str, at: &Value) -> Value {
    json!({
        "textDocument": { "uri": name },
        "position": at,
        "context": { "includeDeclaration": true },
        "options": { "tabSize": 4, "insertSpaces": true },
    })
}

/// Asks a server for all that is compared.
pub(crate) fn answers(server: &mut Server, model: &Model, root: &str, pull: bool, seed: u64) -> Answers {
    let mut answers = Answers::new();
    let mut dice = Dice::new(seed);
    // Answered when programs are evaluated.
    let _ = server.client.request("mangle/query", json!({ "atom": "p(X)" }));
    for (name, editor) in &model.open {
        let uri = name.uri(root);
        if pull {
            answers.insert(format!("findings of {uri}"), server.client.pull(&uri)["items"].take());
        }
        for _ in 0..PLACES {
            let at = position(&editor.text, dice.below(editor.text.len() + 1), model.columns);
            for method in QUESTIONS {
                let answer = ask(server, method, &parameters(&uri, &at));
                answers.insert(format!("{method} at {at} of {uri}"), answer);
            }
        }
    }
    let symbols = ask(server, "workspace/symbol", &json!({ "query": "" }));
    answers.insert("workspace/symbol".into(), symbols);
    answers.insert("mangle/graph".into(), ask(server, "mangle/graph", &json!({})));
    server.listen();
    for (uri, list) in &server.pushed {
        let is_pulled = pull && model.open.keys().any(|name| name.uri(root) == *uri);
        if !is_pulled {
            answers.insert(format!("findings of {uri}"), list.clone());
        }
    }
    answers.retain(|what, answer| {
        !what.starts_with("findings") || answer.as_array().is_none_or(|list| !list.is_empty())
    });
    answers
}

fn ask(server: &mut Server, method: &str, parameters: &Value) -> Value {
    let mut answer = server.client.request(method, parameters.clone()).unwrap_or_else(|error| error);
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("resultId");
    }
    answer
}

/// The first difference between the answers of the server and those of another party.
pub(crate) fn first_difference(old: &Answers, new: &Answers, other: &str) -> Option<Difference> {
    let what = old.keys().chain(new.keys()).find(|what| old.get(*what) != new.get(*what))?;
    let show = |answers: &Answers| answers.get(what).map_or_else(|| "nothing".into(), Value::to_string);
    Some(Difference(format!("{what}\nthe long-lived server: {}\n{other}: {}", show(old), show(new))))
}
