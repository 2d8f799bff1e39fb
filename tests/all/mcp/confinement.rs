//! Nothing outside of the folders is read, whatever names it: an argument, a link, a configuration, a header, a property.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::McpClient;
use crate::support::command::{folder, run};

/// What stands in the file outside, which no answer may have in it.
const MARK: &str = "outside_mark";

/// A folder `in` for the server, and beside it what is none of its business.
fn world(files: &[(&str, &str)]) -> TempDir {
    let outside = [
        ("out/policy.mg", "Decl outside_mark(X).\noutside_mark(/a).\n".to_owned()),
        ("out/session.jsonl", format!("{{\"role\":\"assistant\",\"content\":\"{MARK}\"}}\n")),
        ("out/facts.csv", format!("name\n{MARK}\n")),
        ("in/own.mg", "Decl own(X).\nown(/a).\n".to_owned()),
    ];
    let mut all: Vec<(&str, &str)> = outside.iter().map(|(name, text)| (*name, text.as_str())).collect();
    all.extend_from_slice(files);
    folder(&all)
}

fn start(world: &TempDir) -> McpClient {
    McpClient::start(&world.path().join("in"), &[])
}

#[track_caller]
fn has_no_mark(answer: &Value) {
    assert!(!answer.to_string().contains(MARK), "{answer}");
}

#[test]
fn arguments_that_lead_outside_are_refused() {
    let world = world(&[]);
    let mut client = start(&world);
    let absolute = world.path().join("out/policy.mg").to_string_lossy().into_owned();
    for path in [
        "../out/policy.mg",
        "../out",
        "..",
        "/",
        "/etc/passwd",
        "deep/../../out/policy.mg",
        "../in/../out/*.mg",
        "../no-such",
        &absolute,
    ] {
        for (tool, arguments) in [
            ("check", json!({"paths": [path]})),
            ("check", json!({"path": path, "text": "p(1).\n"})),
            ("query", json!({"atom": "p(X)", "paths": [path]})),
            ("query", json!({"atom": "p(X)", "facts": [path]})),
            ("predicates", json!({"paths": [path]})),
            ("test", json!({"paths": [path]})),
            ("verify", json!({"paths": [path]})),
            ("replay", json!({"path": path})),
            ("replay", json!({"path": "own.mg", "policy": [path]})),
            ("replay", json!({"path": "own.mg", "facts": [path]})),
            ("repair", json!({"path": path})),
            ("preview", json!({"path": path})),
            ("schema", json!({"paths": [path]})),
        ] {
            let why = client.refused(tool, arguments);
            assert!(why.contains("is outside of the folders of this server"), "{tool} {path}: {why}");
        }
    }
}

#[test]
fn options_are_no_paths_and_paths_no_options() {
    let world = world(&[]);
    let mut client = start(&world);
    for path in ["--no-redact", "-", "--fix", "--log-file=x"] {
        let answer = client.call("query", json!({"atom": path, "paths": ["own.mg"]}));
        assert_eq!(answer["status"], "failure", "{path}: {answer}");
        let answer = client.call("check", json!({"paths": [path]}));
        assert_eq!(answer["status"], "failure", "{path}: {answer}");
    }
    let names: Vec<_> =
        std::fs::read_dir(world.path().join("in")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["own.mg"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_outside_are_not_followed() {
    let world = world(&[]);
    let inside = world.path().join("in");
    std::os::unix::fs::symlink("../out/policy.mg", inside.join("link.mg")).unwrap();
    std::os::unix::fs::symlink("../out", inside.join("folder")).unwrap();
    let mut client = start(&world);
    for path in ["link.mg", "folder", "folder/policy.mg"] {
        let why = client.refused("check", json!({"paths": [path]}));
        assert!(why.contains("is outside of the folders"), "{why}");
    }
    let found = client.call("check", json!({}));
    has_no_mark(&found);
    assert!(found["findings"].to_string().contains("link.mg"), "it is said: {found}");
    has_no_mark(&client.call("predicates", json!({})));
}

/// The repository around the folder does not widen it.
#[cfg(unix)]
#[test]
fn links_within_a_repository_are_not_followed_either() {
    let world = world(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    std::os::unix::fs::symlink("../out/policy.mg", world.path().join("in/link.mg")).unwrap();
    let mut client = start(&world);
    let found = client.call("check", json!({}));
    has_no_mark(&found);
    let said = found["findings"].to_string();
    assert!(said.contains("link.mg") && said.contains("outside of the folders"), "it is said: {found}");
    has_no_mark(&client.call("predicates", json!({"anyway": true})));
    has_no_mark(&client.call("query", json!({"atom": "own(X)", "anyway": true})));
}

#[test]
fn configurations_cannot_name_what_is_outside() {
    let config = "[files]\ninclude = [\"../out/*.mg\", \"**\"]\n\n[[program]]\nname = \"all\"\ninclude = [\"../out/policy.mg\", \"own.mg\"]\n\n\
                  [kernel]\nsample = \"../out/policy.mg\"\n\n[prompt]\natoms = [\"../out/*.yaml\", \"../out\"]\n\n[transcripts]\nfiles = [\"../out/session.jsonl\"]\ntools = \"../out/session.jsonl\"\n\n[decoding]\nfiles = [\"../out/session.jsonl\"]\n";
    let kernel = "# @preview shard: coder-1 coder\n# @preview session: ../out/facts.csv\n# @preview use: ../out/policy.mg, ../out/*.mg, own.mg\nown(/b).\n";
    let test = "# @never outside_mark(X)\n# @equivalent ../out/policy.mg own\nown(/c).\n";
    let world = world(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("in/mangle-ls.toml", config),
        ("in/a.kernel.mg", kernel),
        ("in/own_test.mg", test),
    ]);
    let mut client = start(&world);
    for (tool, arguments) in [
        ("check", json!({"evaluate": true, "verify": true})),
        ("predicates", json!({})),
        ("query", json!({"atom": "own(X)"})),
        ("query", json!({"atom": "own(X)", "paths": ["a.kernel.mg"]})),
        ("test", json!({})),
        ("verify", json!({"scope": 1})),
        ("preview", json!({"path": "a.kernel.mg"})),
        ("schema", json!({})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let text = answer
            .to_string()
            .replace("outside_mark(X)", "")
            .replace("outside_mark/1", "")
            .replace("`outside_mark`", "");
        assert!(
            !text.contains("outside_mark(/a)") && !text.contains("policy.mg\\\",\\\"line"),
            "{tool}: {answer}"
        );
    }
}

#[test]
fn configuration_above_the_folder_is_not_read_and_said() {
    let world = world(&[
        ("mangle-ls.toml", "[rules]\nundefined-predicate = \"off\"\n"),
        ("in/b.mg", "p(X) :- q(X).\n"),
    ]);
    let mut client = start(&world);
    let found = client.call("check", json!({}));
    assert!(found["findings"].to_string().contains("undefined-predicate"), "{found}");
    let said = found["problems"][0]["message"].as_str().unwrap();
    assert!(said.starts_with("a `mangle-ls.toml` above the folder"), "{said}");
}

#[test]
fn several_folders_can_be_given() {
    let world = world(&[]);
    let mut client = McpClient::start(world.path(), &["in", "out"]);
    let absolute = world.path().join("out/policy.mg").to_string_lossy().into_owned();
    let answer = client.call("predicates", json!({"paths": [absolute]}));
    assert!(answer.to_string().contains(MARK), "{answer}");
    assert!(
        client
            .refused("check", json!({"paths": [world.path().to_string_lossy()]}))
            .contains("is outside of the folders")
    );
}

#[test]
fn nothing_is_written() {
    let world = world(&[("in/bad.mg", "p(X) :- q(X) .\nopen(D) :- door(D), !locked(D, _).\n")]);
    let before = snapshot(world.path());
    let mut client = start(&world);
    for tool in ["check", "predicates", "test", "verify", "schema"] {
        client.request("tools/call", json!({"name": tool, "arguments": {}}));
    }
    client.leave();
    assert_eq!(snapshot(world.path()), before);
}

/// The names and texts of all files.
fn snapshot(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(snapshot(&path)),
            false => all.push((path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap())),
        }
    }
    all.sort();
    all
}

/// The command line is not confined.
#[test]
fn the_command_line_reads_where_it_is_sent() {
    let world = world(&[]);
    let output = run(&world.path().join("in"), &["graph", "../out"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains(MARK));
}
