//! `check`: output, exit statuses, bad input.

use std::io::Write as _;
use std::process::Stdio;

use expect_test::expect;

use super::support::{BAD, GOOD, check, check_in, command, folder, folder_of_bytes, render, run};

#[test]
fn a_clean_program() {
    check(
        &[("a.mg", GOOD)],
        &["check"],
        expect![[r#"
        No findings in 1 file (1 clause)
        exit 0
    "#]],
    );
}

#[test]
fn findings_as_text() {
    check(
        &[("a.mg", GOOD), ("b.mg", BAD)],
        &["check"],
        expect![[r#"
            error[MG301 undefined-predicate]: undefined predicate `r/1`
             --> b.mg:2:15
              |
            2 | q(X) :- p(X), r(X).
              |               ^
              |
              = note: the engine rejects the program

            1 error in 2 files (2 clauses)
            exit 1
        "#]],
    );
}

#[test]
fn findings_as_json() {
    check(
        &[("a.mg", GOOD), ("x/b.mg", BAD)],
        &["check", "--format", "json"],
        expect![[r#"
            {"file":"x/b.mg","code":"MG301","rule":"undefined-predicate","severity":"error","message":"undefined predicate `r/1`","line":2,"column":15,"end_line":2,"end_column":16,"start":41,"end":42,"path":[],"label":null,"related":[],"notes":["the engine rejects the program"],"help":null,"fix":null}
            {"summary":{"files":2,"clauses":2,"envelopes":0,"errors":1,"warnings":0,"information":0,"hints":0,"elapsed_ms":0,"engines":["2026-06"]}}
            exit 1
        "#]],
    );
}

#[test]
fn exit_status_follows_fail_on() {
    let folder = folder_of_bytes(&[("a.mg", b"p(\"\xe9\").\n")]);
    let status = |arguments: &[&str]| run(folder.path(), arguments).status.code();
    assert_eq!(status(&["check"]), Some(0));
    assert_eq!(status(&["check", "--fail-on", "warning"]), Some(1));
    assert_eq!(status(&["check", "--fail-on", "never"]), Some(0));
    assert_eq!(status(&["check", "--fail-on", "warnings"]), Some(2));
    std::fs::write(folder.path().join("mangle-ls.toml"), "fail_on = 'warning'\n").unwrap();
    assert_eq!(status(&["check"]), Some(1));
    assert_eq!(status(&["check", "--fail-on", "error"]), Some(0));
    std::fs::write(folder.path().join("mangle-ls.toml"), "[rules]\ninvalid-utf8 = 'error'\n").unwrap();
    assert_eq!(status(&["check"]), Some(1));
    std::fs::write(folder.path().join("mangle-ls.toml"), "[rules]\n'MG9*' = 'off'\n").unwrap();
    assert_eq!(status(&["check", "--fail-on", "hint"]), Some(0));
}

#[test]
fn what_is_not_there_is_named_after_the_rest_was_done() {
    check(
        &[("b.mg", BAD)],
        &["check", "gone.mg", "b.mg", "no/*.mg"],
        expect![[r#"
            error[MG301 undefined-predicate]: undefined predicate `p/1`
             --> b.mg:2:9
              |
            2 | q(X) :- p(X), r(X).
              |         ^
              |
              = note: the engine rejects the program

            error[MG301 undefined-predicate]: undefined predicate `r/1`
             --> b.mg:2:15
              |
            2 | q(X) :- p(X), r(X).
              |               ^
              |
              = note: the engine rejects the program

            2 errors in 1 file (1 clause)
            error: gone.mg: no such file or directory
            error: no/*.mg: no such file or directory
            exit 2
        "#]],
    );
}

#[test]
fn nothing_to_check() {
    check(
        &[("README.md", "# no Mangle")],
        &["check"],
        expect![[r#"
            Nothing to check
            warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; there is no `mangle-ls.toml` here or above
            exit 0
        "#]],
    );
    check(
        &[("README.md", "# no Mangle")],
        &["check", "README.md"],
        expect![[r#"
            Nothing to check
            warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; there is no `mangle-ls.toml` here or above
            error: README.md: it is neither Mangle nor a transcript nor prompt atoms; `--transcripts` reads any file
            exit 2
        "#]],
    );
}

#[test]
fn the_program_on_demand() {
    let files: &[(&str, &str)] = &[
        (
            "mangle-ls.toml",
            "[[program]]\nname = 'guardian'\ninclude = ['policy']\nhost_predicates = ['r/1']\n",
        ),
        ("policy/a.mg", GOOD),
        ("policy/b.mg", BAD),
        ("policy/b_test.mg", "s(X) :- q(X).\n"),
        ("other.mg", "# not in the program\n"),
    ];
    check(
        files,
        &["check", "--show-program"],
        expect![[r#"
            program guardian in ., by mangle-ls.toml
              policy/a.mg
              policy/b.mg
              policy/b_test.mg (by itself with the program)
              r/1 (supplied by the host)
              engine 2026-06
            in no program:
              other.mg

            warning[MG937 test-without-case]: test file has no case
             --> policy/b_test.mg:1:1
              |
            1 | s(X) :- q(X).
              | ^^^^^^^^^^^^^
              |
              = note: `mangle-ls test` runs nothing in it and ends with an error
              = help: begin a case with `# @test name: …`

            1 warning in 3 files (3 clauses)
            exit 0
        "#]],
    );
    check(
        files,
        &["check", "--show-program", "--format", "json", "policy/a.mg"],
        expect![[r#"
            {"summary":{"files":1,"clauses":1,"envelopes":0,"errors":0,"warnings":0,"information":0,"hints":0,"elapsed_ms":0,"engines":["2026-06"]}}
            program guardian in ., by mangle-ls.toml
              policy/a.mg
              policy/b.mg (read, not reported)
              r/1 (supplied by the host)
              engine 2026-06
            exit 0
        "#]],
    );
}

#[test]
fn configuration_files_have_findings_too() {
    check(
        &[("mangle-ls.toml", "[rules]\nundefined-predicat = 'off'\nMG905 = 'loud'\n"), ("a.mg", GOOD)],
        &["check"],
        expect![[r#"
            warning[MG904 config-unknown-rule]: unknown rule or group `undefined-predicat`
             --> mangle-ls.toml:2:1
              |
            2 | undefined-predicat = 'off'
              | ^^^^^^^^^^^^^^^^^^ this line has no effect
              |
              = help: write `undefined-predicate` (a guess, look before you apply it)

            error[MG903 config-bad-value]: unknown value `loud` for the severity of a rule
             --> mangle-ls.toml:3:10
              |
            3 | MG905 = 'loud'
              |          ^^^^ this value is ignored
              |
              = note: the values are `off`, `hint`, `information`, `warning`, `error`

            1 error, 1 warning in 1 file (1 clause)
            error: the settings cannot be used
              mangle-ls.toml:3:10: unknown value `loud` for the severity of a rule (MG903)
            exit 2
        "#]],
    );
}

#[test]
fn standard_input() {
    let folder = folder(&[("schemas.gl", GOOD)]);
    let mut child = command(folder.path(), &["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"Decl q(X).\nq(X) :- p(X), !r(X).\n").unwrap();
    expect![[r#"
        error[MG301 undefined-predicate]: undefined predicate `r/1`
         --> <stdin>:2:16
          |
        2 | q(X) :- p(X), !r(X).
          |                ^
          |
          = note: the engine rejects the program

        1 error in 1 file (1 clause)
        exit 1
    "#]]
    .assert_eq(&render(&child.wait_with_output().unwrap()));
}

#[test]
fn colour_on_demand() {
    let folder = folder(&[("b.mg", BAD)]);
    let has_colour = |arguments: &[&str], no_color: bool| {
        let mut command = command(folder.path(), arguments);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        command.output().unwrap().stdout.contains(&b'\x1b')
    };
    assert!(!has_colour(&["check"], false), "a pipe is no terminal");
    assert!(!has_colour(&["check", "--color", "never"], false));
    assert!(has_colour(&["check", "--color", "always"], false));
    assert!(has_colour(&["check", "--color", "always"], true), "what is said beats the environment");
    assert!(!has_colour(&["check"], true));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let many = "p(X) :- q(X).\n".repeat(3000);
    let folder = folder(&[("a.mg", &many)]);
    let mut child =
        command(folder.path(), &["check"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(1), ""));
}

#[test]
fn the_log_goes_where_it_is_told_and_holds_no_text() {
    let folder = folder(&[("a.mg", "secret_word(1).\n")]);
    let output = run(folder.path(), &["check", "--log-file", "log.txt", "a.mg"]);
    assert!(output.stderr.is_empty());
    let log = std::fs::read_to_string(folder.path().join("log.txt")).unwrap();
    assert!(log.contains("resolved") && !log.contains("secret_word"), "{log}");
    let unwritable = run(folder.path(), &["check", "--log-file", "no/such/log.txt"]);
    assert_eq!(unwritable.status.code(), Some(2));
}

#[test]
fn bad_input_is_named_and_the_rest_is_checked() {
    let large = vec![b'#'; 50 << 20];
    let files: &[(&str, &[u8])] = &[
        ("binary.mg", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0"),
        ("bom.mg", b"\xef\xbb\xbfa(1).\n"),
        ("cr.mg", b"b(1).\r# note\rb(2).\r"),
        ("large.mg", &large),
        ("latin1.mg", b"# caf\xe9\nc(1).\n"),
        ("nul.mg", b"d(1).\nd(\0).\n"),
        ("utf16.mg", b"\xff\xfee\0(\0)\0.\0"),
        ("rest.mg", b"f(X) :- g(X).\n"),
    ];
    check_in(
        &folder_of_bytes(files),
        &["check"],
        expect![[r#"
            error[MG906 binary-file]: file is not text
            --> binary.mg
             = note: the engine cannot load it
             = note: nothing in it is checked

            error[MG002 bom]: file starts with an invisible byte order mark
             --> bom.mg:1:1
              |
            1 | �a(1).
              | ^
              |
              = note: the engine rejects the file at its first character
              = help: delete the byte order mark

            error[MG058 lone-cr]: lone carriage return does not end this comment
             --> cr.mg:2:7
              |
            2 | # note
              |       ^
              |
              = note: the engine ignores everything up to the next line feed
              = help: replace the lone carriage returns of the file by line feeds (a guess, look before you apply it)

            error[MG907 file-too-large]: file has 50 MiB, the limit is 16 MiB
            --> large.mg
             = note: nothing in it is checked

            warning[MG905 invalid-utf8]: byte is not UTF-8
             --> latin1.mg:1:6
              |
            1 | # caf␚
              |      ^ not UTF-8
              |
              = note: the engine reads the replacement character U+FFFD for each
              = help: save the file as UTF-8

            error[MG001 syntax-error]: `␀` cannot be parsed here
             --> nul.mg:2:3
              |
            2 | d(␀).
              |   ^
              |
              = note: the engine rejects the whole program

            error[MG301 undefined-predicate]: undefined predicate `g/1`
             --> rest.mg:1:9
              |
            1 | f(X) :- g(X).
              |         ^
              |
              = note: the engine rejects the program

            error[MG906 binary-file]: file is UTF-16
            --> utf16.mg
             = note: the engine reads only UTF-8
             = help: save the file as UTF-8

            7 errors, 1 warning in 8 files (6 clauses)
            exit 1
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("a.mg", "p(1).\n")]);
    symlink("gone.mg", folder.path().join("broken.mg")).unwrap();
    symlink("loop.mg", folder.path().join("loop.mg")).unwrap();
    expect![[r#"
        warning[MG908 unreadable-file]: file or folder cannot be read: the link leads nowhere
        --> broken.mg
         = note: what it defines is missing from the program

        warning[MG908 unreadable-file]: file or folder cannot be read: too many levels of symbolic links
        --> loop.mg
         = note: what it defines is missing from the program

        2 warnings in 1 file (1 clause)
        exit 0
    "#]]
    .assert_eq(&render(&run(folder.path(), &["check"])));
    expect![[r#"
        warning[MG908 unreadable-file]: file or folder cannot be read: the link leads nowhere
        --> broken.mg
         = note: what it defines is missing from the program

        warning[MG908 unreadable-file]: file or folder cannot be read: too many levels of symbolic links
        --> loop.mg
         = note: what it defines is missing from the program

        2 warnings in 1 file (1 clause)
        error: broken.mg: no such file or directory
        exit 2
    "#]]
    .assert_eq(&render(&run(folder.path(), &["check", "broken.mg", "a.mg"])));
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder(&[("a.mg", "p(1).\n"), ("locked/b.mg", "p(2).\n")]);
    let locked = folder.path().join("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&locked).is_ok() {
        eprintln!("SKIPPED a_folder_without_permission: this user may read everything");
        return;
    }
    let output = render(&run(folder.path(), &["check"]));
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        output.contains("warning[MG908 unreadable-file]: file or folder cannot be read: permission denied")
    );
    assert!(output.contains("--> locked\n"), "{output}");
    assert!(output.ends_with("exit 0\n"), "{output}");
}

#[test]
fn nesting_and_quotes_without_end() {
    let brackets = format!("p({}{}).\nq(1).\n", "[".repeat(100_000), "]".repeat(100_000));
    let quotes = "p(\"a).\n".repeat(5_000);
    let folder = folder(&[("brackets.mg", &brackets), ("quotes.mg", &quotes)]);
    for file in ["brackets.mg", "quotes.mg"] {
        let output = run(folder.path(), &["check", file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors, "policy: 2 files (brackets.mg, quotes.mg)\n", "{file}");
    }
}

#[test]
fn the_documentation_has_the_members_of_the_json() {
    let folder = folder(&[("b.mg", BAD)]);
    let output = run(folder.path(), &["check", "--format", "json"]);
    let line = String::from_utf8(output.stdout).unwrap().lines().next().unwrap().to_owned();
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&line).unwrap();
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/json/findings.md"));
    let table = page.split("| Field |").nth(1).unwrap().split("\n\n").next().unwrap();
    let documented: Vec<_> =
        table.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(documented, object.keys().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn an_evaluation_finds_rows_that_fail() {
    let fares = "fare(/tram, 120).\nper_euro(L, N) :- fare(L, F), N = fn:div(1000, F).\n";
    let files = [("fares.mg", fares), ("free.kernel.mg", "# @preview use: fares.mg\nfare(/ferry, 0).\n")];
    check(
        &files,
        &["check"],
        expect![[r#"
        No findings in 2 files (3 clauses)
        exit 0
    "#]],
    );
    check(
        &files,
        &["check", "--evaluate"],
        expect![[r#"
            warning[MG620 evaluation-fails]: `fn:div(1000, F)` fails: division by zero
             --> fares.mg:2:35
              |
            2 | per_euro(L, N) :- fare(L, F), N = fn:div(1000, F).
              |                                   ^^^^^^^^^^^^^^^
              |
              = note: it fails where F = 0 with the facts of `free.kernel.mg`
              = note: the engine aborts the whole evaluation at such a solution
              = help: exclude the value with an earlier premise

            1 warning in 2 files (3 clauses)
            exit 0
        "#]],
    );
    check(
        &[("zero.mg", "fare(0).\nshare(N) :- fare(F), N = fn:div(1000, F).\n")],
        &["check", "--evaluate"],
        expect![[r#"
            error[MG620 evaluation-fails]: `fn:div(1000, F)` fails: division by zero
             --> zero.mg:2:26
              |
            2 | share(N) :- fare(F), N = fn:div(1000, F).
              |                          ^^^^^^^^^^^^^^^
              |
              = note: it fails where F = 0
              = note: the engine aborts the whole evaluation at such a solution
              = help: exclude the value with an earlier premise

            1 error in 1 file (2 clauses)
            exit 1
        "#]],
    );
}

#[test]
fn where_there_is_nothing_to_check_the_report_is_no_success() {
    let files: &[(&str, &str)] =
        &[("notes/README.md", "# Notes\n"), ("data/facts.csv", "a,b\n"), ("a.mg", "p(1).\n")];
    check(
        &[],
        &["check"],
        expect![[r#"
        Nothing to check
        warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; there is no `mangle-ls.toml` here or above
        exit 0
    "#]],
    );
    for arguments in [&["check", "notes"][..], &["check", "data/*.csv"], &["check", "data/facts.csv"]] {
        let ran = run(folder(files).path(), arguments);
        let shown = render(&ran);
        assert!(ran.status.code() == Some(2) && !shown.contains("No findings"), "{arguments:?}: {shown}");
    }
    check(
        files,
        &["check", "notes", "a.mg"],
        expect![[r#"
        No findings in 1 file (1 clause)
        error: notes: there is no Mangle file, no transcript and no prompt atoms in it
        exit 2
    "#]],
    );
    let written = |format: &str| {
        let ran = run(folder(&[]).path(), &["check", "--format", format]);
        String::from_utf8(ran.stdout).unwrap()
    };
    assert!(written("json").contains("\"nothing_to_check\":true"), "{}", written("json"));
    assert!(written("junit").contains("there is nothing to check"), "{}", written("junit"));
    assert!(written("sarif").contains("\"executionSuccessful\": false"), "{}", written("sarif"));
    assert!(written("github").starts_with("::warning title=mangle-ls::there is nothing to check\n"));
    check(
        &[
            ("mangle-ls.toml", "[[program]]\ninclude = [\"a\"]\n"),
            ("a/x.mg", "p(1).\n"),
            ("b/y.mg", "q(1).\n"),
        ],
        &["check", "b"],
        expect![[r#"
            Nothing to check
            warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; 1 Mangle file is in no program; as mangle-ls.toml says
            error: b: its Mangle file is in no program of the `mangle-ls.toml` around it
            exit 2
        "#]],
    );
}

#[test]
fn a_named_file_is_read_as_mangle_whatever_it_is_called() {
    let files: &[(&str, &str)] =
        &[("a.dl", "p(X) :- q(X).\n"), ("rules.txt", "p(X) :- q(X).\n"), ("policy", "p(X) :- r(X).\n")];
    for file in ["a.dl", "rules.txt", "policy"] {
        let ran = run(folder(files).path(), &["check", file]);
        let shown = render(&ran);
        let is_read = shown.contains("undefined-predicate") && shown.contains("1 error in 1 file (1 clause)");
        assert!(is_read && ran.status.code() == Some(1), "{file}: {shown}");
        let ran = run(folder(files).path(), &["query", "p(X)", file, "--anyway"]);
        assert!(ran.status.code() != Some(2), "{file}: {}", render(&ran));
    }
}

#[test]
fn endings_can_be_added() {
    let files: &[(&str, &str)] = &[
        ("mangle-ls.toml", "[files]\nextensions = [\"dl\", \".rules\", \"json\"]\n"),
        ("a.dl", "p(X) :- q(X).\n"),
        ("sub/b.rules", "q(1).\n"),
        ("c.txt", "r(X) :- nosuch(X).\n"),
    ];
    check(
        files,
        &["check"],
        expect![[r#"
            error[MG903 config-bad-value]: unusable file ending `json` for `extensions`
             --> mangle-ls.toml:2:32
              |
            2 | extensions = ["dl", ".rules", "json"]
              |                                ^^^^ this value is ignored
              |
              = note: such files contain something else

            1 error in 2 files (2 clauses)
            error: the settings cannot be used
              mangle-ls.toml:2:32: unusable file ending `json` for `extensions` (MG903)
            exit 2
        "#]],
    );
    check(
        files,
        &["query", "p(X)", "--anyway"],
        expect![[r#"
            # the program does not load: mangle-ls.toml:2:32: unusable file ending `json` for `extensions` (MG903)
            p(1)
            warning: the program does not load: mangle-ls.toml:2:32: unusable file ending `json` for `extensions` (MG903)
            exit 0
        "#]],
    );
}
