//! Common head and style of all HTML report pages. Pages have no scripts and load no resources.

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
