#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;
use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

pub(in crate::envelope::atoms) fn declarations(text: &str) -> Declarations {
    let file = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
    Declarations::from_program(&Program::new(vec![Arc::new(file)]))
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check(text: &str, expect: Expect) {
    let mut out = String::new();
    for one in declarations(text).all() {
        let _ = write!(out, "{}", one.signature());
        for names in one.names.iter().flatten() {
            let _ = write!(out, " [{}]", names.list());
        }
        let derived = if one.derived.is_some() { " derived" } else { "" };
        let used = if one.is_used { " used" } else { "" };
        let _ = writeln!(out, "{derived}{used}");
    }
    expect.assert_eq(&out);
}

#[test]
fn declared_with_bounds() {
    check(
        "Decl task_status(TaskID, Status) bound [/string, /name] bound [/name, /name].\n\
         Decl state(S) bound [.Union<.Singleton</open>, .Singleton</done>>].\n\
         Decl free(A, B).\nnoted(X) :- free(X, _), !task_status(X, /done).",
        expect![[r#"
            free(A, B) used
            noted(X) derived
            state(S .Union<.Singleton</done>, .Singleton</open>>)
            task_status(TaskID .Union</string, /name>, Status /name) used
        "#]],
    );
}

#[test]
fn typed_by_words_and_dots() {
    check(
        "Decl file(String, Name, Int).\nDecl other(String, Path).\n\
         Decl dotted(Path.Type<string>, Size.Type<number>).",
        expect![[r#"
            dotted(Path /string, Size /number)
            file(String /string, Name /name, Int /number)
            other(String, Path)
        "#]],
    );
}

#[test]
fn names_of_comments_arguments_and_facts() {
    check(
        "# job(ID, State)\n# State: /open, /done or /lost (set by the queue)\n# ID: e.g. /a, /b\n\
         Decl job(ID, State) bound [/name, /name].\n\
         Decl lamp(Colour) descr [doc(\"a lamp\"), arg(Colour, \"/red | /green\")] bound [/name].\n\
         Decl room(Kind) bound [/name] inclusion [kind(Kind)].\nkind(/hall). kind(/lift).",
        expect![[r#"
            job(ID /name, State /name) [`/open`, `/done`, `/lost`]
            kind(_)
            lamp(Colour /name) [`/red`, `/green`]
            room(Kind /name) [`/hall`, `/lift`]
        "#]],
    );
}

#[test]
fn the_nearest_name_has_the_arity() {
    let all = declarations("Decl task_status(A, B). Decl task_states(A). Decl ab(A).");
    assert_eq!(all.nearest("task_state", Some(1)), Some("task_states"));
    assert_eq!(all.nearest("task_statsu", Some(2)), Some("task_status"));
    assert_eq!(all.nearest("ticket", None), None);
}

#[test]
fn hypotheses_of_bodies() {
    let all =
        declarations("r(/x) :- abductive_hypothesis(\"no \\\"net\\\"\").\nr(X) :- abductive_hypothesis(X).");
    assert_eq!(all.hypotheses().map(|(text, _)| text).collect::<Vec<_>>(), ["no \"net\""]);
}
