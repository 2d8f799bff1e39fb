//! A program that does not load gives no verdict: every command that evaluates refuses it, or marks its output.

use std::fs;
use std::path::Path;

use mangle_ls::cli::{CommandOutput, capture_in};

/// A policy that loads, and permits every request.
const POLICY: &str = "Decl task_status(T, S) descr [extensional()] bound [/string, /name].\n\
     Decl pending_action(Id, Action, Target, Payload, At) descr [extensional()] \
     bound [/string, /name, /string, /string, /number].\n\
     Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\n\
     Decl blocked(Action) bound [/name].\n\
     permitted(A, T, P) :- pending_action(_, A, T, P, _), !blocked(A).\n";

const SETTINGS: &str = "[[program]]\nname = \"p\"\ninclude = [\"*.mg\"]\n";

const TEST: &str =
    "# @never permitted(/never, _, _)\n# @test name: nothing is blocked\n# @forbid blocked(_)\n";

const KERNEL: &str = "# @preview shard: coder as coder\ntask_status(\"t1\", /running).\n";

const SESSION: &str = r#"{"role": "assistant", "content": "{\"control_packet\": {\"intent_classification\": {\"category\": \"/query\", \"verb\": \"/debug\", \"target\": \"lock.rs\", \"constraint\": \"none\", \"confidence\": 0.9}, \"mangle_updates\": [\"task_status(\\\"t1\\\", /running).\"], \"memory_operations\": [], \"tool_requests\": [{\"id\": \"r1\", \"tool_name\": \"delete_file\", \"tool_args\": {\"path\": \"src/a.rs\"}, \"purpose\": \"p\", \"required\": true}]}, \"surface_response\": \"I clean up.\"}"}"#;

/// What is wrong, with what is added to the policy and to the settings, and a part of the finding.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    ("syntax error", "blocked(/delete_file) := task_status(\"t1\", /running).\n", "", "MG047"),
    ("undefined predicate", "blocked(A) :- denied(A).\n", "", "MG301"),
    ("wrong arity", "blocked(A) :- task_status(A).\n", "", "MG302"),
    (
        "negative cycle",
        "blocked(A) :- pending_action(_, A, _, _, _), !permitted(A, _, _).\nblocked(A) :- pending_action(_, A, T, P, _), !permitted(A, T, P).\n",
        "",
        "MG501",
    ),
    ("unsafe head variable", "blocked(A) :- task_status(_, /running).\n", "", "MG201"),
    ("rule that settings switch off", "blocked(A) :- denied(A).\n", "[rules]\nMG301 = \"off\"\n", "MG301"),
    ("broken settings", "", "[kernel\n", "MG901"),
    ("unknown value", "", "[kernel]\nreading = \"writen\"\n", "MG903"),
];

/// The commands that evaluate, or use what a program means.
const COMMANDS: &[&[&str]] = &[
    &["query", "blocked(A)", "policy.mg"],
    &["query", "--dump", "policy.mg", "--format", "json"],
    &["replay", "transcripts/s.jsonl"],
    &["replay", "transcripts/s.jsonl", "--policy", "policy.mg", "--format", "json"],
    &["replay", "transcripts/s.jsonl", "--format", "markdown"],
    &["transcript", "stats", "transcripts/s.jsonl"],
    &["transcript", "stats", "transcripts/s.jsonl", "--format", "json"],
    &["transcript", "show", "transcripts/s.jsonl"],
    &["transcript", "show", "transcripts/s.jsonl", "--format", "json"],
    &["transcript", "show", "transcripts/s.jsonl", "--format", "markdown"],
    &["transcript", "parse", "transcripts/s.jsonl"],
    &["transcript", "parse", "transcripts/s.jsonl", "--format", "json"],
    &["transcript", "split", "transcripts/s.jsonl"],
    &["transcript", "repair", "transcripts/s.jsonl", "--format", "json"],
    &["graph", "policy.mg"],
    &["graph", "policy.mg", "--format", "json"],
    &["graph", "policy.mg", "--format", "mermaid"],
    &["graph", "policy.mg", "--format", "dot"],
    &["test", "."],
    &["test", ".", "--format", "json"],
    &["test", ".", "--format", "junit"],
    &["verify", "."],
    &["verify", ".", "--format", "json"],
    &["verify", ".", "--format", "junit"],
    &["verify", ".", "--rules"],
    &["diff", "policy.mg", "policy.mg", "permitted(A, T, P)"],
    &["diff", "policy.mg", "policy.mg", "permitted(A, T, P)", "--format", "json"],
    &["preview", "a.kernel.mg"],
    &["preview", "a.kernel.mg", "--format", "json"],
    &["grammar", "--target", "gbnf", "policy.mg"],
    &["grammar", "--target", "lark", "policy.mg"],
    &["grammar", "--target", "ebnf", "policy.mg"],
    &["grammar", "--target", "json-schema", "policy.mg"],
];

/// The commands that only read settings.
const OTHERS: &[&[&str]] =
    &[&["config", "show"], &["config", "show", "policy.mg"], &["format", "--check", "policy.mg"]];

fn write(folder: &Path, policy: &str, settings: &str) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    fs::create_dir_all(folder.join("transcripts")).unwrap();
    write("policy.mg", &format!("{POLICY}{policy}"));
    write("mangle-ls.toml", &format!("{SETTINGS}{settings}"));
    write("policy_test.mg", TEST);
    write("a.kernel.mg", KERNEL);
    write("transcripts/s.jsonl", SESSION);
}

fn run(folder: &Path, arguments: &[&str]) -> (CommandOutput, String, String) {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let output = capture_in(folder.to_path_buf(), &arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.output), text(&output.errors));
    (output, out, errors)
}

/// Words of verdicts, facts, passed tests and answers.
const CERTAIN: &[&str] =
    &["PERMIT", "permitted by", "1 passed", "holds", "equivalent", "root ::=", "digraph"];

#[test]
fn program_that_does_not_load_is_refused_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (name, policy, settings, code) in MISTAKES {
        write(folder.path(), policy, settings);
        for arguments in COMMANDS {
            let (output, out, errors) = run(folder.path(), arguments);
            let is_refused = output.status == 2 && errors.contains(code);
            let is_certain = CERTAIN.iter().any(|word| out.contains(word));
            let is_report = matches!(arguments[0], "test") || out.is_empty();
            if !is_refused || is_certain || !is_report {
                wrong.push(format!("{name}: {arguments:?}: {}\n{out}\n{errors}", output.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{} not refused:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn output_about_a_program_that_does_not_load_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (name, policy, settings, code) in MISTAKES {
        write(folder.path(), policy, settings);
        for arguments in COMMANDS {
            let arguments: Vec<_> = arguments.iter().copied().chain(["--anyway"]).collect();
            let (output, out, errors) = run(folder.path(), &arguments);
            let is_json = arguments.contains(&"json");
            let mark = if is_json { "\"program_loads\":" } else { *code };
            let is_marked = out.lines().any(|line| line.contains(mark));
            // There is nothing to repair, and no envelope may be possible.
            let is_idle = out.is_empty() && (arguments.contains(&"repair") || output.status == 2);
            if !is_marked && !is_idle {
                wrong.push(format!("{name}: {arguments:?}: {}\n{out}\n{errors}", output.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{} not marked:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn broken_settings_are_an_error_of_every_command() {
    let folder = tempfile::tempdir().unwrap();
    for (name, policy, settings, code) in MISTAKES.iter().filter(|(_, policy, ..)| policy.is_empty()) {
        write(folder.path(), policy, settings);
        for arguments in OTHERS {
            let (output, out, errors) = run(folder.path(), arguments);
            assert_eq!((output.status, out.as_str()), (2, ""), "{name}: {arguments:?}: {errors}");
            assert!(errors.contains(code), "{name}: {arguments:?}: {errors}");
        }
        let (output, out, errors) = run(folder.path(), &["config", "files"]);
        assert!(output.status == 2 && out.contains(code), "{name}: {out} {errors}");
        let (output, out, errors) = run(folder.path(), &["check", "."]);
        assert!(output.status == 2 && out.contains(code), "{name}: {out} {errors}");
    }
}

#[test]
fn ignored_settings_are_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "", "[kernel]\nreadng = \"go\"\n[rules]\nMG999 = \"off\"\n");
    for arguments in
        [&["query", "blocked(A)", "policy.mg"][..], &["format", "--check"], &["config", "show"], &["test"]]
    {
        let (_, _, errors) = run(folder.path(), arguments);
        for what in ["unknown setting `readng` in `kernel`", "unknown rule or group `MG999`"] {
            assert_eq!(errors.matches(what).count(), 1, "{arguments:?}: {errors}");
        }
    }
}

#[test]
fn check_evaluates_only_what_loads() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "blocked(A) :- denied(A).\n", "[rules]\nMG301 = \"off\"\n");
    let (output, _, errors) = run(folder.path(), &["check", "."]);
    assert_eq!((output.status, errors.as_str()), (0, ""));
    for option in ["--evaluate", "--verify"] {
        let (output, _, errors) = run(folder.path(), &["check", ".", option]);
        assert!(output.status == 2 && errors.contains("MG301"), "{option}: {errors}");
        let (_, out, _) = run(folder.path(), &["check", ".", option, "--anyway", "--format", "json"]);
        assert!(out.lines().last().unwrap().contains("\"program_loads\":false"), "{option}: {out}");
    }
}

#[test]
fn mistake_in_a_case_concerns_that_case_alone() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "", "");
    let test = "# @test name: broken\ntask_status(\"t\" /x).\n# @forbid blocked(_)\n\
                # @test name: whole\ntask_status(\"t\", /x).\n# @forbid blocked(_)\n";
    fs::write(folder.path().join("policy_test.mg"), test).unwrap();
    let (output, out, _) = run(folder.path(), &["test", "."]);
    assert!(output.status == 2 && out.contains("ok      whole") && out.contains("ERROR   broken"), "{out}");
}

#[test]
fn question_without_files_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (output, out, errors) = run(folder.path(), &["query", "p(X)"]);
    assert_eq!((output.status, out.as_str()), (2, ""));
    assert!(errors.contains("there are no Mangle files"), "{errors}");
}

#[test]
fn turns_count_from_one() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "", "");
    for option in ["--turn", "--from", "--until"] {
        let (output, _, errors) = run(folder.path(), &["replay", "transcripts/s.jsonl", option, "0"]);
        assert!(output.status == 2 && errors.contains("invalid value '0'"), "{option}: {errors}");
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn closed_output_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "", "");
    let program = env!("CARGO_BIN_EXE_mangle-ls");
    for command in ["config show", "check .", "query 'blocked(A)' policy.mg", "test .", "--version"] {
        let line = format!("'{program}' {command} >&-");
        let run = std::process::Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output();
        let run = run.unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{command}: {errors}");
        assert!(errors.contains("standard output: it is closed"), "{command}: {errors}");
    }
}
