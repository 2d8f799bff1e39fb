//! `--baseline` and `--write-baseline`.

use expect_test::expect;

use super::support::{BAD, GOOD, folder, found, render, run, write};

const TWO: &[(&str, &str)] = &[("a.mg", GOOD), ("sub/b.mg", BAD)];

#[test]
fn a_baseline_is_written_and_then_holds() {
    let folder = folder(TWO);
    let root = folder.path();
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "--write-baseline", "known.jsonl"])));
    expect![[r#""#]].assert_eq(&std::fs::read_to_string(root.join("known.jsonl")).unwrap());
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "--baseline", "known.jsonl"])));
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
    write(root, "sub/b.mg", &format!("{BAD}q(X) :- p(X), r(X).\nq(X) :- s(X).\n"));
    assert_eq!(found(root, &known), ["sub/b.mg:3 undefined-predicate", "sub/b.mg:4 undefined-predicate"]);
    write(root, "sub/b.mg", "Decl q(X) bound [/number].\nq(Y) :- p(Y), r(Y).\n");
    assert_eq!(found(root, &known), ["sub/b.mg:2 undefined-predicate"]);
}

#[test]
fn what_is_gone_is_said() {
    let folder = folder(TWO);
    let root = folder.path();
    run(root, &["check", "--write-baseline", "known.jsonl"]);
    write(root, "sub/b.mg", GOOD);
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "sub", "--baseline", "known.jsonl"])));
    // The file was not checked, so nobody knows.
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "a.mg", "--baseline", "known.jsonl"])));
    std::fs::remove_file(root.join("sub/b.mg")).unwrap();
    let output = render(&run(root, &["check", "--baseline", "known.jsonl"]));
    assert!(output.contains("1 finding of the baseline known.jsonl are no longer there"), "{output}");
}

#[test]
fn errors_of_syntax_cannot_wait() {
    let folder = folder(&[("a.mg", "p(1)\nq(X) :- r(X).\n")]);
    expect![[r#""#]].assert_eq(&render(&run(folder.path(), &["check", "--write-baseline", "known.jsonl"])));
}

#[test]
fn what_cannot_be_read_is_said() {
    let folder = folder(TWO);
    let root = folder.path();
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "--baseline", "none.jsonl"])));
    write(root, "bad.jsonl", "{\"mangle_ls_baseline\":1}\n<<<<<<< HEAD\n");
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "--baseline", "bad.jsonl"])));
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "--write-baseline", "no/such/folder.jsonl"])));
    expect![[r#""#]].assert_eq(&render(&run(root, &["check", "gone.mg", "--write-baseline", "new.jsonl"])));
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
