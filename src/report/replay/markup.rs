//! Pieces of HTML that all parts of the page are made of. Foreign text goes through [`escaped`].

use super::TurnReport;
use crate::report::sink;

/// A place of the page. The name of the file is not trusted to be one.
pub(super) fn anchor(turn: &TurnReport) -> String {
    let hash = turn.file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("t{hash:x}-{}", turn.turn)
}

/// A text as code.
pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Words of ours, in which what stands between backquotes is code.
pub(super) fn words(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        let is_code = at % 2 == 1;
        out.push_str(if is_code { "<code>" } else { "" });
        out.push_str(&escaped(part));
        out.push_str(if is_code { "</code>" } else { "" });
    }
    out
}

/// A text that is nothing but text in HTML, in attributes too.
pub(super) fn escaped(text: &str) -> String {
    sink::html(text)
}
