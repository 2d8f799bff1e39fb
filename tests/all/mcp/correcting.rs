//! An agent that has only these tools corrects a program: it checks, applies safe fixes to its copy, and edits by hand what has none.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::client::McpClient;
use super::example;
use crate::support::command::folder;

/// Rounds of checks until there is nothing left to apply.
const ROUNDS: usize = 12;

/// What the author meant, where a rule can only say what is wrong: file, text before, text after.
const EDITS: &[(&str, &str, &str)] = &[
    ("campaign.mg", "    !is_started(TaskID),\n    !needs_person(TaskID),\n", "    !is_started(TaskID),\n"),
    ("campaign.mg", "fn:mult(Done, 100)\n    |> let Percent", "fn:mult(Done, 100),\n       let Percent"),
    ("context.mg", "next_task(_, TaskID)", "next_step(_, TaskID)"),
    ("facts.mg", "failed too often.).", "failed too often.\")."),
    (
        "learning.mg",
        "rejection_count(Topic, Choice, Count, At) :-",
        "rejection_count(Topic, Choice, Count, LastAt) :-",
    ),
    ("learning.mg", "let At = fn:max(At)", "let LastAt = fn:max(At)"),
    (
        "learning.mg",
        "# No need to be told three times what the classifier knows.\navoid_preference(Topic, Choice) :-\n    dislike_score(Topic, Choice, Score),\n    Score > 0.8.\n",
        "",
    ),
    ("constitution.mg", "admin_override(_, Action).", "admin_override(_, Action, _)."),
    (
        "recovery.mg",
        "    hypothesis(TaskID, _, Weight)\n    |> do fn:max(Weight).",
        "    hypothesis(TaskID, _, Each)\n    |> do fn:group_by(TaskID),\n       let Weight = fn:max(Each).",
    ),
    ("recovery.mg", "hypotesis(", "hypothesis("),
    ("recovery.mg", "\nneeds_person(TaskID) :-\n    abductive_hypothesis(\"I do not know\").\n", ""),
    ("routing.mg", "!specialist(IntentID, Other)", "!has_specialist(IntentID)"),
    (
        "schemas.gl",
        "Decl attempt(TaskID, Action, At) descr [extensional()] bound [/string, /name].",
        "Decl attempt(TaskID, Action, At) descr [extensional()] bound [/string, /name, /number].",
    ),
    (
        "schemas.gl",
        "bound [/string, /bool].",
        "bound [/string, .Union<.Singleton</true>, .Singleton</false>>].",
    ),
    (
        "schemas.gl",
        "# shard_online(Shard) - routing needs to know who is there\nDecl shard_online(Shard) bound [/string].\n",
        "",
    ),
    (
        "schemas.gl",
        "Decl admin_override(User, Action) descr [extensional()] bound [/string, /name].",
        "Decl admin_override(User, Action, Until) descr [extensional()] bound [/string, /name, /number].",
    ),
];

fn copy_of_incident() -> tempfile::TempDir {
    let world = folder(&[]);
    for entry in std::fs::read_dir(example("incident")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, world.path().join(path.file_name().unwrap())).unwrap();
    }
    world
}

/// The errors and warnings of all pages.
fn findings(client: &mut McpClient) -> Vec<Value> {
    let pages = client.pages("check", &json!({}));
    let all = pages.iter().flat_map(|page| page["findings"].as_array().unwrap().clone());
    all.filter(|finding| finding["severity"] == "error" || finding["severity"] == "warning").collect()
}

/// Applies the safe fixes that do not overlap. Gives how many there were.
fn apply_safe(folder: &Path, findings: &[Value]) -> usize {
    let mut edits: BTreeMap<String, Vec<(usize, usize, String)>> = BTreeMap::new();
    let mut applied = 0;
    let safe = findings.iter().filter(|finding| finding["fix"]["applicability"] == "safe");
    for finding in safe {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let own: Vec<_> = finding["fix"]["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let file = edit["file"].as_str().unwrap().to_owned();
                (
                    file,
                    (number(&edit["start"]), number(&edit["end"]), edit["text"].as_str().unwrap().to_owned()),
                )
            })
            .collect();
        let overlaps = |(file, (start, end, _)): &(String, (usize, usize, String))| {
            let taken = edits.get(file).into_iter().flatten();
            taken.into_iter().any(|(from, to, _)| start <= to && from <= end)
        };
        if !own.iter().any(overlaps) {
            own.into_iter().for_each(|(file, edit)| edits.entry(file).or_default().push(edit));
            applied += 1;
        }
    }
    for (file, mut edits) in edits {
        let path = folder.join(file);
        let mut text = std::fs::read_to_string(&path).unwrap();
        edits.sort();
        for (start, end, new) in edits.iter().rev() {
            text.replace_range(start..end, new);
        }
        std::fs::write(path, text).unwrap();
    }
    applied
}

#[test]
fn scripted_agent_mends_the_incident() {
    let world = copy_of_incident();
    let mut client = McpClient::start(world.path(), &[]);
    let before = findings(&mut client).len();
    let mut applied = 0;
    for _ in 0..ROUNDS {
        let left = findings(&mut client);
        match apply_safe(world.path(), &left) {
            0 => break,
            more => applied += more,
        }
    }
    for (file, old, new) in EDITS {
        let path = world.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches(old).count(), 1, "{file}: {old}\n{text}");
        let text = text.replace(old, new);
        // An agent tries the text before it saves it.
        let tried = client.call("check", json!({"path": file, "text": text}));
        assert!(tried["summary"]["errors"].is_u64());
        std::fs::write(path, text).unwrap();
    }
    let left = findings(&mut client);
    let shown: Vec<_> = left
        .iter()
        .map(|finding| {
            format!("{}:{} {} {}", finding["file"], finding["line"], finding["rule"], finding["message"])
        })
        .collect();
    assert!(before > 15 && applied > 5, "{before} findings, {applied} fixes");
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}
