//! `split`: the two channels of a transcript, each for itself.

use expect_test::expect;

use super::support::{check, folder};
use super::transcripts::{SCHEMAS, SESSION, line, run};

#[test]
fn two_streams() {
    check(
        &[SESSION],
        &["transcript", "split", "session.jsonl"],
        expect![[r#"
            surface 1: All fine.
            control 1: task_status("é1", /done).
            surface 2: Half fine.
            no policy is loaded, so neither its declarations nor its verdict about the reply are considered
            exit 0
        "#]],
    );
    let folder = folder(&[SESSION]);
    let (out, _, _) = run(
        &folder,
        &["transcript", "split", "session.jsonl", "--surface", "s.txt", "--control", "c.txt"],
        "",
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((out.as_str(), read("s.txt").as_str()), ("", "1: All fine.\n2: Half fine.\n"));
    assert_eq!(read("c.txt"), "1: task_status(\"é1\", /done).\n");
}

/// A log of both streams gives the same surfaces and updates as the transcript that it was made of.
#[test]
fn a_log_of_both_streams_is_read_again() {
    let session = [
        line("One.\nTwo,\n\n\tthree \u{1b}[31m ünï \\u{41}\n", &["task_status(\"a\", /open).", "lost("], "m"),
        line("[USER] quoted\n[KERNEL] quoted", &[], "m"),
        line("password: hunter2x", &["task_status(\"b\", /done).", "task_status(\"c\", /done)."], "m"),
    ]
    .concat();
    let folder = folder(&[SCHEMAS, ("a.jsonl", &session)]);
    let split = |file: &str, more: &[&str]| {
        let (out, error, code) =
            run(&folder, &[&["transcript", "split", file, "--no-redact"], more].concat(), "");
        assert_eq!((error.as_str(), code), ("", Some(0)));
        out
    };
    let log = split("a.jsonl", &["--format", "log"]);
    expect![[r#"
        [USER] One.
        	Two,
	
        		three \u{1b}[31m ünï \u{5c}u{41}
	
        [KERNEL] task_status("a", /open).
        [USER] [USER] quoted
        	[KERNEL] quoted
        [KERNEL]
        [USER] password: hunter2x
        [KERNEL] task_status("b", /done).
        [KERNEL] task_status("c", /done).
    "#]]
    .assert_eq(&log);
    std::fs::write(folder.path().join("b.log"), &log).unwrap();
    assert_eq!(split("b.log", &["--format", "log"]), log);
    assert_eq!(split("b.log", &[]), split("a.jsonl", &[]));
    // Without `--no-redact`, what looks like a credential is masked.
    let (masked, ..) = run(&folder, &["transcript", "split", "a.jsonl", "--format", "log"], "");
    assert!(!masked.contains("hunter2x") && masked.contains("[USER] password: "), "{masked}");
}

#[test]
fn streams_of_a_log_go_to_their_files() {
    let folder = folder(&[SCHEMAS, ("a.jsonl", &line("Hello.", &["task_status(\"a\", /open)."], "m"))]);
    let arguments =
        ["transcript", "split", "a.jsonl", "--format", "log", "--surface", "s.log", "--control", "c.log"];
    assert_eq!(run(&folder, &arguments, "").0, "");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("s.log"), "[USER] Hello.\n");
    assert_eq!(read("c.log"), "[KERNEL] task_status(\"a\", /open).\n");
}

/// What `split --format log` writes is a transcript to the commands that need no replies, and `parse` is not silent about it.
#[test]
fn logs_of_both_channels_are_read_again() {
    let log = "[USER] hi\n[KERNEL] bad(\n[KERNEL] permitted(/x, \"a\", \"b\").\n";
    let files = [("bad.log", log)];
    check(
        &files,
        &["check", "bad.log"],
        expect![[r#"
            error[PB202 atom-syntax]: missing `)` after `bad(`
             --> bad.log:2:13
              |
            2 | [KERNEL] bad(
              |             ^ expected `)` after this
              |
              = note: the runtime cannot read the update and ignores it
              = help: insert `)` (a guess, look before you apply it; edits evidence)

            error[PB205 protected-head]: a reply may not assert `permitted`
             --> bad.log:3:10
              |
            3 | [KERNEL] permitted(/x, "a", "b").
              |          ^^^^^^^^^
              |
              = note: it would grant itself permission
              = note: only the agent's core or its constitution may assert this predicate
              = help: delete the update

            2 errors in 1 file (0 clauses); no declarations for 1 transcript, so predicates were not looked up
            exit 1
        "#]],
    );
    check(
        &files,
        &["transcript", "parse", "bad.log", "--explain"],
        expect![[r#"
        warning: bad.log: there is no reply in it, only what the runtime made of replies
        exit 1
    "#]],
    );
    let policy = "Decl task_status(Task, Status) bound [/string, /name].\n\
                  Decl permitted(Action, Target, Payload) bound [/name, /string, /string].\n";
    let log = "[USER] hi\n[KERNEL] task_status(\"a\", /running).\n";
    let files = [("ok.log", log), ("policy.mg", policy)];
    check(
        &files,
        &["replay", "--policy", "policy.mg", "ok.log"],
        expect![[r#"
            error: no rule permits or blocks anything: there is no rule for `permitted/3` or `blocked_action`
            exit 2
        "#]],
    );
}
