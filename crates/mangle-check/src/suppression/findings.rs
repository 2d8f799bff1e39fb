//! What is wrong with the silencing comments themselves.

use super::comment::Suppression;
use super::comments::{is_alone, line_start};
use super::directive::{Fault, VERBS};
use super::rules::{FUTILE_SUPPRESSION, MALFORMED_SUPPRESSION, UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use crate::Registry;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Finding, Fix, Group, Rule};
use mangle_syntax::syntax::format::directive as formatting;
use mangle_syntax::text::{TextRange, TextSize, nearest, size, slice};

/// For how many unknown names of one comment a known one is looked up that they may stand for: each costs a comparison with
/// the names of all rules.
const GUESSED: usize = 32;

/// The findings about one comment; `is_unused` says whether the name at an index silenced nothing. Ranges
/// count from the start of the file.
pub(super) fn about(
    suppression: &Suppression,
    text: &str,
    (settings, registry): (&RuleSettings, &Registry),
    is_unused: &dyn Fn(usize) -> bool,
) -> Vec<Finding> {
    if let Some(fault) = suppression.directive.fault {
        return vec![malformed(suppression, text, fault)];
    }
    let names = suppression.directive.names.iter().enumerate();
    let strange = names.clone().filter(|(_, named)| named.rule.is_none());
    let mut findings: Vec<_> = strange
        .enumerate()
        .map(|(at, (_, named))| unknown(text, named.range, registry, at < GUESSED))
        .collect();
    let among = |wanted: &dyn Fn(usize, &Rule) -> bool| -> Vec<usize> {
        let known = names.clone().filter_map(|(at, named)| Some((at, named.rule?)));
        known.filter(|(at, rule)| wanted(*at, rule)).map(|(at, _)| at).collect()
    };
    let futile = among(&|_, rule| !rule.is_silenceable());
    // A rule that is off here may be on for somebody else.
    let is_on = |rule: &Rule| settings.severity(rule).is_some() && !registry.is_dynamic(rule);
    let unused = among(&|at, rule| rule.is_silenceable() && is_on(rule) && is_unused(at));
    if !futile.is_empty() {
        let message = format!("{} cannot be silenced by a comment.", quoted(suppression, text, &futile));
        findings.push(superfluous(suppression, text, &FUTILE_SUPPRESSION, &futile, message));
    }
    if !unused.is_empty() {
        let what = quoted(suppression, text, &unused);
        let place = if suppression.covers.is_some() { "here" } else { "in this file" };
        let message = format!("{what} finds nothing {place}, so there is nothing to silence.");
        findings.push(superfluous(suppression, text, &UNUSED_SUPPRESSION, &unused, message));
    }
    findings
}

fn unknown(text: &str, range: TextRange, registry: &Registry, guesses: bool) -> Finding {
    let word = slice(text, range);
    let is_group = Group::ALL.iter().any(|group| group.as_str() == word);
    let near = guesses.then(|| registry.similar(word)).flatten();
    let message = match near {
        Some(near) => {
            format!("No rule is called `{word}`, so this name silences nothing. Did you mean `{near}`?")
        }
        None if is_group => {
            format!("`{word}` is a group; a comment names the rules that it silences, by name or code.")
        }
        None => format!("No rule is called `{word}`, so this name silences nothing."),
    };
    let finding = Finding::new(&UNKNOWN_SUPPRESSION, range, message);
    match near {
        Some(near) => finding.fix(Fix::guess(format!("Replace it by `{near}`")).replace(range, near)),
        None => finding,
    }
}

fn malformed(suppression: &Suppression, text: &str, fault: Fault) -> Finding {
    let Suppression { comment, directive, .. } = suppression;
    let finding = |range, message: String| Finding::new(&MALFORMED_SUPPRESSION, range, message);
    match fault {
        Fault::Colon(at) => finding(*comment, "A colon is missing behind `mangle-ls`.".into())
            .fix(Fix::safe("Insert the colon").insert(at, ":")),
        Fault::Verb(range) => {
            let word = slice(text, range);
            let message = "Behind `mangle-ls:` stands `ignore` or `ignore-file` and then the names of rules, or `format`.";
            let range = if range.is_empty() { *comment } else { range };
            match nearest(word, VERBS) {
                Some(near) => finding(range, message.into())
                    .fix(Fix::safe(format!("Replace it by `{near}`")).replace(range, near)),
                None => finding(range, message.into()),
            }
        }
        Fault::Format(range) => {
            let words = formatting::WORDS.map(|(word, _)| word);
            let message = "Behind `mangle-ls: format` stands `off`, `on` or `skip`.";
            let near = nearest(slice(text, range), words);
            let finding = finding(if range.is_empty() { *comment } else { range }, message.into());
            match near {
                Some(near) => finding.fix(Fix::safe(format!("Replace it by `{near}`")).replace(range, near)),
                None => finding,
            }
        }
        Fault::Nameless => {
            let message = "This names no rule, so nothing is silenced: `ignore NAME -- reason`.";
            finding(*comment, message.into())
        }
        Fault::Comma(range) => {
            let before = text.get(..usize::from(range.start())).unwrap_or("").trim_end();
            finding(range, "Commas separate the names of rules.".into())
                .fix(Fix::safe("Insert the comma").insert(size(before.len()), ","))
        }
        Fault::Reason(range) => {
            let message = format!(
                "`--` separates the reason from {}.",
                match directive.names.len() {
                    0 => "what the comment says",
                    1 => "the name of the rule",
                    _ => "the names of the rules",
                }
            );
            finding(range, message).fix(Fix::safe("Insert `--`").insert(range.start(), "-- "))
        }
    }
}

/// The names at these indices, for a sentence.
fn quoted(suppression: &Suppression, text: &str, at: &[usize]) -> String {
    let names = at.iter().filter_map(|at| suppression.directive.names.get(*at));
    let names: Vec<_> = names.map(|named| format!("`{}`", slice(text, named.range))).collect();
    names.join(", ")
}

/// The finding that the names at `drop`, which are sorted, can go, and the fix that takes them away.
fn superfluous(
    suppression: &Suppression,
    text: &str,
    rule: &'static Rule,
    drop: &[usize],
    message: String,
) -> Finding {
    let directive = &suppression.directive;
    let names = directive.names.iter().enumerate();
    let kept: Vec<_> = names
        .filter(|(at, _)| drop.binary_search(at).is_err())
        .map(|(_, named)| slice(text, named.range))
        .collect();
    if kept.is_empty() {
        let fix = Fix::safe("Delete the comment").replace(removal(text, suppression.comment), "");
        return Finding::new(rule, suppression.comment, message).fix(fix);
    }
    let first = drop.first().and_then(|at| directive.names.get(*at));
    let range = first.map_or(directive.list, |named| named.range);
    let fix = Fix::safe("Delete it from the comment").replace(directive.list, kept.join(", "));
    Finding::new(rule, range, message).fix(fix)
}

/// What to delete so that a comment is gone: its line, or (behind code) it and the white space before it.
fn removal(text: &str, comment: TextRange) -> TextRange {
    let (start, end) = (usize::from(comment.start()), usize::from(comment.end()));
    if is_alone(text.as_bytes(), start) {
        let rest = text.get(end..).unwrap_or("");
        let line_end = rest.split_inclusive('\n').next().filter(|line| line.trim().is_empty()).unwrap_or("");
        // The byte order mark is not of the line.
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let line = line_start(text.as_bytes(), start).max(bom);
        return TextRange::new(size(line), size(end + line_end.len()));
    }
    let before = text.get(..start).unwrap_or("");
    TextRange::new(TextSize::of(before.trim_end()), comment.end())
}
