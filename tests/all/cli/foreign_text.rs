//! Every command in every format over a project whose texts want to be more than text: nothing steers a terminal, a build
//! server, a browser or a spreadsheet, and no credential is shown unless `--no-redact` asks for it.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::support::{folder, run};

/// How output is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    JsonLines,
    Json,
    Markup,
    Commands,
    Table,
}

use Kind::{Commands, Json, JsonLines, Markup, Table, Text};

/// The commands that show something of files.
#[rustfmt::skip] // One row a command.
const COMMANDS: &[(Kind, &[&str])] = &[
    (Text, &["check"]), (JsonLines, &["check", "--format", "json"]), (Json, &["check", "--format", "sarif"]),
    (Commands, &["check", "--format", "github"]), (Markup, &["check", "--format", "junit"]),
    (Text, &["check", "--statistics"]), (Text, &["check", "--show-program"]), (Text, &["check", "--evaluate"]),
    (Text, &["check", "--diff", "--unsafe-fixes", "--fix-transcripts"]), (Text, &["check", "nothing\u{202e}\x1b[31m.mg"]),
    (Text, &["transcript", "parse", "t/a.jsonl"]), (Text, &["transcript", "parse", "t/a.jsonl", "--explain"]),
    (JsonLines, &["transcript", "parse", "t/a.jsonl", "--format", "json", "--explain"]),
    (Text, &["transcript", "parse", "t/a.jsonl", "--extractor", "perception"]),
    (Text, &["transcript", "parse", "t/a.jsonl", "--extractor", "learning"]),
    (Text, &["transcript", "show", "t/a.jsonl"]), (JsonLines, &["transcript", "show", "t/a.jsonl", "--format", "json"]),
    (Markup, &["transcript", "show", "t/a.jsonl", "--format", "markdown"]),
    (Text, &["transcript", "split", "t/a.jsonl"]), (Text, &["transcript", "repair", "t/a.jsonl"]), (JsonLines, &["transcript", "repair", "t/a.jsonl", "--format", "json"]),
    (Text, &["transcript", "stats", "t/a.jsonl"]), (JsonLines, &["transcript", "stats", "t/a.jsonl", "--format", "json"]),
    (Text, &["transcript", "stats", "t/a.jsonl", "--metrics", "prom"]),
    (Text, &["replay", "t/a.jsonl", "--coverage", "--show-permits"]), (JsonLines, &["replay", "t/a.jsonl", "--format", "json"]),
    (Markup, &["replay", "t/a.jsonl", "--format", "markdown"]),
    (Text, &["graph"]), (Json, &["graph", "--format", "json"]), (Markup, &["graph", "--format", "mermaid"]), (Text, &["graph", "--format", "dot"]),
    (Text, &["query", "note(X, Y)", "--why"]), (Json, &["query", "note(X, Y)", "--format", "json"]),
    (Table, &["query", "note(X, Y)", "--format", "csv"]), (Text, &["query", "other(X)", "--why-not"]),
    (Text, &["preview", "fix.kernel.mg", "--provenance"]), (Json, &["preview", "fix.kernel.mg", "--format", "json"]), (Markup, &["preview", "fix.kernel.mg", "--format", "markdown", "--provenance"]),
    (Text, &["test", "--coverage"]), (Json, &["test", "--format", "json"]), (Markup, &["test", "--format", "junit"]),
    (Text, &["config", "show"]), (Json, &["config", "show", "--format", "json"]), (Text, &["config", "show", "t/a.jsonl"]),
    (Text, &["config", "files"]), (Json, &["config", "files", "--format", "json"]),
];

/// The arguments with `--anyway`, where the output has a place for the mark: one of the programs does not load.
fn anyway<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let evaluates = ["transcript", "replay", "graph", "query", "preview", "test"];
    let is_marked = !arguments.contains(&"csv") && arguments != ["transcript", "repair", "t/a.jsonl"];
    let option = (evaluates.contains(&arguments[0]) && is_marked).then_some("--anyway");
    arguments.iter().copied().chain(option).collect()
}

const CONFIG: &str = "[[program]]\nname = \"demo\"\ninclude = [\"policy.mg\", \"policy_test.mg\", \"schemas.gl\"]\n[[program]]\nname = \"::error::two\"\n\
    include = [\"b.mg\"]\n[transcripts]\ninclude = [\"t/**\"]\n[prompt]\natoms = []\n";

const SCHEMAS: &str = "Decl note(Text, Score) bound [/string, /number].\nDecl other(Text) bound [/string].\n\
    Decl active_shard(Id, Type) bound [/string, /name].\nDecl injectable_context(Id, Text) bound [/string, /string].\n\
    Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()]\n  bound [/string, /name, /string, /string, /number].\n\
    Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\n\
    Decl permission_denied(Action, Why) bound [/name, /string].\n";

/// A project in which `text` stands wherever foreign text can stand.
pub(super) fn project(text: &str) -> TempDir {
    let spaced = text.replace(['\n', '\r'], " ");
    let bare: String = spaced.chars().filter(|char| !matches!(char, '"' | '\\')).collect();
    let mangle = bare.as_str();
    let policy = format!(
        "# {mangle}\nnote(\"{mangle}\", 70).\ninjectable_context(S, T) :- active_shard(S, _), note(T, _).\n\
         other(X) :- note(X, Y), Y > 900.\npermitted(/read_file, T, P) :- pending_action(_, /read_file, T, P, _).\n\
         permission_denied(A, \"{mangle}\") :- pending_action(_, A, _, _, _), note(_, _).\n"
    );
    let damaged = format!(
        "Decl lone(X).\nlone(\"{mangle}\") :- missing_x(\"{mangle}\").\nlone(\"{mangle}\", 1).\nbroken(\"{mangle}\"\n"
    );
    let tests = format!(
        "# @test name: {mangle}\nnote(\"{mangle}\", 1).\n# @expect note(\"{mangle}\", 2)\n# @expect other(\"{mangle}\")\n"
    );
    let kernel = format!(
        "# @preview use: schemas.gl, policy.mg\n# @preview name: {mangle}\n# @preview shard: coder-7 coder\nnote(\"{mangle}\", 70).\n"
    );
    let packet = json!({
        "control_packet": {
            "intent_classification": {"category": text, "verb": text, "target": text, "constraint": text, "confidence": 0.9},
            "mangle_updates": [format!("note(\"{mangle}\", 5)."), text, format!("unknown(\"{mangle}\").")],
            "memory_operations": [{"op": "note", "key": text, "value": text}, {"op": text, "key": "k", "value": text}],
            "self_correction": {"triggered": true, "hypothesis": text},
            "reasoning_trace": text,
            "tool_requests": [
                {"id": text, "tool_name": "read_file", "purpose": text, "tool_args": {"path": text}},
                {"id": "r2", "tool_name": text, "purpose": text, "tool_args": {"path": text}}
            ],
            text: text
        },
        "surface_response": text
    });
    let record = |role: &str, content: &str| {
        json!({"role": role, "content": content, "timestamp": text, "session_id": text}).to_string()
    };
    let transcript = [
        record("user", text),
        record("assistant", &packet.to_string()),
        record("tool", text),
        record(
            "assistant",
            &format!("{text} {{\"control_packet\": {{\"mangle_updates\": [{}], {text}", json!(text)),
        ),
        text.replace('\n', " "),
    ]
    .join("\n");
    folder(&[
        ("mangle-ls.toml", CONFIG),
        ("schemas.gl", SCHEMAS),
        ("policy.mg", &policy),
        ("b.mg", &damaged),
        ("policy_test.mg", &tests),
        ("fix.kernel.mg", &kernel),
        ("t/a.jsonl", &transcript),
    ])
}

/// A text with all that is hostile in it.
const HOSTILE: &str = "x\x1b[31mred\x1b]8;;http://evil.example\x07l\x1b]8;;\x07\u{9b}31m\u{9d}0;t\u{9c}\x08\x07\u{7f}\r\
    \u{202e}rtl\u{202c}\u{2066}i\u{2069}ze\u{200b}ro\u{feff}\u{2060}\u{e0041}\n::error::pwned\n##[error]pwned\n\
    <script>alert('1')</script> [a](javascript:1) ![i](http://e/x) ``` |c| \"]; evil [label=\"\\\" ]]>";

/// Texts at the start of which a spreadsheet sees a formula.
const FORMULAS: [&str; 4] = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+cmd", "@SUM(1)"];

/// Credentials, each with a part that must not be seen.
const SECRETS: [(&str, &str); 8] = [
    ("use sk-ant-api03-AbCdEf0123456789xyzQ now", "AbCdEf0123456789xyzQ"),
    ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789abcdefghij"),
    ("key AKIAIOSFODNN7EXAMPLE here", "IOSFODNN7EXAMPLE"),
    ("password: hunter2xyz!", "hunter2xyz"),
    ("postgres://me:s3cr3tpw@db.example/x", "s3cr3tpw"),
    ("Authorization: Bearer abc123def456", "abc123def456"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN", "dozjgNryP4J3jVmN"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7x\nQ2x5c2VsZg\n-----END RSA PRIVATE KEY-----",
        "MIIEowIBAAKCAQEA7x",
    ),
];

fn both(output: &Output) -> (String, String) {
    let [out, error] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    (out, error)
}

fn is_hidden(char: char) -> bool {
    let is_format = matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    char.is_control() && !matches!(char, '\n' | '\t') || is_format
}

/// Whether each line of GitHub's format that begins as a command is one of ours.
fn is_command_of_ours(line: &str) -> bool {
    ["::error file=", "::warning file=", "::notice file="].iter().any(|start| line.starts_with(start))
}

/// Markdown without its code: blocks, and spans that end with as many backticks as they begin with.
fn words_of(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('`') {
        out.push_str(&rest[..at]);
        let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let inner = &rest[at + run..];
        let mut from = 0;
        let end = loop {
            let Some(found) = inner[from..].find('`').map(|found| from + found) else { break None };
            let len = inner[found..].len() - inner[found..].trim_start_matches('`').len();
            if len == run {
                break Some(found + len);
            }
            from = found + len;
        };
        rest = match end {
            Some(end) => &inner[end..],
            None => inner,
        };
    }
    out + rest
}

fn well_formed(kind: Kind, out: &str) -> Result<(), String> {
    let json = |text: &str| serde_json::from_str::<Value>(text).map(drop).map_err(|error| error.to_string());
    match kind {
        Json if out.is_empty() => Ok(()),
        Json => json(out),
        JsonLines => out.lines().try_for_each(json),
        Markup
            if words_of(out).contains("<script")
                || words_of(out).contains("[a](javascript:") && !out.contains("<?xml") =>
        {
            Err("markup of the text is markup of the output".into())
        }
        Table if out.lines().any(|line| line.trim_start_matches('"').starts_with(['=', '@', '+'])) => {
            Err("a cell is a formula".into())
        }
        _ => Ok(()),
    }
}

#[test]
fn nothing_in_any_output_is_more_than_text() {
    let folder = project(HOSTILE);
    let mut wrong = String::new();
    for (kind, arguments) in COMMANDS {
        let (out, error) = both(&run(folder.path(), &anyway(arguments)));
        let hidden: Vec<_> = out.chars().chain(error.chars()).filter(|char| is_hidden(*char)).collect();
        let mut lines = out.lines().chain(error.lines()).map(str::trim_start);
        let command = lines.find(|line| {
            line.starts_with("::")
                && !line.starts_with("::: ")
                && !(*kind == Commands && is_command_of_ours(line))
        });
        let is_old_command = out.contains("##[") || error.contains("##[");
        let form = well_formed(*kind, &out);
        if !hidden.is_empty()
            || command.is_some()
            || is_old_command
            || form.is_err()
            || error.contains("panicked")
        {
            wrong += &format!("{arguments:?}: {hidden:?} {command:?} {is_old_command} {form:?}\n");
        }
        assert!(
            !(out.is_empty() && error.is_empty()) || arguments.contains(&"repair"),
            "{arguments:?} shows nothing"
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_page_has_no_markup_of_transcripts() {
    let folder = project(HOSTILE);
    run(folder.path(), &["replay", "t/a.jsonl", "--report", "page.html", "--anyway"]);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    assert_eq!(page.chars().find(|char| is_hidden(*char)), None);
    run(folder.path(), &["transcript", "stats", "t/a.jsonl", "--report", "figures.html", "--anyway"]);
    let page = read(folder.path(), "figures.html");
    assert!(page.contains("</html>") && !page.contains("<script"), "{page}");
    assert_eq!(page.chars().find(|char| is_hidden(*char)), None);
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    for text in FORMULAS {
        let folder = project(text);
        let (out, _) = both(&run(folder.path(), &["query", "note(X, Y)", "policy.mg", "--format", "csv"]));
        assert!(out.contains(&format!("'{text}")), "{out}");
    }
    let folder = folder(&[("a.mg", "Decl n(X).\nn(-5).\nn(7).\n")]);
    let (out, _) = both(&run(folder.path(), &["query", "n(X)", "--format", "csv"]));
    assert!(out.contains("\n-5\n"), "{out}");
}

#[test]
fn names_of_files_are_text() {
    let name = "t/n\u{202e}::x\x1b[31m\n::error::y<script>.jsonl";
    let folder = folder(&[
        ("mangle-ls.toml", "[transcripts]\ninclude = [\"t/**\"]\n"),
        (name, "{\"role\": \"assistant\", \"content\": \"hi {\"}\n{\n"),
    ]);
    for (kind, arguments) in COMMANDS.iter().filter(|(_, arguments)| arguments[0] == "check") {
        let (out, error) = both(&run(folder.path(), &anyway(arguments)));
        assert_eq!(
            out.chars().chain(error.chars()).find(|char| is_hidden(*char)),
            None,
            "{arguments:?}: {out}{error}"
        );
        assert!(!out.lines().any(|line| line.trim_start().starts_with("::error::")), "{arguments:?}: {out}");
        assert_eq!(well_formed(*kind, &out), Ok(()), "{arguments:?}: {out}");
    }
}

#[test]
fn no_output_shows_a_credential() {
    let text = SECRETS.map(|(text, _)| text).join("\n");
    let folder = project(&text);
    let mut wrong = String::new();
    let mut look = |what: &str, shown: &str| {
        for (_, part) in SECRETS.iter().filter(|(_, part)| shown.contains(part)) {
            wrong += &format!("{what} shows {part}\n");
        }
    };
    for (_, arguments) in COMMANDS {
        let (out, error) = both(&run(folder.path(), &anyway(arguments)));
        look(&format!("{arguments:?}"), &(out + &error));
    }
    run(
        folder.path(),
        &["replay", "t/a.jsonl", "--anyway", "--report", "page.html", "--log-file", "log.txt"],
    );
    run(folder.path(), &["transcript", "stats", "t/a.jsonl", "--report", "figures.html", "--anyway"]);
    run(
        folder.path(),
        &["transcript", "split", "t/a.jsonl", "--surface", "s.txt", "--control", "c.txt", "--anyway"],
    );
    for name in ["page.html", "figures.html", "s.txt", "c.txt", "log.txt"] {
        look(name, &read(folder.path(), name));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn credentials_are_shown_to_those_who_ask() {
    for (text, part) in SECRETS {
        let folder = project(text);
        for arguments in [
            &["check"][..],
            &["transcript", "parse", "t/a.jsonl", "--format", "json", "--anyway"],
            &["transcript", "split", "t/a.jsonl", "--anyway"],
        ] {
            let (out, _) = both(&run(folder.path(), &[arguments, &["--no-redact"]].concat()));
            assert!(out.contains(part), "{arguments:?} hides {part}: {out}");
        }
        run(folder.path(), &["replay", "t/a.jsonl", "--anyway", "--report", "page.html", "--no-redact"]);
        assert!(read(folder.path(), "page.html").contains(part), "{part}");
    }
}

fn read(folder: &std::path::Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn credentials_are_found_in_every_part_of_a_reply() {
    let secret = "password: 7hXq-9vTz-2Lm4";
    let packet = |member: Value, surface: &str| {
        let mut packet = json!({
            "intent_classification": {"category": "/query", "verb": "/explain", "target": "x", "constraint": "none", "confidence": 0.9},
            "mangle_updates": [], "memory_operations": []
        });
        packet.as_object_mut().unwrap().extend(member.as_object().unwrap().clone());
        json!({"control_packet": packet, "surface_response": surface}).to_string()
    };
    let cases = [
        ("surface-secret", packet(json!({}), secret)),
        ("packet-secret", packet(json!({"mangle_updates": [format!("note(\"{secret}\", 1).")]}), "Fine.")),
        ("packet-secret", packet(json!({"reasoning_trace": secret}), "Fine.")),
        (
            "packet-secret",
            packet(json!({"self_correction": {"triggered": true, "hypothesis": secret}}), "Fine."),
        ),
        (
            "packet-secret",
            packet(
                json!({"tool_requests": [{"id": "r", "tool_name": "t", "tool_args": {"password": "7hXq-9vTz-2Lm4"}}]}),
                "Fine.",
            ),
        ),
        (
            "secret-stored",
            packet(json!({"memory_operations": [{"op": "note", "key": "a:b", "value": secret}]}), "Fine."),
        ),
        (
            "secret-stored",
            packet(
                json!({"memory_operations": [{"op": "note", "key": "db:password", "value": "7hXq-9vTz-2Lm4"}]}),
                "Fine.",
            ),
        ),
        ("surface-leak", packet(json!({}), "{\"mangle_updates\": [\"p(1).\"]}")),
        (
            "surface-leak",
            packet(
                json!({"mangle_updates": ["task_status(\"t1\", /done)."]}),
                "I sent task_status(\"t1\", /done) on.",
            ),
        ),
        ("packet-secret", format!("{secret} {}", packet(json!({}), "Fine."))),
        ("surface-secret", format!("There is no envelope here, {secret}")),
    ];
    for (rule, reply) in cases {
        let folder = folder(&[("a.jsonl", &format!("{}\n", json!({"role": "assistant", "content": reply})))]);
        let (out, _) = both(&run(folder.path(), &["check", "--transcripts", "a.jsonl", "--format", "json"]));
        let found = out.lines().filter(|line| line.contains(&format!("\"rule\":\"{rule}\""))).count();
        assert_eq!(found, 1, "{rule} in {reply}: {out}");
        assert!(!out.contains("7hXq-9vTz"), "{out}");
    }
}
