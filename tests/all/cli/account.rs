//! What became of each update is the same in every output: `parse`, `split`, `stats`, and `replay` as text, JSON, Markdown
//! and page.

use std::path::Path;

use serde_json::{Value, json};

use super::support::{command, folder};

/// A sequence of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

const POLICY: &str = "Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]
  bound [/string, /name, /string, /string, /number].
Decl permitted(Action, Target, Payload) bound [/name, /string, /string].
Decl task_status(Task, Status) bound [/string, /name].
Decl observation(What, Text) bound [/string, /string].
Decl intent(Kind, Target) bound [/name, /string].
Decl approval(Who) bound [/string].
safe_action(/read_file).
permitted(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _), safe_action(Action).
permitted(Action, Target, Payload) :- pending_action(_, Action, Target, Payload, _), approval(_).
blocked_action(What) :- intent(/mutation, What), precious(What).
precious(\"prod\").
";

/// Updates of all kinds: good ones, and one for each reason to lose one.
const UPDATES: [&str; 16] = [
    "task_status(\"a\", /open).",
    "task_status(\"b\", /done).",
    "observation(\"x\", \"y\").",
    "intent(/mutation, \"prod\").",
    "intent(/mutation, \"dev\").",
    "approval(\"me\").",
    "permitted(/x, \"y\", \"{}\").",
    "admin_override(\"me\").",
    "unknown(\"a\").",
    "task_status(\"a\").",
    "task_status(\"a\", /open)",
    "task_status(\"a;b\", /open).",
    "",
    "task_status(\"a\", done).",
    "p(X) :- q(X).",
    "Decl p(X).",
];

const SETTINGS: [&str; 6] = [
    "",
    "[replay]\noverride = \"replace\"\n",
    "[transcripts]\nconsumer = \"session\"\n",
    "[transcripts]\nconsumer = \"compressor\"\n[replay]\noverride = \"replace\"\n",
    "[transcripts]\nconsumer = \"own\"\n[transcripts.consumers.own]\npredicates = [\"task_status\", \"intent\"]\nmax_updates = 3\n",
    "[transcripts.caps]\nmax_updates = 4\n[transcripts.atoms]\nprotected_extra = [\"observation\"]\n",
];

fn session(random: &mut Random) -> String {
    let line = |random: &mut Random| {
        let count = random.below(8);
        let updates: Vec<_> = (0..count).map(|_| UPDATES[random.below(UPDATES.len())]).collect();
        let tool = ["read_file", "deploy"][random.below(2)];
        let tools = json!([{ "id": "r1", "tool_name": tool, "tool_args": { "path": "a.go" } }]);
        let tools = if random.below(2) == 0 { tools } else { json!([]) };
        let envelope = json!({
            "control_packet": { "mangle_updates": updates, "memory_operations": [], "tool_requests": tools },
            "surface_response": "I am looking.",
        });
        let content = match random.below(8) {
            0 => "There is no envelope here.".to_owned(),
            1 => format!("So: {envelope} there."),
            _ => envelope.to_string(),
        };
        json!({ "role": "assistant", "content": content }).to_string() + "\n"
    };
    (0..3).map(|_| line(random)).collect()
}

fn output(folder: &Path, arguments: &[&str]) -> String {
    let output = command(folder, arguments).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn values(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    output(folder, arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The examples whose container keeps updates without their envelopes.
const LOOSE: [&str; 3] = ["harness", ".log", "audit"];

/// A line as the streams of `split` have it.
fn visible(text: &str) -> String {
    text.chars().map(|char| if char.is_control() && char != '\t' { '·' } else { char }).collect()
}

/// Whether an update reaches the kernel.
fn is_kept(entry: &Value) -> bool {
    ["asserted", "passed"].contains(&entry["fate"].as_str().unwrap())
}

fn count(entries: &[Value], words: &[&str]) -> u64 {
    entries.iter().filter(|entry| words.contains(&entry["fate"].as_str().unwrap())).count() as u64
}

/// Compares the outputs about `session`, a file of a folder with its policy.
fn compare(folder: &Path, session: &str) {
    // Some examples have schemas and no rules, so they need a permission for verdicts.
    let extra = tempfile::tempdir().unwrap();
    let facts = extra.path().join("permission.mg");
    std::fs::write(&facts, "permitted(/no_action, \"\", \"\").\n").unwrap();
    let facts = facts.to_str().unwrap();
    let turns = values(folder, &["replay", session, "--facts", facts, "--format", "json"]);
    let (summary, turns) = turns.split_last().unwrap();
    let parsed = values(folder, &["transcript", "parse", session, "--format", "json"]);
    // `parse` shows replies alone.
    let replies: Vec<_> = turns.iter().filter(|turn| !turn["stage"].is_null()).collect();
    assert_eq!(replies.len(), parsed.len(), "{session}");
    let (mut all, mut control) = (Vec::new(), Vec::new());
    for (turn, parsed) in replies.iter().zip(&parsed) {
        let number = &turn["turn"];
        let account = turn["atoms"].as_array().unwrap();
        assert_eq!(turn["atoms"], parsed["atoms"]["account"], "{session}");
        assert_eq!(parsed["atoms"]["not_judged"], Value::Null);
        let kept: Vec<_> =
            account.iter().filter(|entry| is_kept(entry)).map(|entry| &entry["text"]).collect();
        assert_eq!(json!(kept), parsed["atoms"]["kept"]);
        control
            .extend(kept.iter().map(|text| format!("{number}: {}", visible(text.as_str().unwrap().trim()))));
        all.extend(account.iter().cloned());
    }
    // Surfaces without an envelope have updates beside them in some containers, which a replay asserts as well.
    for turn in turns.iter().filter(|turn| turn["stage"].is_null()) {
        all.extend(turn["atoms"].as_array().unwrap().iter().cloned());
    }
    let split = output(folder, &["transcript", "split", session]);
    let lines: Vec<_> = split.lines().filter_map(|line| line.strip_prefix("control ")).collect();
    let figures = values(folder, &["transcript", "stats", session, "--format", "json"])[0].clone();
    let stats = figures["atoms"].clone();
    let (dropped, blocked) = (count(&all, &["dropped", "blank"]), count(&all, &["blocked"]));
    let (asserted, withdrawn) = (count(&all, &["asserted"]), count(&all, &["withdrawn"]));
    let expected = json!({
        "kept": asserted, "dropped": dropped, "blocked": blocked, "withdrawn": withdrawn, "not_judged": null,
    });
    // Logs and tracers keep updates without their envelopes.
    let has_loose = replies.is_empty() || LOOSE.iter().any(|name| session.contains(name));
    assert!(has_loose || stats == expected, "{session}: {stats} {expected}");
    assert!(has_loose || lines == control, "{session}: {lines:?} {control:?}");
    let summary = &summary["summary"];
    compare_blocks(turns, &figures, summary);
    let told =
        ["atoms_asserted", "atoms_dropped", "atoms_blocked", "atoms_withdrawn"].map(|key| &summary[key]);
    assert_eq!(told, [asserted, dropped, blocked, withdrawn].map(|count| json!(count)).each_ref());
    assert_eq!(summary["atoms_lost"], json!(dropped + blocked + withdrawn));
    let pages = tempfile::tempdir().unwrap();
    let page = pages.path().join("page.html");
    let text = output(folder, &["replay", session, "--facts", facts, "--report", page.to_str().unwrap()]);
    let lines = text.lines().filter(|line| line.trim_start().starts_with("update +")).count() as u64;
    assert_eq!(lines, asserted, "{text}");
    let markdown = output(folder, &["replay", session, "--facts", facts, "--format", "markdown"]);
    assert_eq!(markdown.matches("- update ").count(), all.len() - count(&all, &["blank"]) as usize);
    let page = std::fs::read_to_string(&page).unwrap();
    let in_page: u64 = page
        .split("<summary>updates: ")
        .skip(1)
        .map(|rest| rest.split(' ').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(in_page, asserted);
}

/// Compares what the constitution blocked in the figures of `stats` with the findings and the summary of `replay`.
fn compare_blocks(turns: &[Value], figures: &Value, summary: &Value) {
    let count = |code: &str| {
        let found = turns.iter().flat_map(|turn| turn["findings"].as_array().unwrap());
        found.filter(|finding| finding["code"] == code).count() as u64
    };
    let blocks = &figures["constitutional_blocks"];
    let expected = json!(count("PB501") + count("PB502"));
    // Where no rule permits or blocks anything, there is no verdict to count.
    assert!(blocks.is_null() || blocks["total"] == expected, "{blocks} {expected}");
    assert!(blocks.is_null() || summary["constitutional_blocks"] == expected, "{summary}");
    assert_eq!(summary["surfaces_rewritten"], json!(count("PB501")));
    for code in ["PB501", "PB502", "PB506", "PB520"] {
        let of_stats = figures["diagnostics"][code].as_u64().unwrap_or_default();
        assert!(blocks.is_null() || of_stats == count(code), "{code}: {of_stats}");
    }
}

#[test]
fn every_output_has_the_same_account() {
    let mut random = Random(17);
    for settings in SETTINGS {
        for _ in 0..2 {
            let session = session(&mut random);
            let folder = folder(&[
                ("mangle-ls.toml", settings),
                ("policy.mg", POLICY),
                ("transcripts/session.jsonl", &session),
            ]);
            compare(folder.path(), "transcripts/session.jsonl");
        }
    }
}

/// Without a policy nothing is called kept.
#[test]
fn what_no_policy_judges_is_said() {
    let session = session(&mut Random(3));
    let folder = folder(&[("session.jsonl", &session)]);
    let parsed = values(folder.path(), &["transcript", "parse", "session.jsonl", "--format", "json"]);
    let entries: Vec<_> =
        parsed.iter().flat_map(|reply| reply["atoms"]["account"].as_array().unwrap()).collect();
    assert!(entries.iter().any(|entry| entry["fate"] == "passed"));
    assert!(entries.iter().all(|entry| entry["fate"] != "asserted"));
    let said = "no policy is loaded";
    let is_said = parsed.iter().any(|reply| reply["atoms"]["not_judged"].to_string().contains(said));
    assert!(is_said);
    let text = output(folder.path(), &["transcript", "parse", "session.jsonl"]);
    assert!(text.contains("not checked by a policy") && !text.contains("kept"), "{text}");
    let split = command(folder.path(), &["transcript", "split", "session.jsonl"]).output().unwrap();
    assert!(String::from_utf8(split.stderr).unwrap().contains(said));
    let stats = output(folder.path(), &["transcript", "stats", "session.jsonl"]);
    assert!(stats.contains(said) && stats.contains("passed"), "{stats}");
}

/// A reply that is denied as a whole asserts nothing where the override replaces it; where it does not, the account says so.
#[test]
fn a_denied_reply_is_not_told_as_asserted() {
    let line = json!({ "role": "assistant", "content": json!({
        "control_packet": { "mangle_updates": ["intent(/mutation, \"prod\").", "task_status(\"a\", /open)."] },
        "surface_response": "Dropping it.",
    }).to_string() });
    let files = |settings: &'static str| {
        let line = format!("{line}\n");
        folder(&[("mangle-ls.toml", settings), ("policy.mg", POLICY), ("transcripts/a.jsonl", &line)])
    };
    let name = "transcripts/a.jsonl";
    let replaced = files("[replay]\noverride = \"replace\"\n");
    compare(replaced.path(), name);
    assert!(
        output(replaced.path(), &["transcript", "split", name])
            .lines()
            .all(|line| !line.starts_with("control "))
    );
    assert!(output(replaced.path(), &["replay", name]).contains("0 updates asserted, 2 lost"));
    let noticed = files("");
    compare(noticed.path(), name);
    let text = output(noticed.path(), &["replay", name]);
    assert!(text.contains("2 updates asserted (2 although the policy denies the reply), 0 lost"), "{text}");
    assert!(!text.contains("the whole reply is denied"), "{text}");
}

/// A file in which no reply is recognised has no account anywhere, and each command says why.
fn no_account(folder: &Path, session: &str) {
    for name in ["transcript parse", "transcript split", "transcript stats", "replay"] {
        let arguments: Vec<&str> = name.split(' ').chain([session]).collect();
        let output = command(folder, &arguments).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {errors}");
        assert!(errors.contains("no reply is recognised"), "{name}: {errors}");
    }
}

#[test]
fn examples_have_the_same_account_everywhere() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transcripts");
    let mut compared = 0;
    for folder in ["clean", "failures"] {
        for entry in std::fs::read_dir(examples.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let session = format!("{folder}/{name}");
            if name.starts_with("no-reply.") {
                no_account(&examples, &session);
                continue;
            }
            compare(&examples, &session);
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}
