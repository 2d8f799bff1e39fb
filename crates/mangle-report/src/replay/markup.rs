//! HTML helpers of all parts of the page. Foreign text must be escaped with [`escaped`].

use crate::fleet::markup::escaped;

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
