#![allow(clippy::unwrap_used)]
use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::Analysis;
use crate::testing::Fixture;
use mangle_syntax::text::{FileId, slice};

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_outline(text: &str, expect: Expect) {
    fn show(symbols: &[DocumentSymbol], depth: usize, text: &str, out: &mut String) {
        for symbol in symbols {
            assert!(symbol.range.contains_range(symbol.selection), "{symbol:?}");
            let lines = slice(text, symbol.range).lines().count();
            let indent = "  ".repeat(depth);
            writeln!(out, "{indent}{:?} {} {} [{lines}]", symbol.kind, symbol.name, symbol.detail).unwrap();
            assert!(symbol.children.iter().all(|child| symbol.range.contains_range(child.range)));
            show(&symbol.children, depth + 1, text, out);
        }
    }
    let fixture = Fixture::new(text);
    let mut out = String::new();
    show(&document_symbols(fixture.program().file(FileId(0)).unwrap()), 0, text, &mut out);
    expect.assert_eq(&out);
}

#[test]
fn facts_in_a_row_are_one() {
    check_outline(
        "Package a.b!\r\nUse c!\r\nDecl p(X, Y) bound [/name, .List</string>].\r\np(1, 2).\r\np(3, 4). # 🦀\r\np(1).\r\nq(X,\n  /a) :-\n  p(X, _).\r\np(5, 6).\r\n$$$ \r\n",
        expect![[r#"
            Package a.b  [1]
            Use c  [1]
            Declaration p (X: /name, Y: .List</string>) [1]
            Facts p 2 facts [2]
            Facts p (1) [1]
            Rule q (X, /a) [3]
            Facts p (5, 6) [1]
        "#]],
    );
}

#[test]
fn banners_are_sections() {
    check_outline(
        "# A file.\n# =====\n# ONE: first\n# more\n# =====\n# words\np(1).\n# -----\n# Sub\n# -----\np(2). # ===== no\np(3).\n# --- Title ---\n\nr(X) :- # =====\n  # not a banner\n  # =====\n  p(X).\n\n# ====\n# ======\n#### TWO\n\n# =====\n\n# not\n#########\n# Three\np(4).\n\n",
        expect![[r#"
            Section ONE: first  [19]
              Facts p (1) [1]
              Section Sub  [13]
                Facts p 2 facts [2]
                Section Title  [8]
                  Rule r (X) [4]
            Section TWO  [6]
            Section Three  [3]
              Facts p (4) [1]
        "#]],
    );
}

#[expect(clippy::needless_pass_by_value, reason = "as every check with a snapshot")]
fn check_search(query: &str, fixture: &str, expect: Expect) {
    let fixture = Fixture::new(fixture);
    let found = workspace_symbols(&[fixture.program(), fixture.program()], query, 8);
    let mut out = String::new();
    for symbol in found {
        let text = fixture.text(symbol.file);
        let place = slice(text, symbol.range);
        writeln!(out, "{:?} {} in {} as {place}", symbol.kind, symbol.name, symbol.file.0).unwrap();
    }
    expect.assert_eq(&out);
}

const NAMES: &str = "#- a.mg\nDecl denied(X).\nDecl permission_denied(X).\npermission_denied(1).\npermission_denied(X) :- denied(X).\ndenied_all().\nundeniable(1).\npad(1, 2).\ndrive_extra_nice_ice_elephant_dog(1).\n#- b.mg\nPackage den!\ndenied(1).\npermission_denied(2).\n";

#[test]
fn the_best_fits_come_first() {
    check_search(
        "denied",
        NAMES,
        expect![[r#"
            Declaration denied in 0 as denied
            Facts den.denied in 1 as denied
            Facts denied_all in 0 as denied_all
            Declaration permission_denied in 0 as permission_denied
            Rule permission_denied in 0 as permission_denied
            Facts den.permission_denied in 1 as permission_denied
            Facts drive_extra_nice_ice_elephant_dog in 0 as drive_extra_nice_ice_elephant_dog
        "#]],
    );
    check_search(
        "PD",
        NAMES,
        expect![[r#"
        Declaration permission_denied in 0 as permission_denied
        Rule permission_denied in 0 as permission_denied
        Facts den.permission_denied in 1 as permission_denied
        Facts pad in 0 as pad
        Facts drive_extra_nice_ice_elephant_dog in 0 as drive_extra_nice_ice_elephant_dog
    "#]],
    );
    check_search(
        "per den",
        NAMES,
        expect![[r#"
        Declaration permission_denied in 0 as permission_denied
        Rule permission_denied in 0 as permission_denied
        Facts den.permission_denied in 1 as permission_denied
    "#]],
    );
    check_search(
        "p/2",
        NAMES,
        expect![[r#"
        Facts pad in 0 as pad
    "#]],
    );
    check_search("nothing of the kind", NAMES, expect![[r#""#]]);
    check_search("🦀", NAMES, expect![[r#""#]]);
}

#[test]
fn nothing_asked_is_everything() {
    check_search(
        "",
        NAMES,
        expect![[r#"
        Package den in 1 as den
        Declaration denied in 0 as denied
        Declaration permission_denied in 0 as permission_denied
        Rule permission_denied in 0 as permission_denied
        Facts pad in 0 as pad
        Facts den.denied in 1 as denied
        Facts denied_all in 0 as denied_all
        Facts undeniable in 0 as undeniable
    "#]],
    );
}
