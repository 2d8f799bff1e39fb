//! What the formatter makes of what, row by row of its rules.

use expect_test::{Expect, expect};

use super::{Style, format};
use crate::syntax::SourceFile;
use crate::text::{TextRange, size};

fn formatted(text: &str, style: Style) -> String {
    let formatting = format(&SourceFile::parse(text.into()), style, None);
    assert_eq!(formatting.distrusted, [], "{text}");
    formatting.apply(text)
}

#[track_caller]
fn check_with(style: Style, text: &str, expected: Expect) {
    let once = formatted(text, style);
    expected.assert_eq(&once);
    assert_eq!(formatted(&once, style), once, "not the same again");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(formatted(&crlf(text), style), crlf(&once), "CRLF");
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_with(Style::default(), text, expected);
}

/// For what is right already.
#[track_caller]
fn unchanged(text: &str) {
    assert_eq!(formatted(text, Style::default()), text);
    check(text, Expect { position: expect![].position, data: "", indent: false });
}
