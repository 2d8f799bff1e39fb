//! HTML page without scripts and external resources.

use std::fmt::Write as _;

use super::Fleet;
use super::markup::{counted, escaped, grouped};
use super::sections::{self, SECTIONS};
use crate::html_page;
use mangle_syntax::text::shorten;
use piggyback::envelope::secrets::redacted;

/// Additional styles of this page.
const STYLE: &str = include_str!("fleet.css");

/// The maximum length of a title in characters.
const MAX_TITLE_LEN: usize = 200;

#[derive(Debug, Clone, Copy)]
pub struct FleetPage<'a> {
    pub fleet: &'a Fleet,
    /// The heading. Default: a general title.
    pub title: Option<&'a str>,
    /// The date of the report, for example `2026-01-31`.
    pub date: Option<&'a str>,
    /// The number of inputs that are not completely readable or have no reply.
    pub unread: usize,
    /// The banner for a policy that does not load, with its first error.
    pub mark: Option<&'a str>,
}

/// Writes the page.
#[must_use]
pub fn page(page: FleetPage<'_>) -> String {
    let title = page.title.map(|title| shorten(&redacted(title), MAX_TITLE_LEN).into_owned());
    let title = escaped(title.as_deref().unwrap_or("Report of agent sessions"));
    let mut out = html_page::head(&title, STYLE);
    out.push_str("<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n");
    header(page, &title, &mut out);
    let is_empty = page.fleet.totals.answers == 0 && page.fleet.totals.violations() == 0;
    if !is_empty {
        contents(&mut out);
    }
    out.push_str("<main id=\"main\">\n");
    out.push_str(&html_page::mark(page.mark));
    if page.fleet.totals.answers == 0 {
        out.push_str("<p>There is no reply in these sessions.</p>\n");
    }
    if !is_empty {
        self::sections(page.fleet, &mut out);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(page: FleetPage<'_>, title: &str, out: &mut String) {
    let totals = &page.fleet.totals;
    let date = page.date.map_or(String::new(), |date| format!("{} · ", escaped(date)));
    let _ = write!(
        out,
        "<header><h1>{title}</h1><p class=\"sub\">{date}{} in {}, {}</p>",
        counted(totals.answers, "reply", "replies"),
        counted(totals.sessions, "session", "sessions"),
        counted(totals.files, "input", "inputs"),
    );
    let class = |count: u64, class| if count > 0 { class } else { "" };
    let tiles = [
        (totals.errors, if totals.errors == 1 { "error" } else { "errors" }, class(totals.errors, "bad")),
        (
            totals.warnings,
            if totals.warnings == 1 { "warning" } else { "warnings" },
            class(totals.warnings, "warn"),
        ),
        (totals.all_blocks(), "blocked or denied", class(totals.all_blocks(), "bad")),
        (totals.said, "tokens said", ""),
        (totals.state, "tokens of state", ""),
    ];
    out.push_str("<ul class=\"tiles\">");
    for (count, what, class) in tiles {
        let _ = write!(out, "<li class=\"{class}\"><b>{}</b> {what}</li>", grouped(count));
    }
    out.push_str(
        "</ul><p class=\"sub\">Violations are errors and warnings of <code>check</code> and <code>replay</code>. \
         Times are UTC.</p>\n",
    );
    if page.unread > 0 {
        let inputs = counted(page.unread as u64, "input", "inputs");
        let _ =
            writeln!(out, "<p class=\"note warn\">{inputs} cannot be read to the end, or have no reply.</p>");
    }
    sections::gaps(page.fleet, out);
    out.push_str("</header>\n");
}

fn contents(out: &mut String) {
    out.push_str("<nav class=\"contents\" aria-label=\"Contents\"><ul>");
    for (id, heading, _) in SECTIONS {
        let _ = write!(out, "<li><a href=\"#{id}\">{heading}</a></li>");
    }
    out.push_str("</ul></nav>\n");
}

fn sections(fleet: &Fleet, out: &mut String) {
    for (id, heading, write) in SECTIONS {
        let _ =
            writeln!(out, "<section class=\"card\" aria-labelledby=\"{id}\"><h2 id=\"{id}\">{heading}</h2>");
        write(fleet, out);
        out.push_str("</section>\n");
    }
}
