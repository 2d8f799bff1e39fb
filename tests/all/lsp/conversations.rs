//! Conversations in an editor, over the real binary: findings, fixes, hovers and targets are those of the transcript.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, with_encoding};

const SCHEMAS: &str = "# How a task stands.\nDecl task_status(Task, Status) bound [/string, /name].\n";

const POLICY: &str = "open(T) :- task_status(T, /open).\n";

/// A reply in a chat record: an update with a character beyond the basic plane, one that is lost, and a correction.
fn reply(surface: &str) -> String {
    let reply = json!({
        "control_packet": {
            "intent_classification": { "category": "/mutation", "verb": "/fix", "target": "policy.mg" },
            "mangle_updates": ["task_status(\"🦀\", /done).", "task_status(\"b\", /open)"],
            "self_correction": { "triggered": true, "hypothesis": "the lock" },
        },
        "surface_response": surface,
    });
    format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() }))
}

fn prompt() -> String {
    format!("{}\n", json!({ "role": "user", "content": "Is it fixed?" }))
}

/// A transcript that is open, and its conversation.
struct Opened {
    client: Client,
    folder: Folder,
    uri: String,
    text: String,
    address: String,
}

impl Opened {
    fn new(text: &str) -> Self {
        let folder =
            Folder::new(&[("schemas.gl", SCHEMAS), ("policy.mg", POLICY), ("transcripts/a.jsonl", text)]);
        let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
        let uri = folder.uri("transcripts/a.jsonl");
        client.did_open_as(&uri, "jsonl", 1, text);
        let address = format!("mangle-conversation:/1?of={uri}");
        Self { client, folder, uri, text: text.to_owned(), address }
    }

    fn made(&mut self) -> Value {
        self.client.request("mangle/virtualDocument", json!({ "uri": self.address })).unwrap()
    }

    /// The range of a word of the conversation.
    fn word(&mut self, word: &str) -> Value {
        let made = self.made();
        let shown = made["text"].as_str().unwrap();
        let (line, text) = shown.lines().enumerate().find(|(_, text)| text.contains(word)).unwrap();
        let start = text[..text.find(word).unwrap()].encode_utf16().count();
        let end = start + word.encode_utf16().count();
        json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
    }

    /// Asks something about a word of the conversation.
    fn ask(&mut self, method: &str, word: &str) -> Value {
        let position = self.word(word)["start"].clone();
        let at = json!({ "textDocument": { "uri": self.address }, "position": position });
        self.client.request(method, at).unwrap()
    }

    /// What can be done about a word of the conversation, where these diagnostics are shown.
    fn actions(&mut self, word: &str, diagnostics: &Value) -> Vec<Value> {
        let range = self.word(word);
        let params = json!({
            "textDocument": { "uri": self.address }, "range": range, "context": { "diagnostics": diagnostics },
        });
        self.client.request("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
    }
}

/// What a range covers in a text.
fn covered(text: &str, range: &Value) -> String {
    let line = |end: &str| range[end]["line"].as_u64().unwrap() as usize;
    let character = |end: &str| range[end]["character"].as_u64().unwrap() as usize;
    let all: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    if line("start") == line("end") {
        return String::from_utf16(&all[line("start")][character("start")..character("end")]).unwrap();
    }
    let mut covered = all[line("start")][character("start")..].to_vec();
    for between in &all[line("start") + 1..line("end")] {
        covered.extend([u16::from(b'\n')].iter().chain(between));
    }
    covered.extend([u16::from(b'\n')].iter().chain(&all[line("end")][..character("end")]));
    String::from_utf16(&covered).unwrap()
}

/// A text after edits of the protocol, which are in any order.
fn edited(text: &str, edits: &[Value]) -> String {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let offset = |at: &Value| {
        let start = starts[at["line"].as_u64().unwrap() as usize];
        let units = at["character"].as_u64().unwrap() as usize;
        let mut passed = 0;
        let inside = text[start..].chars().take_while(|char| {
            passed += char.len_utf16();
            passed <= units
        });
        start + inside.map(char::len_utf8).sum::<usize>()
    };
    let mut places: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let [start, end] = ["start", "end"].map(|end| offset(&edit["range"][end]));
            (start, end, edit["newText"].as_str().unwrap())
        })
        .collect();
    places.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    let mut text = text.to_owned();
    for (start, end, new) in places {
        text.replace_range(start..end, new);
    }
    text
}

#[test]
fn findings_are_at_their_places() {
    let mut opened = Opened::new(&format!("{}{}", prompt(), reply("Fixed.")));
    let made = opened.made();
    let raw = opened.client.pull(&opened.uri)["items"].as_array().unwrap().clone();
    let found = made["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), raw.len(), "{made:#}");
    for (here, there) in found.iter().zip(&raw) {
        for part in ["code", "severity", "message", "source", "data", "codeDescription", "relatedInformation"]
        {
            assert_eq!(here[part], there[part]);
        }
    }
    let lost = found.iter().find(|one| one["code"] == "no-period").unwrap();
    let text = made["text"].as_str().unwrap();
    assert_eq!(covered(text, &lost["range"]), ")", "{lost}");
    // They follow the transcript.
    let fixed = opened.text.replace("/open)\\\"]", "/open).\\\"]");
    assert_ne!(fixed, opened.text);
    opened.client.did_change(&opened.uri, 2, json!([{ "text": fixed }]));
    assert_eq!(opened.client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], opened.address);
    let made = opened.made();
    let codes: Vec<_> = made["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(!codes.contains(&&json!("no-period")), "{codes:?}");
}

#[test]
fn findings_follow_the_configuration() {
    let mut opened = Opened::new(&reply("Fixed."));
    assert!(opened.made()["diagnostics"].to_string().contains("no-period"));
    opened.folder.write("mangle-ls.toml", "[rules]\nno-period = \"off\"\n");
    let change = json!({ "changes": [{ "uri": opened.folder.uri("mangle-ls.toml"), "type": 1 }] });
    opened.client.notify("workspace/didChangeWatchedFiles", change);
    assert_eq!(opened.client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], opened.address);
    assert!(!opened.made()["diagnostics"].to_string().contains("no-period"));
}

#[test]
fn a_fix_edits_the_transcript() {
    let mut opened = Opened::new(&format!("{}{}", prompt(), reply("Fixed.")));
    let diagnostics = opened.made()["diagnostics"].clone();
    let about =
        diagnostics.as_array().unwrap().iter().find(|one| one["code"] == "no-period").unwrap().clone();
    // At the update, and at the line that tells of the finding.
    for word in ["/open)", "PB203 no-period"] {
        let actions = opened.actions(word, &json!([about]));
        let is_fix = |action: &&Value| action["title"].as_str().unwrap().starts_with("add the full stop");
        let fix = actions.iter().find(is_fix).unwrap_or_else(|| panic!("{word}: {actions:#?}"));
        assert_eq!(fix["diagnostics"], json!([about]));
        let fix = match fix["edit"].is_null() {
            true => opened.client.request("codeAction/resolve", fix.clone()).unwrap(),
            false => fix.clone(),
        };
        let changes = &fix["edit"]["documentChanges"][0];
        let (uri, edits) = match changes.is_null() {
            true => (&json!(opened.uri), &fix["edit"]["changes"][&opened.uri]),
            false => (&changes["textDocument"]["uri"], &changes["edits"]),
        };
        assert_eq!(*uri, opened.uri, "{fix:#}");
        let fixed = edited(&opened.text, edits.as_array().unwrap());
        assert!(fixed.contains("task_status(\\\\\\\"b\\\\\\\", /open).\\\""), "{fixed}");
    }
}

#[test]
fn line_ends_of_windows_keep_places() {
    let text = format!("{}{}", prompt(), reply("Fixed.")).replace('\n', "\r\n");
    let mut opened = Opened::new(&text);
    let made = opened.made();
    let shown = made["text"].as_str().unwrap();
    assert!(!shown.contains('\r'), "{shown}");
    let surface = made["origins"].as_array().unwrap().iter().find(|one| one["kind"] == "surface").unwrap();
    assert_eq!(covered(&text, &surface["location"]["range"]), "Fixed.");
    let about =
        made["diagnostics"].as_array().unwrap().iter().find(|one| one["code"] == "no-period").unwrap();
    let actions = opened.actions("/open)", &json!([about]));
    let is_fix = |one: &&Value| one["title"].as_str().unwrap().starts_with("add the full stop");
    let fix = actions.iter().find(is_fix).unwrap();
    let fix = opened.client.request("codeAction/resolve", fix.clone()).unwrap_or_else(|_| fix.clone());
    let edit = &fix["edit"];
    let edits = match edit["documentChanges"].is_null() {
        true => &edit["changes"][&opened.uri],
        false => &edit["documentChanges"][0]["edits"],
    };
    let fixed = edited(&text, edits.as_array().unwrap());
    assert_eq!(fixed, text.replace("/open)\\\"]", "/open).\\\"]"));
}

#[test]
fn hovers_and_targets_are_those_of_the_transcript() {
    let mut opened = Opened::new(&format!("{}{}", prompt(), reply("Fixed.")));
    let hover = opened.ask("textDocument/hover", "task_status(\"🦀\"");
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("How a task stands") && shown.contains("Asserted."), "{shown}");
    let made = opened.made();
    assert_eq!(covered(made["text"].as_str().unwrap(), &hover["range"]), "task_status");
    let hover = opened.ask("textDocument/hover", "/fix");
    assert!(hover["contents"]["value"].as_str().unwrap().contains("shard coder"), "{hover}");
    // An update is Mangle, everything else leads to its bytes.
    let declared = opened.ask("textDocument/definition", "task_status(\"🦀\"").to_string();
    assert!(declared.contains("schemas.gl"), "{declared}");
    let bytes = opened.ask("textDocument/definition", "Fixed.");
    assert_eq!(bytes["uri"], opened.uri);
    let after = &opened.text.split('\n').nth(1).unwrap()
        [bytes["range"]["start"]["character"].as_u64().unwrap() as usize - 2..];
    assert!(after.contains("Fixed."), "{after}");
}

#[test]
fn turns_tell_what_became_of_them() {
    let mut opened = Opened::new(&format!("{}{}", prompt(), reply("Fixed.\nTwice.")));
    let made = opened.made();
    let turns = made["turns"].as_array().unwrap();
    let user = json!({ "title": "user", "excerpt": "Is it fixed?", "startLine": 0, "endLine": 1, "denied": 0, "lost": 0, "corrects": false });
    assert_eq!(turns[0], user);
    let reply = &turns[1];
    let shown = [&reply["title"], &reply["excerpt"], &reply["number"], &reply["lost"], &reply["corrects"]];
    assert_eq!(shown, [&json!("turn 1 · assistant"), &json!("Fixed."), &json!(1), &json!(1), &json!(true)]);
    // The outline of the document and its folds are the same turns.
    let document = json!({ "textDocument": { "uri": opened.address } });
    let symbols = opened.client.request("textDocument/documentSymbol", document.clone()).unwrap();
    let names: Vec<_> = symbols.as_array().unwrap().iter().map(|symbol| &symbol["name"]).collect();
    assert_eq!(names, ["user", "turn 1 · assistant"]);
    assert!(
        symbols[1]["detail"].is_null() || symbols[1]["detail"] == "1 lost · corrects itself · Fixed.",
        "{symbols}"
    );
    let folds = opened.client.request("textDocument/foldingRange", document).unwrap();
    let lines: Vec<_> = folds.as_array().unwrap().iter().map(|fold| &fold["startLine"]).collect();
    assert_eq!(lines, [&turns[0]["startLine"], &turns[1]["startLine"]]);
}

/// A transcript that is too large to be held: 50 prompts, each with a reply.
fn long_transcript() -> String {
    (1..=50).map(|turn| format!("{}{}", prompt(), reply(&format!("Reply {turn}.")))).collect()
}

#[test]
fn a_file_that_is_too_large_is_read_in_stretches() {
    let text = long_transcript();
    let configuration = "[transcripts]\nclosed_limit = 100\n";
    let files = [
        ("mangle-ls.toml", configuration),
        ("schemas.gl", SCHEMAS),
        ("policy.mg", POLICY),
        ("transcripts/a.jsonl", &text),
    ];
    let folder = Folder::new(&files);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/a.jsonl");
    let mut shown =
        |address: &str| client.request("mangle/virtualDocument", json!({ "uri": address })).unwrap();
    let raw = |line: usize| text.lines().nth(line).unwrap();
    let mut address = format!("mangle-conversation:/1?count=20&of={uri}");
    let (mut first, mut stretches) = (1_u64, Vec::new());
    loop {
        let made = shown(&address);
        assert_eq!((&made["window"]["first"], &made["window"]["total"]), (&json!(first), &Value::Null));
        // Lines and numbers are those of the whole file.
        for origin in made["origins"].as_array().unwrap().iter().filter(|one| one["kind"] == "surface") {
            let range = &origin["location"]["range"];
            let line = range["start"]["line"].as_u64().unwrap() as usize;
            let [start, end] = ["start", "end"].map(|end| range[end]["character"].as_u64().unwrap() as usize);
            let units: Vec<u16> = raw(line).encode_utf16().collect();
            assert_eq!(
                String::from_utf16(&units[start..end]).unwrap(),
                format!("Reply {}.", line.div_ceil(2))
            );
        }
        let numbers: Vec<_> =
            made["turns"].as_array().unwrap().iter().filter_map(|turn| turn["number"].as_u64()).collect();
        assert_eq!(numbers, (first.div_ceil(2)..first.div_ceil(2) + 10).collect::<Vec<_>>());
        let lost = made["diagnostics"].as_array().unwrap().iter().filter(|one| one["code"] == "no-period");
        assert_eq!(lost.count(), 10);
        stretches.push(made.clone());
        let Some(after) = made["window"]["after"].as_str() else { break };
        address = after.to_owned();
        first += 20;
    }
    assert_eq!(stretches.len(), 5);
    let before = shown(stretches[4]["window"]["before"].as_str().unwrap());
    assert_eq!(before["text"], stretches[3]["text"]);
    let at_line = shown(&format!("mangle-conversation:/line-62?count=20&of={uri}"));
    assert!(at_line["text"].as_str().unwrap().contains("turn 31 "), "{at_line}");
    // A log that grows is followed, also while no editor has it open.
    let last = stretches[4]["window"]["first"].as_u64().unwrap();
    let address = format!("mangle-conversation:/{last}?count=100&of={uri}");
    assert!(!shown(&address)["text"].as_str().unwrap().contains("turn 51 "));
    folder.write("transcripts/a.jsonl", &format!("{text}{}", reply("Reply 51.")));
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": 2 }] }));
    client.wait("the change", |message| {
        message["method"] == "mangle/virtualDocumentChanged" && message["params"]["uri"] == address
    });
    let made = client.request("mangle/virtualDocument", json!({ "uri": address })).unwrap();
    assert!(made["text"].as_str().unwrap().contains("turn 51 "), "{made}");
}
