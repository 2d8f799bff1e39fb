//! `--baseline` and `--write-baseline`.

use expect_test::expect;

use super::support::{BAD, GOOD, folder, found, render, run, write};

const TWO: &[(&str, &str)] = &[("a.mg", GOOD), ("sub/b.mg", BAD)];

#[test]
fn a_baseline_is_written_and_then_holds() {
    let folder = folder(TWO);
    let root = folder.path();
    expect![[r#"
        No findings in 2 files (2 clauses)
        wrote 1 finding to known.jsonl
        exit 0
    "#]]
    .assert_eq(&render(&run(root, &["check", "--write-baseline", "known.jsonl"])));
    expect![[r#"
        {"mangle_ls_baseline":1}
        {"file":"sub/b.mg","code":"MG301","statement":"9ae986c06f8658cc"}
    "#]]
    .assert_eq(&std::fs::read_to_string(root.join("known.jsonl")).unwrap());
    expect![[r#"
        No findings in 2 files (2 clauses); 1 JSON file without model replies
        exit 0
    "#]]
    .assert_eq(&render(&run(root, &["check", "--baseline", "known.jsonl"])));
    // From another folder, too: paths are relative to the baseline.
    assert_eq!(found(&root.join("sub"), &["--baseline", "../known.jsonl", ".."]), [""; 0]);
}

#[test]
fn what_is_new_is_reported_wherever_the_old_moved() {
    let folder = folder(TWO);
    let root = folder.path();
    run(root, &["check", "--write-baseline", "known.jsonl"]);
    let known = ["--baseline", "known.jsonl"];
    write(root, "sub/b.mg", "# a new line\n\nDecl q(X) bound [/number].\nq(X) :-\n  p(X), # why\n  r(X).\n");
    assert_eq!(found(root, &known), [""; 0]);
    write(root, "sub/b.mg", format!("{BAD}q(X) :- p(X), r(X).\nq(X) :- s(X).\n"));
    assert_eq!(found(root, &known), ["sub/b.mg:3", "sub/b.mg:4"]);
    write(root, "sub/b.mg", "Decl q(X) bound [/number].\nq(Y) :- p(Y), r(Y).\n");
    assert_eq!(found(root, &known), ["sub/b.mg:2"]);
}

#[test]
fn what_is_gone_is_said() {
    let folder = folder(TWO);
    let root = folder.path();
    run(root, &["check", "--write-baseline", "known.jsonl"]);
    write(root, "sub/b.mg", GOOD);
    expect![[r#"
        error[MG101 duplicate-decl]: duplicate declaration of `p/1`
         --> sub/b.mg:1:6
          |
        1 | Decl p(X) bound [/number].
          |      ^
          |
         ::: a.mg:1:6
          |
        1 | Decl p(X) bound [/number].
          |      - first declared here
          |
          = note: the engine rejects a program with two declarations of one predicate
          = help: remove this identical declaration

        hint[MG314 duplicate-clause]: duplicate clause of `p/1`
         --> sub/b.mg:2:1
          |
        2 | p(1).
          | ^^^^^
          |
         ::: a.mg:2:1
          |
        2 | p(1).
          | - first occurrence
          |
          = note: a repeated clause derives nothing new

        1 error, 1 hint in 1 file (1 clause)
        policy: 2 files (a.mg, sub/b.mg)
        1 finding of the baseline known.jsonl is no longer there: `--write-baseline known.jsonl` writes it anew
        exit 1
    "#]].assert_eq(&render(&run(root, &["check", "sub", "--baseline", "known.jsonl"])));
    // The file was not checked, so nobody knows.
    expect![[r#"
        No findings in 1 file (1 clause)
        policy: 2 files (a.mg, sub/b.mg)
        exit 0
    "#]]
    .assert_eq(&render(&run(root, &["check", "a.mg", "--baseline", "known.jsonl"])));
    std::fs::remove_file(root.join("sub/b.mg")).unwrap();
    let output = render(&run(root, &["check", "--baseline", "known.jsonl"]));
    assert!(output.contains("1 finding of the baseline known.jsonl is no longer there"), "{output}");
}

#[test]
fn errors_of_syntax_cannot_wait() {
    let folder = folder(&[("a.mg", "p(1)\nq(X) :- r(X).\n")]);
    expect![[r#"
        error[MG005 missing-dot]: missing `.` after `p(1)`
         --> a.mg:1:4
          |
        1 | p(1)
          |    ^
          |
          = note: the engine reads what follows as part of this statement
          = help: insert `.`

        1 error in 1 file (2 clauses)
        wrote 1 finding to known.jsonl
        exit 1
    "#]]
    .assert_eq(&render(&run(folder.path(), &["check", "--write-baseline", "known.jsonl"])));
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = folder(TWO);
    let root = folder.path();
    expect![[r#"
        error: the baseline none.jsonl is not there. `mangle-ls check --write-baseline none.jsonl` writes one
        exit 2
    "#]]
    .assert_eq(&render(&run(root, &["check", "--baseline", "none.jsonl"])));
    write(root, "bad.jsonl", "{\"mangle_ls_baseline\":1}\n<<<<<<< HEAD\n");
    expect![[r#"
        error: the baseline bad.jsonl cannot be read: line 2: a merge left its marks; keep the lines of both sides
        exit 2
    "#]].assert_eq(&render(&run(root, &["check", "--baseline", "bad.jsonl"])));
    expect![[r#"
        error: the baseline no/such/folder.jsonl cannot be written: no such file or directory
        exit 2
    "#]]
    .assert_eq(&render(&run(root, &["check", "--write-baseline", "no/such/folder.jsonl"])));
    expect![[r#"
        Nothing to check
        new.jsonl is not written, since not everything could be checked
        warning: nothing to check: looked for Mangle files (`.mg`, `.gl`) and transcripts (`**/transcripts/**`, `**/*.piggyback.{json,jsonl,ndjson,md,txt,log}`) that git does not ignore; there is no `mangle-ls.toml` here or above
        error: gone.mg: no such file or directory
        exit 2
    "#]]
    .assert_eq(&render(&run(root, &["check", "gone.mg", "--write-baseline", "new.jsonl"])));
    assert!(!root.join("new.jsonl").exists());
    let both = run(root, &["check", "--baseline", "a", "--write-baseline", "b"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn what_is_written_does_not_depend_on_the_day() {
    let folder = folder(TWO);
    let root = folder.path();
    let written = || {
        run(root, &["check", "--write-baseline", "known.jsonl"]);
        std::fs::read_to_string(root.join("known.jsonl")).unwrap()
    };
    assert_eq!(written(), written());
    let first = written();
    run(&root.join("sub"), &["check", "..", "--write-baseline", "../known.jsonl"]);
    assert_eq!(std::fs::read_to_string(root.join("known.jsonl")).unwrap(), first);
}
