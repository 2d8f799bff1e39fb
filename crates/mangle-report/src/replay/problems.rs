//! List of problems at the top of the page: errors, then warnings, each with a link to its turn.

use std::fmt::Write as _;

use serde_json::Value;

use super::markup::{code, words};
use super::{Page, TurnReport, text_member};
use crate::fleet::markup::escaped;

/// The maximum number of listed problems.
const MAX_PROBLEMS: usize = 200;

/// A finding with its turn.
struct Problem<'a> {
    finding: &'a Value,
    turn: Option<&'a TurnReport>,
}

pub(super) fn problems(page: Page<'_>, out: &mut String) {
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

/// The anchor of a turn. The file name is hashed, because it is not a valid anchor.
pub(super) fn anchor(turn: &TurnReport) -> String {
    let hash = turn.file.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("t{hash:x}-{}", turn.turn)
}
