//! Common head, style and helpers of all HTML report pages. Pages have no scripts and load no resources.
//! Foreign text must be escaped with [`escaped`].

use super::sink;

/// The common style.
const STYLE: &str = include_str!("page.css");

/// The banner for a program that does not load; empty without a mark.
pub(super) fn mark(mark: Option<&str>) -> String {
    mark.map_or_else(String::new, |mark| format!("<p class=\"note warn\">{}</p>\n", sink::html(mark)))
}

/// The start of a page up to its body. `title` must be escaped; `style` has the additional styles
/// of the page.
pub(super) fn head(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n"
    )
}

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
