//! HTML helpers of all parts of the page. Foreign text must be escaped with [`escaped`].

use super::TurnReport;
use crate::sink;

/// The anchor of a turn. The file name is hashed, because it is not a valid anchor.
pub(super) fn anchor(turn: &TurnReport) -> String {
    let hash = turn.file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("t{hash:x}-{}", turn.turn)
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Escapes a text and formats its backquoted parts as code.
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

/// Escapes a text for HTML content and attributes.
pub(super) fn escaped(text: &str) -> String {
    sink::html(text)
}
