//! Markdown report of a turn, for comments and reports. Texts of the transcript are in code spans
//! and fences, so they contain no markup.

use std::fmt::Write as _;

use super::{ProofTree, TurnReport, VerdictReport, text_member, unjudged};
use crate::sink;

/// The maximum length of a text in a line, in characters.
const LINE: usize = 300;

/// A turn as a section.
#[must_use]
pub fn markdown(turn: &TurnReport) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## Turn {}\n", turn.turn);
    let time = turn.time.as_ref().map_or(String::new(), |time| format!(", {}", plain(time)));
    let method =
        turn.method.as_ref().map_or(String::new(), |method| format!(", read as {}", words_code(method)));
    let _ = writeln!(out, "{}, line {}{time}{method}\n", words_code(&turn.file), turn.line);
    if let Some(asked) = &turn.asked {
        let _ = writeln!(out, "- user: {}", words_code(asked));
    }
    let _ = writeln!(out, "- says: {}", words_code(&turn.surface.original));
    if let Some(hidden) = turn.surface.hidden() {
        let _ = writeln!(out, "- **not shown**: {}", plain(&hidden));
    }
    if let Some(reason) = &turn.surface.reason {
        let _ = writeln!(out, "- **shown instead** ({}): {}", plain(reason), words_code(&turn.surface.shown));
    }
    for atom in turn.atoms.iter().filter(|atom| atom.fate != "blank") {
        let _ = writeln!(out, "- update {}: {}", words_code(&atom.text), plain(&atom.why));
    }
    for one in &turn.memory {
        let _ = writeln!(
            out,
            "- memory {} {}: {}",
            words_code(&one.op),
            words_code(&one.key),
            plain(&one.effect)
        );
    }
    if let Some(correction) = &turn.self_correction {
        let actions: Vec<_> = correction.actions.iter().map(|action| words_code(&action.fact)).collect();
        let actions = if actions.is_empty() { "nothing".to_owned() } else { actions.join(", ") };
        let _ = writeln!(
            out,
            "- corrects itself: {}; the policy derives {actions}",
            words_code(&correction.hypothesis)
        );
    }
    let state = &turn.state;
    if state.added_count + state.removed_count > 0 {
        let _ = writeln!(out, "- state: {} more, {} fewer", state.added_count, state.removed_count);
    }
    verdicts(turn, &mut out);
    if !turn.findings.is_empty() {
        out.push_str("\n| Severity | Rule | |\n|---|---|---|\n");
        for finding in &turn.findings {
            let (severity, rule) = (text_member(finding, "severity"), text_member(finding, "rule"));
            let _ = writeln!(out, "| {severity} | `{rule}` | {} |", cell(text_member(finding, "message")));
        }
    }
    out.push('\n');
    out
}

fn verdicts(turn: &TurnReport, out: &mut String) {
    if turn.unjudged > 0 {
        let _ = writeln!(out, "\nUnjudged: {}", unjudged(turn.unjudged));
    }
    if turn.all_verdicts().next().is_none() {
        return;
    }
    out.push_str("\n| Verdict | Request | Why |\n|---|---|---|\n");
    for verdict in turn.all_verdicts() {
        let what = match verdict.index {
            None => "the whole reply".to_owned(),
            Some(_) => format!("{} {}", code(&verdict.action), code(verdict.object())),
        };
        let _ = writeln!(out, "| **{}** | {what} | {} |", verdict.verdict, cell(&verdict.why));
    }
    for verdict in turn.all_verdicts() {
        for own in &verdict.rests_on {
            let what = format!("{} {}", code(&verdict.action), code(verdict.object()));
            let _ = writeln!(out, "| rests on | {what} | {} ({}) |", code(&own.fact), cell(&own.from));
        }
    }
    for one in &turn.compared {
        let _ = writeln!(
            out,
            "| **{}** under the other policy, {} here | {} {} | {} |",
            one.there,
            one.here,
            code(&one.action),
            code(&one.target),
            cell(&one.why)
        );
    }
    turn.all_verdicts().for_each(|verdict| proofs(verdict, out));
}

fn proofs(verdict: &VerdictReport, out: &mut String) {
    if verdict.because.is_empty() && verdict.why_not.is_empty() {
        return;
    }
    let mut lines = String::new();
    verdict.because.iter().for_each(|proof| tree(proof, 0, &mut lines));
    for lack in &verdict.why_not {
        let (rule, literal) = (sink::line(&lack.place()), sink::line(&lack.first_failing_literal));
        let _ = writeln!(lines, "{rule} lacks {literal}");
        lack.near.iter().for_each(|near| lines.push_str(&format!("  near: {}\n", sink::line(near))));
    }
    let _ = writeln!(
        out,
        "\n<details><summary>{} <code>{}</code></summary>\n\n{}\n</details>",
        verdict.verdict,
        sink::html_line(&verdict.action),
        sink::markdown_fence(&lines)
    );
}

fn tree(tree: &ProofTree, level: usize, out: &mut String) {
    let by = tree.by.as_deref().unwrap_or_default();
    let note = match tree.kind.as_str() {
        "rule" => format!("  by {}", sink::line(by)),
        "fact" | "session" if !by.is_empty() => format!("  [{}]", sink::line(by)),
        "dropped" => "  is ignored by the engine".to_owned(),
        "above" => "  (see above)".to_owned(),
        _ => String::new(),
    };
    let no = if tree.kind == "absent" { "no " } else { "" };
    let _ = writeln!(out, "{:indent$}{no}{}{note}", "", sink::line(&tree.fact), indent = level * 2);
    tree.because.iter().for_each(|inner| self::tree(inner, level + 1, out));
}

/// A truncated text as a code span in a table cell.
fn code(text: &str) -> String {
    sink::markdown_code(&cut(text))
}

/// A truncated text as a code span outside of tables.
fn words_code(text: &str) -> String {
    sink::code_span(&cut(text))
}

fn cut(text: &str) -> String {
    let cut = text.char_indices().nth(LINE).and_then(|(at, _)| text.get(..at));
    cut.map_or(text.into(), |cut| format!("{cut}…"))
}

fn plain(text: &str) -> String {
    sink::markdown(text)
}

fn cell(text: &str) -> String {
    sink::markdown_cell(text)
}
