//! Checks of the text of an update before parsing: blank, padded, too long, shell characters, final
//! period.

use super::context::{ListContext, trimmed_range};
use super::edits::{UpdateEdit, removal};
use super::read::ParsedFact;
use super::scan::{Stretch, stretches};
use super::{Update, rules};
use crate::envelope::runtime::shell_characters;
use mangle_settings::versions::runtime::ShellCharacters;
use mangle_settings::{Period, Runtime};
use mangle_syntax::lint::{Finding, Severity, Span};
use mangle_syntax::text::{TextRange, TextSize, size, slice, text_len};

/// The maximum number of positions in one finding.
const SHOWN: usize = 10;

pub(super) fn blank(update: &Update<'_>) -> Finding {
    Finding::new(&rules::BLANK_ATOM, update.range, "update is blank")
        .note("the runtime ignores it, but counts it against the limits")
        .fix(removal(update, super::DELETE_UPDATE))
}

/// Reports white space around an update.
pub(super) fn padded(update: &Update<'_>, trimmed: &str) -> Option<Finding> {
    let text = update.text.as_ref();
    if trimmed.len() == text.len() {
        return None;
    }
    let inner = trimmed_range(text);
    let before = TextRange::up_to(inner.start());
    let behind = TextRange::new(inner.end(), text_len(text));
    let parts: Vec<_> = [before, behind].into_iter().filter(|part| !part.is_empty()).collect();
    let first = *parts.first()?;
    let note = "the runtime keeps it, so a comparison with the update without it fails";
    let change = parts
        .iter()
        .fold(UpdateEdit::safe(update, "delete the white space"), |change, part| change.replace(*part, ""));
    let finding = Finding::new(&rules::PADDED_ATOM, update.place(first), "white space around the update")
        .note(note)
        .fix(change.fix());
    let others = parts.iter().skip(1);
    Some(others.fold(finding, |finding, part| finding.related(Span::here(update.place(*part)), "also here")))
}

pub(super) fn too_long(update: &Update<'_>, trimmed: &str, limit: usize) -> Finding {
    let message = format!("update has {} bytes, the limit is {limit}", trimmed.len());
    Finding::new(&rules::ATOM_TOO_LONG, update.place(trimmed_range(&update.text)), message)
        .note("the runtime ignores an update over the limit")
        .help("split it into several facts, or keep long text out of facts")
}

/// Reports the characters that cause the runtime to drop an update. Returns true if any are found.
pub(super) fn metacharacters(update: &Update<'_>, runtime: Runtime, out: &mut Vec<Finding>) -> bool {
    let text = update.text.as_ref();
    if !text.contains(runtime.shell_characters.characters()) {
        return false;
    }
    let found: Vec<_> = shell_characters(text, runtime).collect();
    let place = |at: usize| update.place(TextRange::at(size(at), TextSize::new(1)));
    let Some((first, char)) = found.first().copied() else { return false };
    let message = format!("{} makes the runtime ignore the update", shown(char));
    let mut finding =
        Finding::new(&rules::METACHAR, place(first), message).note(match runtime.shell_characters {
            ShellCharacters::OutsideOfStrings(_) => {
                format!(
                    "runtime {runtime} accepts none of these characters outside of strings: `{}`",
                    listed(runtime)
                )
            }
            _ => "an update must not contain a backtick, `$`, `;` or `|`, not even in a string".to_owned(),
        });
    for (at, char) in found.iter().skip(1).take(SHOWN) {
        finding = finding.related(Span::here(place(*at)), format!("{} too", shown(*char)));
    }
    let strings = stretches(text);
    let is_inside = |at: usize| {
        let inside = |(range, stretch): &(TextRange, Stretch)| {
            matches!(stretch, Stretch::String(b'"' | b'\'')) && range.contains(size(at))
        };
        strings.iter().any(inside)
    };
    if found.iter().all(|(at, _)| is_inside(*at)) {
        let change = UpdateEdit::guess(update, "write it as an escape, which the runtime accepts");
        let change = found.iter().fold(change, |change, (at, char)| {
            let code = u32::from(*char);
            change.replace(TextRange::at(size(*at), TextSize::new(1)), &format!("\\x{code:02x}"))
        });
        finding = finding.fix(change.fix());
    }
    out.push(finding);
    true
}

/// Lists the characters that a runtime checks.
fn listed(runtime: Runtime) -> String {
    runtime
        .shell_characters
        .characters()
        .iter()
        .filter(|char| **char != '`')
        .map(char::to_string)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Formats a character for a message.
fn shown(char: char) -> String {
    if char == '`' { "backtick".to_owned() } else { format!("`{char}`") }
}

/// Reports a missing or forbidden final period.
pub(super) fn period(
    update: &Update<'_>,
    trimmed: &str,
    fact: &ParsedFact<'_>,
    terms: &ListContext<'_>,
) -> Option<Finding> {
    let has_period = trimmed.ends_with('.');
    if has_period && terms.period != Some(Period::Forbidden) {
        return None;
    }
    let inner = trimmed_range(&update.text);
    let last = trimmed.chars().next_back()?.len_utf8();
    let end = TextRange::new(inner.end() - size(last), inner.end());
    match terms.period? {
        Period::Forbidden if has_period => {
            let fix = UpdateEdit::safe(update, "delete the full stop").replace(end, "").fix();
            let finding = Finding::new(&rules::HAS_PERIOD, update.place(end), "update ends with a full stop");
            Some(finding.note("`trailing_period` is `\"forbidden\"`").fix(fix))
        }
        Period::Required | Period::Optional if !has_period => {
            let is_required = terms.period == Some(Period::Required);
            let note = match is_required {
                true => "the runtime silently ignores the update".to_owned(),
                false => format!(
                    "{} accepts it, the runtime of `current` ignores it",
                    match terms.settings.atoms.trailing_period {
                        Some(_) => "`trailing_period`".to_owned(),
                        None => format!("version {}", terms.profile),
                    }
                ),
            };
            let message = "update does not end with a full stop";
            let mut finding = Finding::new(&rules::NO_PERIOD, update.place(end), message).note(note);
            if !is_required {
                finding = finding.severity(Severity::Hint);
            }
            Some(finding.fix(with_period(update, inner, fact)))
        }
        _ => None,
    }
}

/// Returns the fix that makes a period the last character: after the fact, or instead of a comment
/// after the period.
fn with_period(update: &Update<'_>, inner: TextRange, fact: &ParsedFact<'_>) -> mangle_syntax::lint::Fix {
    let rest = TextRange::new(fact.range.end(), inner.end());
    let is_commented = slice(&update.text, rest).trim_start().starts_with('.');
    match is_commented && fact.rest.as_ref().is_some_and(|rest| rest.others.is_empty()) {
        true => UpdateEdit::safe(update, "delete the text after the full stop").replace(rest, ".").fix(),
        false => {
            UpdateEdit::safe(update, "add the full stop").replace(TextRange::empty(inner.end()), ".").fix()
        }
    }
}
