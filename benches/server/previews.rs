//! Prompts under keystrokes: a prompt is shown while somebody types in the rules that it comes from. Budget: 50 ms.

use std::fmt::Write as _;
use std::time::Instant;

use serde_json::json;

use crate::support::client::{Client, Folder, pulling, with_encoding};
use crate::support::text::Dice;
use crate::{EDITED, STROKES, heading, nowhere, processor_time, row};

/// A file whose rules feed prompts, and one whose rules decide about actions.
const FEEDING: &str = "internal/core/defaults/policy/prompt_context.mg";
const GOVERNING: &str = "internal/core/defaults/policy/constitution.mg";

/// A sample kernel that uses all of the policies.
const SAMPLE: &str = "sample/fix.kernel.mg";

pub(crate) fn measure(texts: &[(String, String)]) {
    println!("prompts (budget 50 ms)");
    heading();
    let few = sampled(texts, 0);
    preview("typing in a rule of the prompt", &few, &[FEEDING], false);
    preview("the same, with diagnostics", &few, &[FEEDING], true);
    preview("typing in any rule", &few, &[FEEDING, GOVERNING, EDITED], false);
    preview("a sample of 1,000 facts more", &sampled(texts, 1_000), &[FEEDING, GOVERNING, EDITED], false);
}

/// The program with a sample kernel; `facts` of them are about files.
fn sampled(texts: &[(String, String)], facts: usize) -> Folder {
    let used: Vec<_> = texts.iter().map(|(file, _)| format!("../{file}")).collect();
    let mut sample = format!(
        "# @preview name: fix\n# @preview shard: coder-7 coder\n# @preview intent: i1 /mutation /fix \"auth.go\" none\n\
         # @preview use: {}\ntest_state(/failing).\nspecialist_knowledge(\"coder-7\", /jwt, \"Tokens expire.\").\n\
         learning_recall_result(\"l1\", 90, \"a\", \"Prefers small steps.\").\ncampaign_active(\"c1\").\n\
         campaign_prompt_policy(\"c1\", /coder, \"No new dependencies.\").\n",
        used.join(", ")
    );
    for at in 0..facts / 2 {
        let _ = writeln!(sample, "file_topology(\"src/f{at}.go\", \"h{at}\", /go, {at}, /false).");
        let _ = writeln!(sample, "dependency_link(\"src/f{at}.go\", \"src/f{}.go\", \"src\").", at / 8 * 8);
    }
    let mut files: Vec<_> = texts.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    files.push((SAMPLE, &sample));
    files.push(("mangle-ls.toml", "[transcripts]\nprofile = \"current\"\n"));
    Folder::new(&files)
}

/// Types and deletes single characters in rules of some files while a prompt is shown: until the client has been told
/// of it and has the new text. Where `diagnoses`, the client asks for diagnostics besides, and first.
fn preview(what: &str, folder: &Folder, edited: &[&str], diagnoses: bool) {
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-8"));
    client.request("textDocument/codeAction", nowhere(&folder.uri(SAMPLE))).unwrap();
    let texts: Vec<_> =
        edited.iter().map(|file| std::fs::read_to_string(folder.path().join(file)).unwrap()).collect();
    for (file, text) in edited.iter().zip(&texts) {
        client.did_open(&folder.uri(file), 0, text);
    }
    let prompt = format!("mangle-preview:/fix?of={}", folder.uri(SAMPLE));
    let start = Instant::now();
    let whole = shown(&mut client, &prompt);
    let open = start.elapsed();
    assert!(whole.contains("- Tokens expire."), "{whole}");
    let (mut dice, mut times, mut version, mut different) = (Dice::new(5), Vec::new(), 0, 0);
    let before = processor_time(client.process());
    while times.len() < STROKES {
        let at = dice.below(edited.len());
        let (uri, lines) = (folder.uri(edited[at]), texts[at].lines().collect::<Vec<_>>());
        let line = dice.below(lines.len());
        let (Some(column), false) = (lines[line].find('('), lines[line].starts_with('#')) else { continue };
        let at = |column: usize| json!({ "line": line, "character": column });
        let edits = [(column, ""), (column + 1, "x")].map(|(end, _)| (at(column), at(end)));
        for ((start, end), typed) in edits.into_iter().zip(["x", ""]) {
            version += 1;
            let begin = Instant::now();
            client.did_change(
                &uri,
                version,
                json!([{ "range": { "start": start, "end": end }, "text": typed }]),
            );
            let pulled = diagnoses
                .then(|| client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } })));
            client.wait("the prompt", |message| message["method"] == "mangle/virtualDocumentChanged");
            let text = shown(&mut client, &prompt);
            times.push(begin.elapsed());
            assert!(!typed.is_empty() || text == whole, "{text}");
            different += usize::from(text != whole);
            pulled.map(|id| client.response(id));
        }
    }
    assert!(edited.len() > 1 || different > 0, "no edit changed the prompt");
    let processor = (processor_time(client.process()) - before) / u32::try_from(times.len()).unwrap();
    row(&format!("{what}, {different} other"), open, times, processor);
    assert!(client.shut_down().success());
}

/// The text of a virtual document.
fn shown(client: &mut Client, uri: &str) -> String {
    let made = client.request("mangle/virtualDocument", json!({ "uri": uri })).unwrap();
    made["text"].as_str().unwrap().to_owned()
}
