//! `mangle/preview`, `mangle-preview:` and the lenses of sample kernels.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const KERNEL: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/prompts/fix-auth.kernel.mg"));
const POLICY: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/prompts/policy.mg"));

fn opened() -> (Folder, Client, String) {
    let folder = Folder::new(&[
        ("fix-auth.kernel.mg", KERNEL),
        (
            "fix-auth.session.yaml",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/prompts/fix-auth.session.yaml")),
        ),
        (
            "mangle-ls.toml",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/prompts/mangle-ls.toml")),
        ),
        ("policy.mg", POLICY),
        ("schemas.gl", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/prompts/schemas.gl"))),
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
    assert!(none["text"].as_str().unwrap().starts_with("This file has no `# @preview` comments"), "{none}");
    assert!(client.request("mangle/virtualDocument", json!({ "uri": "mangle-preview:/none" })).is_err());
    assert!(client.shut_down().success());
}

#[test]
fn lenses_show_prompts() {
    let (folder, mut client, uri) = opened();
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
    // A shard that no comment asks for, and the templates of types.
    let policy = "shard_prompt_base(/coder, \"You code.\").\nactive_shard(\"coder-9\", /coder).\n";
    client.did_open(&folder.uri("policy.mg"), 1, &format!("{policy}{POLICY}"));
    let document = json!({ "textDocument": { "uri": folder.uri("policy.mg") } });
    let more = client.request("textDocument/codeLens", document).unwrap();
    let more = more.as_array().unwrap().iter().filter(|lens| lens["command"]["command"] == "mangle.preview");
    let more: Vec<_> =
        more.map(|lens| (&lens["command"]["title"], &lens["command"]["arguments"][0])).collect();
    assert_eq!(more[0], (&json!("Preview fix-auth"), &json!({ "uri": uri, "name": "fix-auth" })));
    let nine = json!({ "uri": uri, "name": "fix-auth", "shard": ["coder-9", "coder"] });
    assert_eq!(more[1], (&json!("Preview coder-9"), &nine));
    let command = &lenses[2]["command"];
    let run = json!({ "command": command["command"], "arguments": command["arguments"] });
    let answer = client.request("workspace/executeCommand", run).unwrap();
    assert_eq!(answer["name"], "test-auth");
    let shown = client.incoming("window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("test-auth for tester-1 (section): "), "{message}");
    assert!(client.shut_down().success());
}

const TWO_WAYS: &str = "\
# @preview shard: coder-7 coder
# @preview name: told
# @preview session: told.session.yaml
# @preview name: compiled
# @preview mode: jit(atoms=atoms)
injectable_context(\"*\", \"One repository.\").
";

const ATOMS: &str = "- {id: who, category: identity, is_mandatory: true, content: You write code.}\n";

fn open_as(client: &mut Client, uri: &str, language: &str, text: &str) {
    client.did_open_as(uri, language, 1, text);
}

/// The text of a prompt once the client was told that it is another one.
fn told(client: &mut Client, preview: &str) -> String {
    client.wait(preview, |message| {
        message["method"] == "mangle/virtualDocumentChanged" && message["params"]["uri"] == preview
    });
    virtual_document(client, preview)["text"].as_str().unwrap().to_owned()
}

#[test]
fn sessions_and_atoms_count_as_they_are_in_the_editor() {
    let folder = Folder::new(&[
        ("x.kernel.mg", TWO_WAYS),
        ("told.session.yaml", "recent_findings: [from the disk]\n"),
        ("atoms/a.yaml", ATOMS),
        ("mangle-ls.toml", ""),
    ]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    client.did_open(&folder.uri("x.kernel.mg"), 1, TWO_WAYS);
    let of = folder.uri("x.kernel.mg");
    let (session, compiled) =
        (format!("mangle-preview:/told?of={of}"), format!("mangle-preview:/compiled?of={of}"));
    let made = virtual_document(&mut client, &session);
    assert!(made["text"].as_str().unwrap().contains("from the disk"), "{made}");
    let uri = folder.uri("told.session.yaml");
    open_as(&mut client, &uri, "yaml", "recent_findings: [from the editor]\n");
    assert!(told(&mut client, &session).contains("from the editor"));
    let range = json!({ "start": { "line": 0, "character": 18 }, "end": { "line": 0, "character": 22 } });
    client.did_change(&uri, 2, json!([{ "range": range, "text": "typed in" }]));
    let made = told(&mut client, &session);
    assert!(made.contains("typed in the editor"), "{made}");
    client.did_close(&uri);
    assert!(told(&mut client, &session).contains("from the disk"));
    // A file of atoms, open and not saved; then one that is new on disk, and one that is gone.
    let made = virtual_document(&mut client, &compiled);
    assert!(made["text"].as_str().unwrap().contains("You write code."), "{made}");
    open_as(&mut client, &folder.uri("atoms/a.yaml"), "yaml", &ATOMS.replace("code", "poems"));
    assert!(told(&mut client, &compiled).contains("You write poems."));
    client.did_close(&folder.uri("atoms/a.yaml"));
    assert!(told(&mut client, &compiled).contains("You write code."));
    let more = "- {id: how, category: methodology, is_mandatory: true, content: Test it.}\n";
    folder.write("atoms/b.yaml", more);
    let event = |kind: u8| json!({ "changes": [{ "uri": folder.uri("atoms/b.yaml"), "type": kind }] });
    client.notify("workspace/didChangeWatchedFiles", event(1));
    assert!(told(&mut client, &compiled).contains("Test it."));
    folder.remove("atoms/b.yaml");
    client.notify("workspace/didChangeWatchedFiles", event(3));
    assert!(!told(&mut client, &compiled).contains("Test it."));
    assert!(client.shut_down().success());
}

/// What a hover says at the first place where a text stands, once it says what is wanted.
fn hovered(client: &mut Client, uri: &str, text: &str, at: &str, wanted: &str) -> String {
    let line = text.lines().position(|line| line.contains(at)).unwrap();
    let character = text.lines().nth(line).unwrap().find(at).unwrap() + 1;
    let params =
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    let start = std::time::Instant::now();
    loop {
        let answer = client.request("textDocument/hover", params.clone());
        let said = answer.map(|found| found["contents"]["value"].as_str().unwrap_or_default().to_owned());
        let said = said.unwrap_or_default();
        if said.contains(wanted) || start.elapsed().as_secs() > 20 {
            return said;
        }
    }
}

#[test]
fn what_feeds_a_prompt_shows_its_lines() {
    let (folder, mut client, kernel) = opened();
    let (policy, session) = (folder.uri("policy.mg"), folder.uri("fix-auth.session.yaml"));
    client.did_open(&policy, 1, POLICY);
    let said =
        hovered(&mut client, &policy, POLICY, "injectable_context(", "In the prompt fix-auth (coder-7)");
    assert!(
        said.contains("of fix-auth.kernel.mg, mode legacy, section context") && said.contains("\n> - "),
        "{said}"
    );
    let said = hovered(&mut client, &kernel, KERNEL, "test_state(", "In the prompt");
    assert!(said.contains("Tests are failing"), "{said}");
    // A value of the session, in a document that is open.
    let text = std::fs::read_to_string(folder.path().join("fix-auth.session.yaml")).unwrap();
    open_as(&mut client, &session, "yaml", &text);
    let value = text.lines().find_map(|line| line.trim().strip_prefix("- ")).unwrap().to_owned();
    let said = hovered(&mut client, &session, &text, &value, "In the prompt");
    assert!(said.contains("section session"), "{said}");
    assert!(client.shut_down().success());
}

#[test]
fn findings_about_prompts_come_while_one_types() {
    let kernel = TWO_WAYS.replace("\"*\"", "/coder");
    let folder = Folder::new(&[
        ("x.kernel.mg", &kernel),
        ("told.session.yaml", "recent_finding: [x]\n"),
        ("atoms/a.yaml", &ATOMS.replace("identity", "identiti")),
        (
            "mangle-ls.toml",
            "[rules]\nprompts = \"off\"\n\"PP003\" = \"warning\"\n\"PP024\" = \"warning\"\n\"PP064\" = \"error\"\n",
        ),
    ]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("x.kernel.mg");
    client.did_open(&uri, 1, &kernel);
    let codes = |client: &mut Client, uri: &str| {
        client.pull_until(uri, 1);
        let items = client.pull(uri)["items"].take();
        items
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["code"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&mut client, &uri), ["wrong-key-kind"]);
    // Those of files that are not open are pushed.
    for (name, code) in [("told.session.yaml", "session-key"), ("atoms/a.yaml", "atom-category")] {
        let told = client.wait(name, |message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == folder.uri(name)
        });
        assert_eq!(told["params"]["diagnostics"][0]["code"], code, "{told}");
    }
    // What is typed counts.
    let atoms = folder.uri("atoms/a.yaml");
    open_as(&mut client, &atoms, "yaml", &ATOMS.replace("identity", "identitty"));
    assert_eq!(codes(&mut client, &atoms), ["atom-category"]);
    client.did_change(&atoms, 2, json!([{ "text": ATOMS }]));
    while client.pull(&atoms)["items"].as_array().is_some_and(|items| !items.is_empty()) {}
    assert!(client.shut_down().success());
}

#[test]
fn atoms_are_checked_without_a_kernel() {
    let wrong = ATOMS.replace("identity", "identiti");
    let folder =
        Folder::new(&[("mangle-ls.toml", "[prompt]\natoms = [\"atoms\"]\n"), ("atoms/a.yaml", &wrong)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("atoms/a.yaml");
    open_as(&mut client, &uri, "yaml", &wrong);
    client.pull_until(&uri, 1);
    let items = client.pull(&uri)["items"].take();
    assert_eq!(items[0]["code"], "atom-category", "{items}");
    client.did_change(&uri, 2, json!([{ "text": ATOMS }]));
    while client.pull(&uri)["items"].as_array().is_some_and(|items| !items.is_empty()) {}
    assert!(client.shut_down().success());
}
