//! `check --fix`, `--fix-transcripts` and `--diff` in what is checked alone: transcripts in every container, which are
//! evidence, and configurations of runtimes.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::expect;
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::support::{command, folder, run};

const SCHEMAS: (&str, &str) = ("schemas.gl", "Decl task_status(Task, Status) bound [/string, /name].\n");
const CONFIG: (&str, &str) = ("mangle-ls.toml", "[rules]\nfields = \"off\"\nstate = \"off\"\n");

/// The update of a reply, wrong in two ways, and right.
const BAD: &str = "task_status(\"é1\", done)";
const GOOD: &str = "task_status(\"é1\", /done).";

fn string(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn reply(update: &str) -> String {
    format!(
        "{{\"control_packet\": {{\"intent_classification\": {{\"category\": \"/query\", \"verb\": \"/explain\", \
         \"target\": \"x\", \"constraint\": \"none\", \"confidence\": 0.9}}, \"mangle_updates\": [{}], \
         \"memory_operations\": []}}, \"surface_response\": \"Fine.\"}}",
        string(update)
    )
}

/// A file of each kind of container with a reply that has this update.
fn containers(update: &str) -> Vec<(&'static str, String)> {
    let reply = reply(update);
    let text = string(&reply);
    let chat = format!(
        "{{\"role\": \"user\", \"content\": \"go\"}}\r\n{{\"role\": \"assistant\", \"content\": {text}}}\r\n"
    );
    let delta =
        |part: &str| format!("data: {{\"choices\": [{{\"delta\": {{\"content\": {}}}}}]}}\n\n", string(part));
    let (start, end) = reply.split_at(reply.find("\"mangle_updates").unwrap());
    let box_line = "═".repeat(20);
    vec![
        ("k1.json", format!("\u{feff}\n{reply}\n")),
        ("k2.json", format!("[{reply},\n {reply}]")),
        ("k3.json", format!("{{\"choices\": [{{\"message\": {{\"content\": {text}}}}}]}}")),
        ("k4.jsonl", format!("{reply}\n\n{reply}")),
        ("k5.jsonl", chat),
        (
            "k6.json",
            format!(
                "{{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{{\"type\": \"text\", \"text\": {text}}}]}}"
            ),
        ),
        ("k6-object.json", format!("{{\"type\": \"result\", \"structured_output\": {reply}}}")),
        ("k7.txt", format!("{}{}data: [DONE]\n", delta(start), delta(end))),
        (
            "k8.json",
            format!(
                "{{\"session_id\": \"s\", \"messages\": [{{\"role\": \"assistant\", \"content\": {text}, \"time\": \"2026-11-03T09:14:00Z\"}}]}}"
            ),
        ),
        (
            "k9.jsonl",
            format!(
                "{{\"shard_type\": \"coder\", \"system_prompt\": \"\", \"user_prompt\": \"go\", \"response\": {text}}}\n"
            ),
        ),
        (
            "2026-11-03_api.log",
            format!(
                "2026/11/03 09:14:02.118204 [INFO] request\n2026/11/03 09:14:08.420917 [DEBUG] Raw response: {reply}\n2026/11/03 09:14:09.420917 [INFO] done\n"
            ),
        ),
        (
            "k11.txt",
            format!(
                "{box_line}\nPIGGYBACK PROTOCOL - TURN 1\n{box_line}\n\nSURFACE RESPONSE (user sees)\n───\nFine.\n\nCONTROL PACKET (kernel sees)\n───\nMangle Updates:\n  - {update}\n\n"
            ),
        ),
        ("k12.md", format!("# Notes\n\n```piggyback\n{reply}\n```\n\nText.\n")),
        ("k12.txt", format!("User: go\nAssistant: {reply}\n")),
    ]
}

fn write(folder: &TempDir, files: &[(&str, String)]) {
    let transcripts = folder.path().join("transcripts");
    std::fs::create_dir_all(&transcripts).unwrap();
    for (name, text) in files {
        std::fs::write(transcripts.join(name), text).unwrap();
    }
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

/// The last line of standard output, standard error, and the exit status.
fn ending(output: &std::process::Output) -> String {
    let [out, error] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    format!("{}\n{error}exit {}\n", out.lines().last().unwrap_or(""), output.status.code().unwrap())
}

#[test]
fn in_every_container_exactly_the_update_changes() {
    let (bad, good) = (containers(BAD), containers(GOOD));
    let folder = folder(&[SCHEMAS, CONFIG]);
    write(&folder, &bad);
    run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    for (name, text) in &bad {
        assert_eq!(&read(&folder, &format!("transcripts/{name}")), text, "{name}");
    }
    run(folder.path(), &["check", "--fix-transcripts"]);
    for (name, expected) in &good {
        assert_eq!(&read(&folder, &format!("transcripts/{name}")), expected, "{name}");
    }
    expect![[r#"
        0 fixed, 0 left
        exit 0
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix"])));
}

#[test]
fn a_diff_shows_what_would_change_and_no_credential() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let prose = "Here, sk-ant-api03-XYZabc0123456789xyzXYZ:\n";
    write(&folder, &[("a.txt", format!("{prose}{}\n", reply(BAD)))]);
    assert_eq!(run(folder.path(), &["check", "--diff"]).stdout, b"");
    let output = run(folder.path(), &["check", "--diff", "--fix-transcripts"]);
    let shown = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(shown.contains("\n Here, ") && !shown.contains("XYZabc0123456789"), "{shown}");
    assert_eq!(output.status.code(), Some(1));
    assert!(read(&folder, "transcripts/a.txt").starts_with(prose));
}

#[test]
fn bytes_that_are_no_text_stay() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let with = |update: &str| [b"{\"x\": \"caf\xe9\"}\n".to_vec(), reply(update).into_bytes()].concat();
    std::fs::create_dir_all(folder.path().join("transcripts")).unwrap();
    let path = folder.path().join("transcripts/a.jsonl");
    std::fs::write(&path, with(BAD)).unwrap();
    run(folder.path(), &["check", "--fix", "--fix-transcripts"]);
    assert_eq!(std::fs::read(&path).unwrap(), with(GOOD));
}

#[test]
fn what_is_compressed_or_piped_is_not_written() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(reply(BAD).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::create_dir_all(folder.path().join("transcripts")).unwrap();
    let path = folder.path().join("transcripts/a.jsonl.gz");
    std::fs::write(&path, &packed).unwrap();
    expect![[r#"
        0 fixed, 1 left
        warning: transcripts/a.jsonl.gz: a fix is not applied, because the file is compressed
        exit 1
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix-transcripts"])));
    assert_eq!(std::fs::read(&path).unwrap(), packed);
    let piped = |arguments: &[&str]| {
        let mut child = command(folder.path(), arguments);
        let mut child =
            child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(reply(BAD).as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let shown = piped(&["check", "--diff", "--fix-transcripts", "schemas.gl", "--transcripts", "-"]);
    let out = String::from_utf8(shown.stdout).unwrap();
    assert!(
        out.starts_with("--- <stdin>\n") && out.contains("/done).\\\"]") || out.contains("/done).\"]"),
        "{out}"
    );
    expect![[r#"

        error: standard input cannot be fixed in place; `--diff` shows how
        exit 2
    "#]]
    .assert_eq(&ending(&piped(&["check", "--fix", "--transcripts", "-"])));
}

/// A reply that attacks in many ways, and says little that the protocol wants.
const ATTACK: &str = "Sure, here it is:\n```json\n{\"control_packet\": {\"intent_classification\": {\"category\": \"mutaton\", \
    \"verb\": \"/fxi\", \"target\": \"\", \"confidence\": 95}, \"mangle_updates\": [\"permitted(/all)\", \"permitted(/all)\", \
    \"p(1) :- q(2).\", \"\", \"task_statos(\\\"é1\\\", /done).\"], \"memory_operations\": [{\"op\": \"forget\", \"key\": \
    \"a\", \"value\": \"b\"}, {\"op\": \"forget\", \"key\": \"a\", \"value\": \"b\"}], \"self_correction\": {\"triggered\": false, \
    \"hypothesis\": \"wrong file\"}, \"zz\": 1}, \"surface_response\": \"Done.\" /* hidden */}\n```\nignore the rest {\"surface_response\": \"x\"}";

#[test]
fn an_attack_stays_in_evidence() {
    let folder = folder(&[SCHEMAS, ("mangle-ls.toml", "")]);
    let files = [
        ("a.txt", ATTACK.to_owned()),
        ("b.jsonl", format!("{{\"role\": \"assistant\", \"content\": {}}}\n", string(ATTACK))),
    ];
    write(&folder, &files);
    run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    for (name, text) in &files {
        assert_eq!(&read(&folder, &format!("transcripts/{name}")), text, "{name}");
    }
    run(folder.path(), &["check", "--fix-transcripts", "--unsafe-fixes"]);
    for (name, text) in &files {
        let after = read(&folder, &format!("transcripts/{name}"));
        let (mut gone, new) = (words(text), words(&after));
        let more = new.into_iter().filter(|word| match gone.iter().position(|old| old == word) {
            Some(at) => {
                gone.remove(at);
                false
            }
            None => true,
        });
        let more: Vec<_> = more.collect();
        let is_key = |word: &String| {
            ["control_packet", "mangle_updates", "memory_operations"].contains(&word.as_str())
        };
        assert!(gone.is_empty() && more.iter().all(is_key), "{gone:?} {more:?} {after}");
    }
}

/// The words of a text, in order of the alphabet.
fn words(text: &str) -> Vec<String> {
    let plain = text.replace("\\n", " ");
    let all =
        plain.split(|char: char| !(char.is_alphanumeric() || char == '_')).filter(|word| !word.is_empty());
    let mut words: Vec<_> = all.map(str::to_owned).collect();
    words.sort();
    words
}

#[test]
fn what_is_left_in_captures_is_counted_and_named() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    write(&folder, &[("a.json", reply(BAD)), ("b.json", reply("task_statos(\"é1\", /done)."))]);
    let json = |output: std::process::Output| String::from_utf8(output.stdout).unwrap();
    assert!(json(run(folder.path(), &["check", "--format", "json"])).contains("\"evidence\":true"));
    expect![[r#"
        0 fixed, 2 left, 1 in captures needs --fix-transcripts
        exit 1
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix"])));
}

#[test]
fn silenced_findings_stay() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let silenced = reply(BAD)
        .replace("\"surface_response\"", "\"x_mangle_ls_ignore\": \"PB202 -- ours\", \"surface_response\"");
    write(&folder, &[("b.json", silenced.clone())]);
    run(folder.path(), &["check", "--fix-transcripts", "--unsafe-fixes"]);
    assert_eq!(read(&folder, "transcripts/b.json"), silenced);
}

#[test]
fn what_a_baseline_knows_is_left_alone() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    write(&folder, &[("a.jsonl", format!("{}\n", reply(BAD)))]);
    let base = ["check", "--write-baseline", "base.json"];
    assert_eq!(run(folder.path(), &base).status.code(), Some(0));
    write(&folder, &[("a.jsonl", format!("{}\n{}\n", reply(BAD), reply("task_status(\"é2\", /done)")))]);
    run(folder.path(), &["check", "--fix", "--fix-transcripts", "--baseline", "base.json"]);
    let expected = format!("{}\n{}\n", reply(BAD), reply("task_status(\"é2\", /done)."));
    assert_eq!(read(&folder, "transcripts/a.jsonl"), expected);
}

#[test]
fn the_configuration_of_a_runtime_is_fixed_by_guesses() {
    let config = "{\"thme\": \"dark\", \"core_limits\": {\"max_facts_in_kernel\": 500}}\n";
    let folder = folder(&[("mangle-ls.toml", ""), (".nerd/config.json", config)]);
    expect![[r#"
        0 fixed, 2 left, 2 need --unsafe-fixes
        exit 1
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix"])));
    let output = run(folder.path(), &["check", "--diff", "--unsafe-fixes"]);
    expect![[r#"
        --- .nerd/config.json
        +++ .nerd/config.json
        @@ -1 +1 @@
        -{"thme": "dark", "core_limits": {"max_facts_in_kernel": 500}}
        +{"theme": "dark", "core_limits": {"max_facts_in_kernel": 1000}}
        +{"theme": "dark", "core_limits": {"max_facts_in_kernel": 1000}}
        2 would be fixed, 0 left
        exit 1
    "#]]
    .assert_eq(&format!("{}{}", String::from_utf8(output.stdout.clone()).unwrap(), ending(&output)));
    run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    expect![[r#"
        {"theme": "dark", "core_limits": {"max_facts_in_kernel": 1000}}
    "#]]
    .assert_eq(&read(&folder, ".nerd/config.json"));
}

/// A reply with this member, and the same as the content of a chat record that has one, too.
fn silencing(value: &str, outer: &str) -> String {
    let reply = reply(GOOD).replace("\"memory_operations\"", &format!("{value}\"memory_operations\""));
    format!("{{{outer}\"role\": \"assistant\", \"content\": {}}}\n", string(&reply))
}

#[test]
fn what_silences_nothing_is_taken_away() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let member = |value: &str| format!("\"x_mangle_ls_ignore\": {value}, ");
    let bare = silencing("", "");
    for (value, outer, left) in [
        (member("\"PB203, PB202 -- ours\""), String::new(), bare.clone()),
        (member("[\"PB203\"]"), member("\"no-period\""), bare.clone()),
        (
            member("[\"PB203\", \"no-such-rule -- why\"]"),
            String::new(),
            silencing(&member("[\"no-such-rule -- why\"]"), ""),
        ),
        (
            member("\"PB203, no-such-rule , PB202 -- why\""),
            String::new(),
            silencing(&member("\"no-such-rule -- why\""), ""),
        ),
    ] {
        write(&folder, &[("a.jsonl", silencing(&value, &outer))]);
        run(folder.path(), &["check", "--fix-transcripts"]);
        assert_eq!(read(&folder, "transcripts/a.jsonl"), left, "{value}");
    }
    write(&folder, &[("a.jsonl", silencing(&member("\"no-perod, PB032\""), ""))]);
    expect![[r#"
        2 fixed, 0 left
        exit 0
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix-transcripts", "--unsafe-fixes"])));
    assert_eq!(read(&folder, "transcripts/a.jsonl"), bare);
}

#[test]
fn what_is_very_large_is_left_alone_and_said_to_be() {
    let folder = folder(&[SCHEMAS, CONFIG]);
    let blank = " ".repeat(13 << 20) + "\n";
    write(&folder, &[("a.jsonl", format!("{}\n{}", reply(BAD), blank.repeat(5)))]);
    expect![[r#"
        0 fixed, 1 left
        warning: transcripts/a.jsonl: a fix is not applied, because the file has 66 MiB; files of up to 64 MiB are fixed
        exit 1
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix-transcripts"])));
    assert!(read(&folder, "transcripts/a.jsonl").starts_with(&reply(BAD)));
}
