//! `format` through the real program: written files, unchanged files, exit statuses.

use std::io::Write as _;
use std::process::{Output, Stdio};

use expect_test::expect;

use super::support::{check, check_in, command, folder, folder_of_bytes, render, run};

const UGLY: &str = "p( 1 ).\nq(X):-p(X),\n  X>1.\n";
const PRETTY: &str = "p(1).\nq(X) :-\n    p(X),\n    X > 1.\n";

#[test]
fn files_are_written_in_place() {
    let folder = folder(&[("a.mg", UGLY), ("sub/b.gl", PRETTY), ("c.txt", "p( 1 ).\n")]);
    check_in(
        &folder,
        &["format"],
        expect![[r#"
            1 file formatted, 1 unchanged
            exit 0
        "#]],
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        (read("a.mg").as_str(), read("sub/b.gl").as_str(), read("c.txt").as_str()),
        (PRETTY, PRETTY, "p( 1 ).\n")
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
    check_in(
        &folder,
        &["format"],
        expect![[r#"
            0 files formatted, 2 unchanged
            exit 0
        "#]],
    );
}

#[test]
fn check_lists_and_diff_shows() {
    let folder = folder(&[("a.mg", UGLY), ("b.mg", PRETTY)]);
    check_in(
        &folder,
        &["format", "--check"],
        expect![[r#"
            a.mg
            exit 1
        "#]],
    );
    check_in(
        &folder,
        &["format", "--diff"],
        expect![[r#"
            --- a.mg
            +++ a.mg
            @@ -1,3 +1,4 @@
            -p( 1 ).
            -q(X):-p(X),
            -  X>1.
            +p(1).
            +q(X) :-
            +    p(X),
            +    X > 1.
            exit 1
        "#]],
    );
    check_in(
        &folder,
        &["format", "--check", "b.mg"],
        expect![[r#"
            exit 0
        "#]],
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("a.mg")).unwrap(), UGLY);
}

fn piped(arguments: &[&str], input: &[u8], files: &[(&str, &str)]) -> Output {
    let folder = folder(files);
    let mut child = command(folder.path(), arguments);
    let mut child =
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_filter() {
    let settings = ("mangle-ls.toml", "[format]\nindent = 2\n");
    expect![[r#"
        p(1).
        q(X) :-
          p(X),
          X > 1.
        exit 0
    "#]]
    .assert_eq(&render(&piped(&["format", "-"], UGLY.as_bytes(), &[settings])));
    // Also what is formatted, or has what looks like a colour in it.
    let text = "# \u{1b}[31mred\u{1b}[0m\r\np(1).\r\n";
    assert_eq!(piped(&["format", "-"], text.as_bytes(), &[]).stdout, text.as_bytes());
    expect![[r#"
        <stdin>
        exit 1
    "#]]
    .assert_eq(&render(&piped(&["format", "--check", "-"], UGLY.as_bytes(), &[])));
    expect![[r#"
        error: `-` is formatted alone, without files
        exit 2
    "#]]
    .assert_eq(&render(&piped(&["format", "-", "a.mg"], UGLY.as_bytes(), &[])));
    expect![[r#"
        error: <stdin>: it was not formatted: byte is not UTF-8
        exit 2
    "#]]
    .assert_eq(&render(&piped(&["format", "-"], b"p( 1 ). # \xe9\n", &[])));
}

#[test]
fn what_cannot_be_read_is_named_and_left() {
    check(
        &[("a.mg", "p( 1 ).\nq( X :- p(X).\nr( 1 ).\ns( 1 ) :- .\n")],
        &["format", "--diff"],
        expect![[r#"
            --- a.mg
            +++ a.mg
            @@ -1,4 +1,4 @@
            -p( 1 ).
            +p(1).
             q( X :- p(X).
            -r( 1 ).
            +r(1).
             s( 1 ) :- .
            warning: a.mg: 2 places cannot be read and stay as they are, the first in line 2
            exit 1
        "#]],
    );
}

#[test]
fn files_that_cannot_be_formatted() {
    let folder = folder_of_bytes(&[("a.mg", b"p( 1 ). # \xe9\n"), ("b.mg", b"p( 1 ).\n"), ("c.txt", b"")]);
    check_in(
        &folder,
        &["format", "--check"],
        expect![[r#"
            b.mg
            warning: a.mg: it was not formatted: byte is not UTF-8
            exit 1
        "#]],
    );
    check_in(
        &folder,
        &["format", "a.mg", "b.mg", "c.txt", "d.mg"],
        expect![[r#"
            1 file formatted, 1 unchanged
            error: d.mg: no such file or directory
            error: a.mg: it was not formatted: byte is not UTF-8
            exit 2
        "#]],
    );
    assert_eq!(std::fs::read(folder.path().join("a.mg")).unwrap(), b"p( 1 ). # \xe9\n");
}

#[test]
fn settings_and_excludes() {
    let settings = "[[program]]\ninclude = [\"kept\"]\n[format]\nindent = 2\nwidth = 40\n";
    let files = [
        ("mangle-ls.toml", settings),
        ("kept/a.mg", "q(X) :- quite_a_long_premise(X), another(X).\n"),
        ("other/b.mg", UGLY),
        (".hidden/c.mg", UGLY),
    ];
    check(
        &files,
        &["format", "--diff"],
        expect![[r#"
            --- kept/a.mg
            +++ kept/a.mg
            @@ -1 +1,3 @@
            -q(X) :- quite_a_long_premise(X), another(X).
            +q(X) :-
            +  quite_a_long_premise(X),
            +  another(X).
            exit 1
        "#]],
    );
    check(
        &files,
        &["format", "--check", "other/b.mg"],
        expect![[r#"
            other/b.mg
            exit 1
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder(&[("a.mg", UGLY), ("b.mg", UGLY)]);
    let path = folder.path().join("a.mg");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let output = run(folder.path(), &["format"]);
    expect![[r#"
        1 file formatted, 0 unchanged
        error: a.mg: it was not formatted: it is read-only
        exit 2
    "#]]
    .assert_eq(&render(&output));
    assert_eq!(std::fs::read_to_string(path).unwrap(), UGLY);
}

#[test]
fn named_paths_without_mangle_are_problems() {
    check(
        &[("notes/a.md", "# A\n"), ("a.dl", "p(1)   .\n")],
        &["format", "--check", "notes", "a.dl"],
        expect![[r#"
            a.dl
            error: notes: there is no Mangle file in it
            exit 2
        "#]],
    );
}
