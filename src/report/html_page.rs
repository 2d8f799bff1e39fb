//! What all HTML pages of reports begin with: one file without scripts, which loads nothing, and one look.

use super::sink;

/// The look that pages have in common.
const STYLE: &str = include_str!("page.css");

/// The banner of a page about a program that does not load; empty without a mark.
pub(super) fn mark(mark: Option<&str>) -> String {
    mark.map_or_else(String::new, |mark| format!("<p class=\"note warn\">{}</p>\n", sink::html(mark)))
}

/// The beginning of a page, up to its body. `title` is escaped already; `style` is what this page has beyond the common look.
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
