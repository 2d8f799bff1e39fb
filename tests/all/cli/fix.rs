//! `check --fix`, `--unsafe-fixes` and `--diff` through the real program: what is written, what is left alone, exit
//! statuses.

use std::io::Write as _;
use std::process::{Output, Stdio};

use expect_test::expect;
use tempfile::TempDir;

use super::support::{command, folder, run};

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

/// The last line of standard output, standard error, and the exit status.
fn ending(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let out = text(&output.stdout);
    format!(
        "{}\n{}exit {}\n",
        out.lines().last().unwrap_or(""),
        text(&output.stderr),
        output.status.code().unwrap()
    )
}

const BROKEN: &str = "q(1)\r\np(X) :- q(X), X == 1. # é\r\n";
const MENDED: &str = "q(1).\r\np(X) :- q(X), X = 1. # é\r\n";

/// One safe fix, and one guess.
const GUESS: &str = "# About craw.\nDecl crew(P).\nsafe(P) :- craw(P).\nq(1)\n";

#[test]
fn what_prompts_are_made_of_is_fixed_together() {
    let folder = folder(&[
        ("mangle-ls.toml", "[prompt]\natoms = [\"atoms\"]\n"),
        (
            "atoms/x.yaml",
            "- {id: me, category: identty, is_mandatory: true, content: x}\n\
             - {id: out, category: protocol, is_mandatory: true, depends_on: [m], content: '\"control_packet\"'}\n",
        ),
        ("s.gl", "Decl injectable_context(A, B).\n"),
        ("k.kernel.mg", "# @preview shard: coder-1 coder\n# @preview sesion: k.session.yaml\n"),
        ("k.session.yaml", "recent_findngs: [a]\n"),
    ]);
    let shown = ending(&run(folder.path(), &["check", "--diff", "--unsafe-fixes"]));
    assert!(shown.contains(" would be fixed, 0 left"), "{shown}");
    let fixed = ending(&run(folder.path(), &["check", "--fix", "--unsafe-fixes"]));
    expect![[r#"
        5 fixed, 0 left
        exit 0
    "#]]
    .assert_eq(&fixed);
    // The session file has been read since the key that names it is fixed.
    expect![[r#"
        - {id: me, category: identity, is_mandatory: true, content: x}
        - {id: out, category: protocol, is_mandatory: true, depends_on: [me], content: '"control_packet"'}
        # @preview shard: coder-1 coder
        # @preview mode: legacy
        # @preview session: k.session.yaml
        recent_findings: [a]
    "#]]
    .assert_eq(&["atoms/x.yaml", "k.kernel.mg", "k.session.yaml"].map(|name| read(&folder, name)).concat());
}

#[test]
fn a_file_of_atoms_that_is_named_is_checked_by_itself() {
    let atoms = "- {id: me, category: identty, content: x}\n";
    let folder = folder(&[
        ("atoms/a/x.yaml", atoms),
        ("atoms/b/y.yaml", "- {id: there, category: identity, depends_on: [me], content: y}\n"),
        ("other.yaml", "services: {web: 1}\n"),
    ]);
    let said = |args: &[&str]| {
        let output = run(folder.path(), args);
        format!("{}{}", String::from_utf8_lossy(&output.stdout), ending(&output))
    };
    expect![[r#"
        error[PP064 atom-category]: unknown category `identty` of a prompt atom
         --> atoms/a/x.yaml:1:22
          |
        1 | - {id: me, category: identty, content: x}
          |                      ^^^^^^^
          |
          = note: the runtime ignores the prompt atom; only its log reports that
          = note: the categories are `identity`, `safety`, `protocol`, `capability`, `methodology`, `hallucination`, `language`, `framework`, `domain`, `campaign`, `init`, `northstar`, `ouroboros`, `autopoiesis`, `context`, `reviewer`, `eval`, `exemplar`, `knowledge`, `build_layer`, `intent`, `world_state`
          = help: write `identity` (a guess, look before you apply it)

        1 error in 1 file (0 clauses)
        1 error in 1 file (0 clauses)
        error: other.yaml: it is neither Mangle nor a transcript nor prompt atoms; `--transcripts` reads any file
        exit 2
    "#]].assert_eq(&said(&["check", "atoms/a/x.yaml", "other.yaml"]));
    expect![[r#"
        warning[PP062 missing-dependency]: unknown prompt atom `me`
         --> atoms/b/y.yaml:1:48
          |
        1 | - {id: there, category: identity, depends_on: [me], content: y}
          |                                                ^^
          |
          = note: the runtime does not check that it exists, and uses this prompt atom without it

        1 warning in 1 file (0 clauses)
        1 warning in 1 file (0 clauses)
        exit 0
    "#]]
    .assert_eq(&said(&["check", "atoms/b/y.yaml"]));
    let fixed = said(&["check", "--fix", "--unsafe-fixes", "atoms/a/x.yaml"]);
    assert!(fixed.contains("1 fixed, 0 left"), "{fixed}");
    assert_eq!(read(&folder, "atoms/a/x.yaml"), atoms.replace("identty", "identity"));
}

#[test]
fn safe_fixes_are_written_and_the_rest_is_reported() {
    let folder = folder(&[("a.mg", BROKEN), ("b.mg", GUESS), ("c.mg", "r(1).\n")]);
    let before = std::fs::metadata(folder.path().join("c.mg")).unwrap().modified().unwrap();
    let output = run(folder.path(), &["check", "--fix"]);
    expect![[r#"
        3 fixed, 2 left, 1 needs --unsafe-fixes
        exit 1
    "#]]
    .assert_eq(&ending(&output));
    assert_eq!(read(&folder, "a.mg"), MENDED);
    expect![[r#"
        # About craw.
        Decl crew(P).
        safe(P) :- craw(P).
        q(1).
    "#]]
    .assert_eq(&read(&folder, "b.mg"));
    assert_eq!(std::fs::metadata(folder.path().join("c.mg")).unwrap().modified().unwrap(), before);
    expect![[r#"
        1 fixed, 1 left
        exit 0
    "#]]
    .assert_eq(&ending(&run(folder.path(), &["check", "--fix", "--unsafe-fixes"])));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 3, "no temporary file is left");
}

#[test]
fn a_diff_changes_nothing() {
    let folder = folder(&[("a.mg", "q(1)\n"), ("sub/b.mg", "# one\n# two\n# three\n# four\nr(1)\n")]);
    let output = run(folder.path(), &["check", "--diff"]);
    expect![[r#"
        --- a.mg
        +++ a.mg
        @@ -1 +1 @@
        -q(1)
        +q(1).
        --- sub/b.mg
        +++ sub/b.mg
        @@ -2,4 +2,4 @@
         # two
         # three
         # four
        -r(1)
        +r(1).
        +r(1).
        2 would be fixed, 0 left
        exit 1
    "#]]
    .assert_eq(&format!("{}{}", String::from_utf8(output.stdout.clone()).unwrap(), ending(&output)));
    assert_eq!(read(&folder, "a.mg"), "q(1)\n");
    assert_eq!(run(folder.path(), &["check", "--fix", "--diff"]).stdout, output.stdout);
    assert_eq!(run(folder.path(), &["check", "--fix"]).status.code(), Some(0));
    let clean = run(folder.path(), &["check", "--diff"]);
    assert_eq!((clean.stdout.len(), clean.status.code()), (0, Some(0)));
}

#[test]
fn standard_input_can_be_shown_but_not_written() {
    let folder = folder(&[]);
    let piped = |arguments: &[&str]| {
        let mut child = command(folder.path(), arguments);
        let mut child =
            child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"q(1)\n").unwrap();
        child.wait_with_output().unwrap()
    };
    let output = piped(&["check", "--diff", "-"]);
    expect![[r#"
        --- <stdin>
        +++ <stdin>
        @@ -1 +1 @@
        -q(1)
        +q(1).
        +q(1).
        1 would be fixed, 0 left
        exit 1
    "#]]
    .assert_eq(&format!("{}{}", String::from_utf8(output.stdout.clone()).unwrap(), ending(&output)));
    expect![[r#"

        error: standard input cannot be fixed in place; `--diff` shows how
        exit 2
    "#]]
    .assert_eq(&ending(&piped(&["check", "--fix", "-"])));
}

#[test]
fn unsafe_alone_and_watch_are_usage_errors() {
    let folder = folder(&[("a.mg", "q(1)\n")]);
    for arguments in [&["check", "--unsafe-fixes"][..], &["check", "--fix", "--watch"]] {
        let output = run(folder.path(), arguments);
        assert_eq!(
            (output.status.code(), read(&folder, "a.mg").as_str()),
            (Some(2), "q(1)\n"),
            "{arguments:?}"
        );
    }
}

#[test]
fn other_formats_stay_what_they_are() {
    let folder = folder(&[("a.mg", GUESS)]);
    let output = run(folder.path(), &["check", "--fix", "--format", "json"]);
    let lines: Vec<_> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    assert!(lines.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    expect![[r#"
        1 fixed, 1 left, 1 needs --unsafe-fixes
    "#]]
    .assert_eq(std::str::from_utf8(&output.stderr).unwrap());
}

#[test]
fn nothing_but_the_program_is_written() {
    let folder = folder(&[
        ("mangle-ls.toml", "fail_om = \"never\"\n[[program]]\ninclude = [\"in\"]\n"),
        ("in/a.mg", "q(1)\n"),
        ("out/b.mg", "q(1)\n"),
        ("in/c.txt", "q(1)\n"),
        ("in/latin1.mg", ""),
    ]);
    std::fs::write(folder.path().join("in/latin1.mg"), b"# caf\xe9\nr(1)\n").unwrap();
    let output = run(folder.path(), &["check", "--fix", "--unsafe-fixes"]);
    expect![[r#"
        1 fixed, 3 left
        exit 1
    "#]]
    .assert_eq(&ending(&output));
    assert_eq!(read(&folder, "in/a.mg"), "q(1).\n");
    assert_eq!((read(&folder, "out/b.mg"), read(&folder, "in/c.txt")), ("q(1)\n".into(), "q(1)\n".into()));
    assert!(read(&folder, "mangle-ls.toml").starts_with("fail_om"));
    assert_eq!(std::fs::read(folder.path().join("in/latin1.mg")).unwrap(), b"# caf\xe9\nr(1)\n");
}

#[test]
fn a_fix_may_touch_several_files_but_only_what_is_reported_is_fixed() {
    let folder = folder(&[("mangle-ls.toml", ""), ("a.mg", "q(1)\n"), ("b.mg", "r(1)\n")]);
    let output = run(folder.path(), &["check", "--fix", "b.mg"]);
    assert_eq!((read(&folder, "a.mg"), read(&folder, "b.mg")), ("q(1)\n".into(), "r(1).\n".into()));
    expect![[r#"
        1 fixed, 0 left
        exit 0
    "#]]
    .assert_eq(&ending(&output));
}

#[test]
fn what_a_baseline_knows_is_left_alone() {
    let folder = folder(&[("a.mg", "q(1, 2).\np(X) :- q(X, N).\n")]);
    assert_eq!(run(folder.path(), &["check", "--write-baseline", "base.json"]).status.code(), Some(0));
    std::fs::write(folder.path().join("a.mg"), "q(1, 2).\np(X) :- q(X, N).\nr(X) :- q(X, M).\n").unwrap();
    let output = run(folder.path(), &["check", "--fix", "--baseline", "base.json"]);
    expect![[r#"
        1 fixed, 0 left
        exit 0
    "#]]
    .assert_eq(&ending(&output));
    expect![[r#"
        q(1, 2).
        p(X) :- q(X, N).
        r(X) :- q(X, _).
    "#]]
    .assert_eq(&read(&folder, "a.mg"));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn permissions_and_links_stay() {
        let folder = folder(&[("a.mg", "q(1)\n"), ("real/b.mg", "r(1)\n"), ("mangle-ls.toml", "")]);
        let path = folder.path().join("a.mg");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real/b.mg", folder.path().join("b.mg")).unwrap();
        assert_eq!(run(folder.path(), &["check", "--fix", "a.mg", "b.mg"]).status.code(), Some(0));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(read(&folder, "a.mg"), "q(1).\n");
        assert!(std::fs::symlink_metadata(folder.path().join("b.mg")).unwrap().is_symlink());
    }

    #[test]
    fn a_read_only_file_is_complained_about_after_the_rest() {
        let folder = folder(&[("a.mg", "q(1)\n"), ("b.mg", "r(1)\n")]);
        let path = folder.path().join("a.mg");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
        let output = run(folder.path(), &["check", "--fix"]);
        expect![[r#"
            1 fixed, 1 left
            error: a.mg: its fixes were not written: it is read-only
            exit 2
        "#]]
        .assert_eq(&ending(&output));
        assert_eq!((read(&folder, "a.mg"), read(&folder, "b.mg")), ("q(1)\n".into(), "r(1).\n".into()));
    }
}
