//! `mangle/preview`, `mangle-preview:` and the lenses of sample kernels.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const KERNEL: &str = include_str!("../../examples/prompts/fix-auth.kernel.mg");
const POLICY: &str = include_str!("../../examples/prompts/policy.mg");

fn opened() -> (Folder, Client, String) {
    let folder = Folder::new(&[
        ("fix-auth.kernel.mg", KERNEL),
        ("fix-auth.session.yaml", include_str!("../../examples/prompts/fix-auth.session.yaml")),
        ("mangle-ls.toml", include_str!("../../examples/prompts/mangle-ls.toml")),
        ("policy.mg", POLICY),
        ("schemas.gl", include_str!("../../examples/prompts/schemas.gl")),
    ]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("fix-auth.kernel.mg");
    client.did_open(&uri, 1, KERNEL);
    (folder, client, uri)
}

fn virtual_document(client: &mut Client, uri: &str) -> Value {
    loop {
        match client.request("mangle/virtualDocument", json!({ "uri": uri })) {
            // The kernel was closed, and is read again.
            Err(error) if error["code"] == -32801 => {}
            answer => return answer.unwrap(),
        }
    }
}

/// The lines of a text that a range of whole lines or less covers.
fn covered(text: &str, range: &Value) -> String {
    let number = |end: &str, what: &str| usize::try_from(range[end][what].as_u64().unwrap()).unwrap();
    let (first, last) = (number("start", "line"), number("end", "line"));
    let lines: Vec<_> = text.lines().skip(first).take(last - first + 1).collect();
    lines.join("\n")
}

#[test]
fn previews_answer_as_the_command_line_does() {
    let (folder, mut client, uri) = opened();
    let answer = client.request("mangle/preview", json!({ "uri": uri, "provenance": true })).unwrap();
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["preview", "--format", "json", "--provenance", "fix-auth.kernel.mg"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let expected: Value = serde_json::from_slice(&command.stdout).unwrap();
    assert_eq!(answer, expected);
    let one = client.request("mangle/preview", json!({ "uri": uri, "name": "test-auth" })).unwrap();
    assert_eq!(one["shard"], "tester-1");
    // Another shard, and the words of a turn.
    let turn = json!({ "uri": uri, "name": "fix-auth", "part": "turn", "shard": ["coder-9", "coder"] });
    let turn = client.request("mangle/preview", turn).unwrap();
    assert_eq!((&turn["shard"], &turn["mode"]), (&json!("coder-9"), &json!("turn")));
    assert!(turn.to_string().contains("Please mend the renewal"), "{turn}");
    let unknown = client.request("mangle/preview", json!({ "uri": uri, "name": "none" })).unwrap();
    assert_eq!(unknown, json!([]));
    assert!(client.request("mangle/preview", json!({ "uri": uri, "mode": "loud" })).is_err());
    assert!(client.shut_down().success());
}

#[test]
fn a_prompt_follows_typing_and_leads_to_its_origins() {
    let (folder, mut client, uri) = opened();
    let (policy, preview) = (folder.uri("policy.mg"), "mangle-preview:/fix-auth");
    client.did_open(&policy, 1, POLICY);
    let made = virtual_document(&mut client, preview);
    let text = made["text"].as_str().unwrap();
    assert!(text.contains("Tests are failing: mend them"), "{text}");
    let origins = made["origins"].as_array().unwrap();
    let kinds: std::collections::BTreeSet<_> =
        origins.iter().map(|origin| origin["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["derived", "fact", "intent", "session"]);
    for origin in origins {
        let (line, place) = (covered(text, &origin["range"]), &origin["location"]);
        let name = place["uri"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let source = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        assert!(!line.is_empty() && !covered(&source, &place["range"]).is_empty(), "{origin}");
    }
    let session = origins.iter().find(|origin| origin["kind"] == "session").unwrap();
    assert!(session["location"]["uri"].as_str().unwrap().ends_with("fix-auth.session.yaml"));
    let folds = made["folds"].as_array().unwrap();
    assert!(folds.iter().any(|fold| fold["title"] == "context"), "{folds:?}");
    // A rule is typed in: whoever asked is told, and sees it.
    let line = POLICY.lines().position(|line| line.contains("Tests are failing")).unwrap();
    let at = POLICY.lines().nth(line).unwrap().find("failing").unwrap();
    let range =
        json!({ "start": { "line": line, "character": at }, "end": { "line": line, "character": at + 7 } });
    client.did_change(&policy, 2, json!([{ "range": range, "text": "red" }]));
    assert_eq!(client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], preview);
    let made = virtual_document(&mut client, preview);
    assert!(made["text"].as_str().unwrap().contains("Tests are red: mend them"), "{made}");
    // As does a fact of the sample, whoever is named.
    let named = format!("{preview}?mode=section&of={uri}");
    let before = virtual_document(&mut client, &named);
    let place = json!({ "line": KERNEL.lines().count(), "character": 0 });
    let fact = "injectable_context(\"coder-7\", \"One more.\").\n";
    client.did_change(&uri, 2, json!([{ "range": { "start": place, "end": place }, "text": fact }]));
    let after = virtual_document(&mut client, &named);
    assert!(!before["text"].as_str().unwrap().contains("One more."));
    assert!(after["text"].as_str().unwrap().contains("One more."), "{after}");
    // It lives on without its kernel, as long as a policy is open.
    client.did_close(&uri);
    virtual_document(&mut client, preview);
    client.did_change(&policy, 3, json!([{ "text": POLICY }]));
    let told = client.wait("the prompt", |message| message["params"]["uri"] == preview);
    assert_eq!(told["method"], "mangle/virtualDocumentChanged");
    // What its session knows is read again when that changes on disk.
    folder.write("fix-auth.session.yaml", "recent_findings:\n  - the clock is back\n");
    let change = json!({ "changes": [{ "uri": folder.uri("fix-auth.session.yaml"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", change);
    let made = virtual_document(&mut client, preview);
    assert!(made["text"].as_str().unwrap().contains("the clock is back"), "{made}");
    let none = virtual_document(&mut client, &format!("mangle-preview:/none?of={uri}"));
    assert!(none["text"].as_str().unwrap().starts_with("No `# @preview` comments"), "{none}");
    assert!(client.request("mangle/virtualDocument", json!({ "uri": "mangle-preview:/none" })).is_err());
    assert!(client.shut_down().success());
}

#[test]
fn lenses_show_prompts() {
    let (_folder, mut client, uri) = opened();
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", document).unwrap();
    let lenses: Vec<_> = lenses
        .as_array()
        .unwrap()
        .iter()
        .filter(|lens| lens["command"]["command"] == "mangle.preview")
        .collect();
    let said: Vec<_> = lenses
        .iter()
        .map(|lens| {
            (lens["range"]["start"]["line"].as_u64().unwrap(), lens["command"]["title"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        said,
        [(0, "Preview prompt"), (0, "Preview turn input"), (4, "Preview prompt"), (4, "Preview turn input")]
    );
    let command = &lenses[2]["command"];
    let run = json!({ "command": command["command"], "arguments": command["arguments"] });
    let answer = client.request("workspace/executeCommand", run).unwrap();
    assert_eq!(answer["name"], "test-auth");
    let shown = client.incoming("window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("test-auth for tester-1 (section): "), "{message}");
    assert!(client.shut_down().success());
}
