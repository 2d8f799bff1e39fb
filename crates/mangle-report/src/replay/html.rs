//! HTML page about replayed sessions: a timeline of turns with verdicts, and collapsible proofs,
//! texts and states.
//!
//! The page is a single file without scripts and network access. All texts of transcripts and
//! policies are escaped.

use std::fmt::Write as _;

use serde_json::Value;

use super::html_turn::{anchor, mood, turn};
use super::summary::Page;
use super::{ReplaySummary, RuleCoverage, TurnReport, counted, text_member};
use crate::html_page::{self, code, escaped, words};

/// The maximum number of turns of a page.
pub const MAX_TURNS: usize = 3_000;

/// The maximum number of listed problems.
const MAX_PROBLEMS: usize = 200;

#[must_use]
pub fn html(page: Page<'_>) -> String {
    let denied = page.summary.denied + page.summary.envelopes_denied;
    let title = format!("Replay: {denied} denied, {} permitted", page.summary.permitted);
    let mut out = html_page::head(&title, "");
    header(page, &mut out);
    out.push_str("<main>\n");
    out.push_str(&html_page::mark(page.mark));
    problems(page, &mut out);
    timelines(page.turns, &mut out);
    if page.omitted > 0 {
        let _ = write!(out, "<p class=\"note warn\">{} more turns are not shown</p>", page.omitted);
    }
    coverage(page.coverage, &mut out);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(page: Page<'_>, out: &mut String) {
    let summary = page.summary;
    let revision = page.revision.map_or(String::new(), |revision| format!(" at {}", code(revision)));
    let date = page.date.map_or(String::new(), |date| format!("{} · ", escaped(date)));
    let _ = write!(
        out,
        "<header><h1>Replay</h1><p class=\"sub\">{date}policy {}{revision}</p>",
        code(page.program)
    );
    out.push_str("<ul class=\"tiles\">");
    let denied = summary.denied + summary.envelopes_denied;
    let checked = page.checked.map(|checked| &checked.summary);
    let errors = summary.errors + checked.map_or(0, |checked| checked.errors);
    let warnings = summary.warnings + checked.map_or(0, |checked| checked.warnings);
    let plural = |count: usize, one, many| if count == 1 { one } else { many };
    let tiles = [
        (errors, plural(errors, "error", "errors"), if errors > 0 { "bad" } else { "" }),
        (warnings, plural(warnings, "warning", "warnings"), if warnings > 0 { "warn" } else { "" }),
        (denied, "denied", if denied > 0 { "bad" } else { "" }),
        (summary.permitted.saturating_sub(summary.self_granted), "permitted", "good"),
        (summary.self_granted, "self-granted", "bad"),
        (summary.turns, plural(summary.turns, "turn", "turns"), ""),
    ];
    // Omitted if zero, since most sessions have none.
    let tiles = tiles.into_iter().filter(|(count, what, _)| *count > 0 || *what != "self-granted");
    for (count, what, class) in tiles {
        let _ = write!(out, "<li class=\"{class}\"><b>{count}</b> {what}</li>");
    }
    let found = |by: &str, of: &ReplaySummary| {
        format!("{by}: {}, {}", counted(of.errors, "error"), counted(of.warnings, "warning"))
    };
    let mut parts: Vec<String> =
        checked.map(|checked| found("<code>check</code>", checked)).into_iter().collect();
    parts.push(found("replay", summary));
    parts.push(format!(
        "{} asserted, {} lost",
        counted(summary.atoms_asserted, "update"),
        summary.atoms_lost
    ));
    let _ = writeln!(out, "</ul><p class=\"sub\">{}</p></header>", parts.join(" · "));
}

/// Writes the list of problems: errors, then warnings, each with a link to its turn.
fn problems(page: Page<'_>, out: &mut String) {
    let of_turns = page.turns.iter().flat_map(|turn| {
        turn.checked.iter().chain(&turn.findings).map(move |finding| Problem { finding, turn: Some(turn) })
    });
    let elsewhere = page.checked.into_iter().flat_map(|checked| &checked.elsewhere);
    let others = page.policy.iter().chain(elsewhere);
    let all: Vec<Problem<'_>> =
        of_turns.chain(others.map(|finding| Problem { finding, turn: None })).collect();
    let of = |severity: &'static str| {
        all.iter().filter(move |one| text_member(one.finding, "severity") == severity)
    };
    let (errors, warnings) = (of("error").count(), of("warning").count());
    out.push_str("<section class=\"card\" id=\"problems\"><h2>Problems</h2>");
    if errors + warnings == 0 {
        out.push_str("<p>No errors and no warnings.</p></section>\n");
        return;
    }
    out.push_str("<ul class=\"findings\">");
    of("error").chain(of("warning")).take(MAX_PROBLEMS).for_each(|problem| self::problem(problem, out));
    out.push_str("</ul>");
    let more = (errors + warnings).saturating_sub(MAX_PROBLEMS);
    if more > 0 {
        let _ = write!(out, "<p class=\"sub\">… and {more} more, in the turns below</p>");
    }
    out.push_str("</section>\n");
}

/// A finding with its turn.
struct Problem<'a> {
    finding: &'a Value,
    turn: Option<&'a TurnReport>,
}

fn problem(problem: &Problem<'_>, out: &mut String) {
    let finding = problem.finding;
    let severity = text_member(finding, "severity");
    let class = if severity == "error" { "bad" } else { "warn" };
    let place = match problem.turn {
        Some(turn) => format!("<a href=\"#{}\">turn {}</a> of {}", anchor(turn), turn.turn, code(&turn.file)),
        None => code(&format!("{}:{}", text_member(finding, "file"), finding["line"])),
    };
    let _ = write!(
        out,
        "<li><span class=\"badge {class}\">{}</span> {} <span class=\"place\">{} {} · {place}</span></li>",
        escaped(severity),
        words(text_member(finding, "message")),
        escaped(text_member(finding, "code")),
        escaped(text_member(finding, "rule")),
    );
}

fn timelines(turns: &[TurnReport], out: &mut String) {
    let mut file = None;
    for turn in turns {
        if file != Some(&turn.file) {
            if file.is_some() {
                out.push_str("</ol></section>\n");
            }
            let _ = write!(out, "<section><h2>{}</h2>", code(&turn.file));
            overview(turns.iter().filter(|other| other.file == turn.file), out);
            out.push_str("<ol class=\"timeline\">\n");
            file = Some(&turn.file);
        }
        self::turn(turn, out);
    }
    if file.is_some() {
        out.push_str("</ol></section>\n");
    } else {
        out.push_str("<p>There was no answer to replay.</p>\n");
    }
}

/// Writes an overview with a link to each turn.
fn overview<'t>(turns: impl Iterator<Item = &'t TurnReport>, out: &mut String) {
    out.push_str("<nav class=\"strip\" aria-label=\"turns\">");
    for turn in turns {
        let (class, _) = mood(turn);
        let _ = write!(
            out,
            "<a class=\"dot {class}\" href=\"#{}\" title=\"turn {}: {}\">{}</a>",
            anchor(turn),
            turn.turn,
            mood(turn).1,
            turn.turn
        );
    }
    out.push_str("</nav>");
}

fn coverage(coverage: &[RuleCoverage], out: &mut String) {
    if coverage.is_empty() {
        return;
    }
    let held = coverage.iter().filter(|rule| rule.held).count();
    let _ = write!(
        out,
        "<section class=\"card\"><h2>Rules that decide</h2><p class=\"sub\">{held} of {} ever held in these sessions</p>\
         <ul class=\"facts\">",
        coverage.len()
    );
    for rule in coverage {
        let (class, word) = if rule.held { ("plus", "held") } else { ("idle", "never held") };
        let _ = write!(
            out,
            "<li class=\"{class}\">{} <span class=\"place\">{} · {word}</span></li>",
            code(&rule.predicate),
            escaped(&rule.rule)
        );
    }
    out.push_str("</ul></section>\n");
}
