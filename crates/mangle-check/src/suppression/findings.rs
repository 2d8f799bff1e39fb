//! Findings about suppression comments.

use super::comments::Suppression;
use super::comments::{is_alone, line_start};
use super::directive::{Fault, VERBS};
use super::rules::{FUTILE_SUPPRESSION, MALFORMED_SUPPRESSION, UNKNOWN_SUPPRESSION, UNUSED_SUPPRESSION};
use crate::Registry;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Finding, Fix, Group, Rule};
use mangle_syntax::syntax::format::directive as formatting;
use mangle_syntax::text::{TextRange, TextSize, nearest, shorten, size, slice};

/// Maximum number of unknown names per comment with a suggestion. Each costs a comparison with the
/// names of all rules.
const GUESSED: usize = 32;

/// The findings about one comment. `is_unused` is true if the name at an index suppressed nothing.
/// Ranges are relative to the start of the file.
pub(super) fn about(
    suppression: &Suppression,
    text: &str,
    settings: &RuleSettings,
    registry: &Registry,
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
    // A rule that is disabled here can be enabled in another run.
    let is_on = |rule: &Rule| settings.severity(rule).is_some() && !registry.is_dynamic(rule);
    let unused = among(&|at, rule| rule.is_silenceable() && is_on(rule) && is_unused(at));
    if !futile.is_empty() {
        let message = format!("comments cannot suppress {}", quoted(suppression, text, &futile));
        let finding = superfluous(suppression, text, &FUTILE_SUPPRESSION, &futile, message);
        findings.push(finding.note("its findings are reported in spite of the comment"));
    }
    if !unused.is_empty() {
        let what = quoted(suppression, text, &unused);
        let place = if suppression.covers.is_some() { "here" } else { "in this file" };
        let message = format!("unused suppression of {what}");
        let finding = superfluous(suppression, text, &UNUSED_SUPPRESSION, &unused, message);
        findings.push(finding.note(format!("the rule reports nothing {place}")));
    }
    findings
}

fn unknown(text: &str, range: TextRange, registry: &Registry, guesses: bool) -> Finding {
    let word = slice(text, range);
    let is_group = Group::ALL.iter().any(|group| group.as_str() == word);
    let near = guesses.then(|| registry.similar(word)).flatten();
    let finding =
        |message: String| Finding::new(&UNKNOWN_SUPPRESSION, range, message).label("suppresses nothing");
    match near {
        Some(near) => finding(format!("unknown rule `{}`", shorten(word, 32)))
            .help(format!("did you mean `{near}`?"))
            .fix(Fix::guess(format!("write `{near}`")).replace(range, near)),
        None if is_group => finding(format!("`{word}` is a group, not a rule"))
            .note("a comment lists rules, by name or code")
            .help("list the rules of the group that are reported here"),
        None => finding(format!("unknown rule `{}`", shorten(word, 32))),
    }
}

fn malformed(suppression: &Suppression, text: &str, fault: Fault) -> Finding {
    let Suppression { comment, directive, .. } = suppression;
    let finding = |range, message: String| Finding::new(&MALFORMED_SUPPRESSION, range, message);
    match fault {
        Fault::Colon(at) => finding(*comment, "missing `:` after `mangle-ls`".into())
            .note(NO_EFFECT)
            .fix(Fix::guess("insert `:`").insert(at, ":")),
        Fault::Verb(range) => {
            let word = slice(text, range);
            let range = if range.is_empty() { *comment } else { range };
            let note = "the words after `mangle-ls:` are `ignore`, `ignore-file` and `format`";
            instead_of(word, range, VERBS, finding(range, unknown_word(word, "mangle-ls:")).note(note))
        }
        Fault::Format(range) => {
            let words = formatting::WORDS.map(|(word, _)| word);
            let word = slice(text, range);
            let place = if range.is_empty() { *comment } else { range };
            let note = "the words after `mangle-ls: format` are `off`, `on` and `skip`";
            instead_of(word, range, words, finding(place, unknown_word(word, "mangle-ls: format")).note(note))
        }
        Fault::Nameless => finding(*comment, "suppression comment lists no rule".into())
            .note("it suppresses nothing")
            .help("list rules, as in `ignore NAME, NAME -- reason`"),
        Fault::Comma(range) => {
            let before = text.get(..usize::from(range.start())).unwrap_or("").trim_end();
            finding(range, "missing `,` before the next rule".into())
                .label("expected `,` before this")
                .fix(Fix::guess("insert `,`").insert(size(before.len()), ","))
        }
        Fault::Reason(range) => {
            let after = match directive.names.len() {
                0 => "the directive",
                1 => "the rule",
                _ => "the rules",
            };
            finding(range, "missing `--` before the reason".into())
                .note(format!("`--` separates the reason from {after}"))
                .fix(Fix::guess("insert `--`").insert(range.start(), "-- "))
        }
    }
}

/// The consequence of an invalid comment.
const NO_EFFECT: &str = "mangle-ls ignores the comment";

/// The headline about a missing word, or about an unexpected word after `before`.
fn unknown_word(word: &str, before: &str) -> String {
    if word.is_empty() {
        format!("missing word after `{before}`")
    } else {
        format!("unknown word `{}` after `{before}`", shorten(word, 32))
    }
}

/// Adds the nearest of `words`, if one is near.
fn instead_of<'w>(
    word: &str,
    range: TextRange,
    words: impl IntoIterator<Item = &'w str>,
    finding: Finding,
) -> Finding {
    let finding = finding.note(NO_EFFECT);
    match nearest(word, words) {
        Some(near) => finding.fix(Fix::guess(format!("write `{near}`")).replace(range, near)),
        None => finding,
    }
}

/// The names at these indices, for a headline: the first ones, and the number of the others.
fn quoted(suppression: &Suppression, text: &str, at: &[usize]) -> String {
    const SHOWN: usize = 3;
    let names = at.iter().filter_map(|at| suppression.directive.names.get(*at)).take(SHOWN);
    let names: Vec<_> = names.map(|named| format!("`{}`", slice(text, named.range))).collect();
    match at.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// The finding that the names at the sorted indices `drop` are superfluous, and the fix that
/// removes them.
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
        let fix = Fix::safe("delete the comment").replace(removal(text, suppression.comment), "");
        return Finding::new(rule, suppression.comment, message).fix(fix);
    }
    let first = drop.first().and_then(|at| directive.names.get(*at));
    let range = first.map_or(directive.list, |named| named.range);
    let fix = Fix::safe("delete it from the comment").replace(directive.list, kept.join(", "));
    Finding::new(rule, range, message).fix(fix)
}

/// The range to delete for a comment: its line, or (after code) the comment and the white space
/// before it.
fn removal(text: &str, comment: TextRange) -> TextRange {
    let (start, end) = (usize::from(comment.start()), usize::from(comment.end()));
    if is_alone(text.as_bytes(), start) {
        let rest = text.get(end..).unwrap_or("");
        let line_end = rest.split_inclusive('\n').next().filter(|line| line.trim().is_empty()).unwrap_or("");
        // The byte order mark is not part of the line.
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let line = line_start(text.as_bytes(), start).max(bom);
        return TextRange::new(size(line), size(end + line_end.len()));
    }
    let before = text.get(..start).unwrap_or("");
    TextRange::new(TextSize::of(before.trim_end()), comment.end())
}
