//! HTML helpers of all parts of the page.

use crate::sink;

/// Escapes a text for HTML content and attributes.
pub(super) fn escaped(text: &str) -> String {
    sink::html(text)
}

/// Formats a number with thousands separators.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}
