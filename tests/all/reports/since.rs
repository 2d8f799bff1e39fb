//! `--since REV`.

use std::path::Path;
use std::process::Command;

use expect_test::expect;
use tempfile::TempDir;

use super::support::{BAD, GOOD, folder, found, render, run, write};

pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"]);
    command.args([
        "-c",
        "commit.gpgsign=false",
        "-c",
        "core.autocrlf=false",
        "-c",
        "core.hooksPath=/dev/null",
    ]);
    let output = command.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with these files committed.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = folder(files);
    git(folder.path(), &["init", "-q"]);
    commit(folder.path());
    folder
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "state"]);
}

const OLD: &[(&str, &str)] = &[("schemas.gl", GOOD), ("sub/b.mg", BAD)];
const HEAD: &[&str] = &["--since", "HEAD"];

#[test]
fn old_findings_are_not_reported() {
    let folder = repository(OLD);
    let root = folder.path();
    expect![[r#"
        No findings in 2 files (2 clauses)
        exit 0
    "#]]
    .assert_eq(&render(&run(root, &["check", "--since", "HEAD"])));
    write(root, "sub/b.mg", format!("# moved\n{BAD}q(X) :- s(X).\n"));
    assert_eq!(found(root, HEAD), ["sub/b.mg:4"]);
    commit(root);
    assert_eq!(found(root, HEAD), [""; 0]);
    assert_eq!(found(root, &["--since", "HEAD~1"]), ["sub/b.mg:4"]);
}

#[test]
fn a_change_here_breaks_a_rule_there() {
    let folder = repository(&[OLD, &[("mangle-ls.toml", "[[program]]\nname = 'all'\n")]].concat());
    let root = folder.path();
    write(root, "schemas.gl", "Decl other(X) bound [/number].\nother(1).\n");
    assert_eq!(found(root, HEAD), ["sub/b.mg:2"]);
    // The file itself did not change, and it is what is asked for.
    assert_eq!(found(root, &["--since", "HEAD", "sub"]), ["sub/b.mg:2"]);
}

#[test]
fn renamed_files_and_moved_rules_are_old() {
    let folder = repository(OLD);
    let root = folder.path();
    std::fs::rename(root.join("sub"), root.join("new")).unwrap();
    assert_eq!(found(root, HEAD), [""; 0]);
    write(root, "copy.mg", "q(X) :- p(X), r(X).\n");
    assert_eq!(found(root, HEAD).len(), 1, "a copy is new");
}

#[test]
fn a_new_setting_brings_findings() {
    let folder = repository(&[("mangle-ls.toml", "[rules]\nundefined-predicate = 'off'\n"), ("b.mg", BAD)]);
    let root = folder.path();
    assert_eq!(found(root, HEAD), [""; 0]);
    write(root, "mangle-ls.toml", "");
    let new = ["b.mg:2", "b.mg:2"];
    assert_eq!(found(root, HEAD), new);
}

#[test]
fn from_a_folder_below_and_for_a_lone_file() {
    let folder = repository(OLD);
    let root = folder.path();
    let sub = root.join("sub");
    write(root, "sub/b.mg", format!("{BAD}q(X) :- s(X).\n"));
    assert_eq!(found(&sub, HEAD), ["b.mg:3"]);
    assert_eq!(found(&sub, &["--since", "HEAD", "b.mg"]), ["b.mg:3"]);
    assert_eq!(found(&sub, &["--since", "HEAD", "../*.gl"]), [""; 0]);
    write(root, "sub/new.mg", "t(X) :- u(X).\n");
    assert_eq!(found(&sub, &["--since", "HEAD", "new.mg"]), ["new.mg:1"]);
}

#[test]
fn hidden_folders_that_are_named() {
    let folder = repository(&[(".agent/b.mg", BAD), ("a.mg", GOOD)]);
    assert_eq!(found(folder.path(), &["--since", "HEAD", ".agent"]), [""; 0]);
}

#[test]
fn names_that_need_care() {
    let folder = repository(&[("a b/é\"'$(x);%.mg", "t(X) :- u(X).\n"), ("-x.mg", "v(X) :- w(X).\n")]);
    let root = folder.path();
    assert_eq!(found(root, HEAD), [""; 0]);
    write(root, "-x.mg", "");
    write(root, "a b/é\"'$(x);%.mg", "t(X) :- u(X), w(X).\n");
    assert_eq!(found(root, HEAD).len(), 2);
}

#[test]
fn what_has_no_past() {
    let folder = repository(OLD);
    let root = folder.path();
    expect![[r#"
        error: git knows no revision `nowhere` here. A shallow clone has only the newest; in CI, fetch the history (`fetch-depth: 0`)
        exit 2
    "#]].assert_eq(&render(&run(root, &["check", "--since", "nowhere"])));
    for revision in ["--output=x", "-h", "HEAD:schemas.gl", "main..HEAD", "", "$(touch x)"] {
        let output = run(root, &["check", &format!("--since={revision}")]);
        assert_eq!(output.status.code(), Some(2), "{revision}");
    }
    assert!(!root.join("x").exists());
    expect![[r#"
        error: standard input has no past to compare with
        exit 2
    "#]]
    .assert_eq(&render(&run(root, &["check", "--since", "HEAD", "-"])));
    let plain = super::support::folder(OLD);
    expect![[r#"
        error: there is no git repository to compare with: not a git repository (or any of the parent directories): .git
        exit 2
    "#]].assert_eq(&render(&run(plain.path(), &["check", "--since", "HEAD"])));
    let outside = plain.path().join("schemas.gl");
    let output = run(root, &["check", "--since", "HEAD", outside.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(render(&output).contains("lies outside of the git repository"));
}

#[test]
fn with_a_baseline() {
    let folder = repository(OLD);
    let root = folder.path();
    run(root, &["check", "--write-baseline", "known.jsonl"]);
    let output = render(&run(root, &["check", "--since", "HEAD", "--baseline", "known.jsonl"]));
    expect![[r#"
        No findings in 2 files (2 clauses); 1 JSON file without model replies
        exit 0
    "#]]
    .assert_eq(&output);
}

#[test]
fn without_git() {
    let folder = repository(OLD);
    let mut command = super::support::command(folder.path(), &["check", "--since", "HEAD"]);
    let output = command.env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(render(&output).contains("`git` cannot be run"), "{}", render(&output));
}
