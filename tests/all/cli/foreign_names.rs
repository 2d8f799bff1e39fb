//! Files with names that want to be more than names, in every command and every format: no line begins with a part of a
//! name, no control character and none that hides is written, and formats for programs keep the name as it is.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::Value;

use super::support::command;

/// A word that stands behind each line end in a name, and nowhere else at the start of a line.
const MARK: &str = "zqx";

/// Names of files, without their endings.
const NAMES: [&[u8]; 18] = [
    b"a\nzqx\n::error file=x,line=1::pwned",
    b"b\r\nzqx\r::warning::pwned",
    b"c\x1b[31mred\x1b]8;;http:x\x07link\x1b]8;;\x07",
    "d\u{9b}31m\u{85}x\u{9d}0;t\u{9c}".as_bytes(),
    "e\u{202e}txt\u{202c}\u{2066}x\u{2069}\u{200e}\u{61c}".as_bytes(),
    "f\u{200b}\u{200d}\u{feff}\u{2060}\u{ad}\u{180e}\u{34f}\u{3164}".as_bytes(),
    b"g`x``y```z",
    b"h]]>x-->&lt;<b>",
    b"i\"x'y$(id)",
    b"-j",
    b"k\tx\x0bz\x0cw",
    b"l%0A::error::pwned%0D",
    b"m\xff\xfe\x80",
    b"##vso[task.x]n##[error]x##teamcity[y]",
    "o\u{2028}zqx\u{2029}zqx".as_bytes(),
    b"p![i](x) [l](y)",
    b"=q+cmd|x",
    b"\n::error::zqx",
];

const POLICY: &str = "Decl note(X) bound [/string].\nnote(\"a\").\nother(X) :- note(X), missing(X).\nfine(X) :-   note(X).\n\
                      unlike(X) :- note(X), X != \"a\".\nbroken(1\n";
const TESTS: &str =
    "# @test name: one\n# @expect unlike(\"a\")\n\n# @test name: two\n# @expect fine(\"b\")\n";
const CLEAN: &str =
    "Decl note(X) bound [/string].\nnote(\"a\").\nfine(X) :- note(X).\nunlike(X) :- note(X), X != \"a\".\n";
const TRANSCRIPT: &str = "{\"role\":\"user\",\"content\":\"hi\"}\n{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\": \
                          {\\\"mangle_updates\\\": [\\\"note(1)\\\"]}, \\\"surface_response\\\": \\\"ok\\\"}\"}\n{\"role\":\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    JsonLines,
    Json,
    Xml,
    Commands,
}

use Kind::{Commands, Json, JsonLines, Text, Xml};

/// The commands that name files.
#[rustfmt::skip] // One row a command.
const COMMANDS: &[(Kind, &[&str])] = &[
    (Text, &["check", "."]), (JsonLines, &["check", ".", "--format", "json"]), (Json, &["check", ".", "--format", "sarif"]),
    (Commands, &["check", ".", "--format", "github"]), (Xml, &["check", ".", "--format", "junit"]),
    (Text, &["check", ".", "--show-program", "--statistics"]), (JsonLines, &["check", ".", "--show-program", "--format", "json"]),
    (Text, &["check", ".", "--diff", "--unsafe-fixes", "--fix-transcripts"]), (Text, &["check", "t"]),
    (Text, &["check", "--write-baseline", "base\nzqx.json"]), (Text, &["check", "--baseline", "base\nzqx.json"]),
    (Text, &["check", "--baseline", "no\nzqx\u{202e}.json"]), (Text, &["check", "--since", "zq\nzqx\u{9b}"]),
    (Text, &["format", "--check"]), (Text, &["format", "--diff"]),
    (Text, &["transcript", "parse", "t"]), (Text, &["transcript", "parse", "t", "--explain"]), (JsonLines, &["transcript", "parse", "t", "--format", "json"]),
    (Text, &["transcript", "show", "t"]), (JsonLines, &["transcript", "show", "t", "--format", "json"]),
    (Text, &["transcript", "split", "t"]), (Text, &["transcript", "stats", "t"]), (Text, &["transcript", "stats", "t", "--metrics", "prom"]),
    (JsonLines, &["transcript", "stats", "t", "--format", "json"]),
    (Text, &["replay", "t", "--policy", "clean"]), (JsonLines, &["replay", "t", "--policy", "clean", "--format", "json"]),
    (Text, &["replay", "t", "--policy", "clean", "--format", "markdown"]),
    (Text, &["graph", "clean", "--format", "dot"]), (Text, &["graph", "clean"]), (Json, &["graph", "clean", "--format", "json"]),
    (Text, &["query", "unlike(X)", "--why-not", "clean"]), (Text, &["query", "fine(X)", "--why", "clean"]),
    (Json, &["query", "fine(X)", "--why", "clean", "--format", "json"]), (Text, &["query", "fine(X)", "clean", "--format", "csv"]),
    (Text, &["test", "clean", "--coverage", "--min-coverage", "100"]), (Json, &["test", "clean", "--format", "json"]),
    (Xml, &["test", "clean", "--format", "junit", "--coverage"]), (Text, &["test", "p"]),
    (Text, &["transcript", "repair", "t"]),
    (Text, &["config", "show"]), (Text, &["config", "files"]), (Json, &["config", "files", "--format", "json"]),
];

fn write(folder: &Path, name: &[u8], ending: &str, text: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let name = [name, ending.as_bytes()].concat();
    std::fs::write(folder.join(OsStr::from_bytes(&name)), text).unwrap();
}

/// A folder in which each name is that of a policy, of a test and of a transcript.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        write(&folder.path().join("p"), name, ".mg", POLICY);
        write(&folder.path().join("p"), name, "_test.mg", TESTS);
        write(&folder.path().join("t"), name, ".piggyback.jsonl", TRANSCRIPT);
    }
    write(&folder.path().join("clean"), NAMES[0], ".mg", CLEAN);
    write(&folder.path().join("clean"), NAMES[1], "_test.mg", TESTS);
    folder
}

fn is_hidden(char: char) -> bool {
    mangle_report::sink::is_hidden(char)
}

/// What is wrong with the lines of an output.
fn wrong(text: &str, kind: Kind) -> Vec<String> {
    let begins = |line: &str| {
        let line = line.trim_start();
        let is_ours = line.contains(",title=") || line.starts_with("::warning title=mangle-ls::");
        let is_ours = kind == Commands && is_ours;
        let is_command =
            ["::error", "::warning", "##[", "##vso[", "##teamcity["].iter().any(|it| line.starts_with(it));
        line.starts_with(MARK) || is_command && !is_ours
    };
    let is_wrong = |line: &&str| line.chars().any(is_hidden) || begins(line);
    text.split('\n').filter(is_wrong).map(|line| format!("{line:?}")).collect()
}

#[test]
fn names_are_names_in_every_output() {
    let folder = project();
    for (kind, arguments) in COMMANDS {
        let output = command(folder.path(), arguments).output().unwrap();
        assert!(matches!(output.status.code(), Some(0..=2)), "{arguments:?}: {:?}", output.status);
        let out = String::from_utf8(output.stdout).unwrap();
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert_eq!(wrong(&out, *kind), [""; 0], "{arguments:?}");
        assert_eq!(wrong(&complaints, Text), [""; 0], "{arguments:?}, standard error");
        match kind {
            JsonLines => out.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            Json => drop(serde_json::from_str::<Value>(&out).unwrap()),
            Xml => drop(roxmltree::Document::parse(&out).unwrap()),
            Text | Commands => {}
        }
    }
}

#[test]
fn names_in_arguments_are_names() {
    let folder = project();
    for name in NAMES.iter().filter(|name| !name.starts_with(b"-") && !name.contains(&b'/')) {
        let name = OsStr::from_bytes(name);
        let missing = [OsStr::new("no"), name].join(OsStr::new(""));
        let all: [&[&OsStr]; 7] = [
            &[OsStr::new("check"), &missing],
            &[OsStr::new("fmt"), &missing],
            &[OsStr::new("parse"), &missing],
            &[OsStr::new("config"), &missing],
            &[OsStr::new("check"), OsStr::new("--format"), name],
            &[OsStr::new("rule"), name],
            &[name],
        ];
        for arguments in all {
            let output = command(folder.path(), &[]).args(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            for stream in [output.stdout, output.stderr] {
                let text = String::from_utf8(stream).unwrap();
                assert_eq!(wrong(&text, Text), [""; 0], "{arguments:?}");
            }
        }
    }
}

#[test]
fn names_stay_true_for_programs() {
    let folder = project();
    let run = |arguments: &[&str]| {
        let output = command(folder.path(), arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let name = format!("p/{}.mg", String::from_utf8_lossy(NAMES[0]));
    let json = run(&["check", "p", "--format", "json"]);
    let lines = json.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(lines.into_iter().any(|line| line["file"] == name.as_str()));
    let xml = run(&["check", "p", "--format", "junit"]);
    let document = roxmltree::Document::parse(&xml).unwrap();
    assert!(document.descendants().any(|node| node.attribute("name") == Some(&name)), "{xml}");
    let github = run(&["check", "p", "--format", "github"]);
    assert!(github.contains("file=p/a%0Azqx%0A%3A%3Aerror file=x%2Cline=1%3A%3Apwned.mg"), "{github}");
}
