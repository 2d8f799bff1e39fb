//! Checks of the text of an update, before and after parsing.
//!
//! Before parsing: blank, padded, too long, shell characters. After parsing: final period, and
//! updates that are not exactly one fact, such as rules, statements, several clauses, syntax errors,
//! duplicates and updates beyond the limit.

use super::offers::may_name_be_offered;
use super::read::{self, ParsedFact, UpdateReading};
use super::update::{Stretch, UpdateEdit, removal, stretches};
use super::{ListContext, Update, rules, trimmed_range};
use crate::envelope::pointer::shortened;
use crate::envelope::runtime::{FilterVerdict, refusal, shell_characters};
use mangle_engine::types::{Base, Type};
use mangle_settings::versions::runtime::ShellCharacters;
use mangle_settings::{Period, Runtime};
use mangle_syntax::lint::{Finding, Fix, Severity, Span};
use mangle_syntax::syntax::rules as grammar;
use mangle_syntax::text::{TextRange, TextSize, apply, size, slice, text_len};

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

/// Words that begin statements.
const STATEMENTS: [&str; 3] = ["Decl ", "Package ", "Use "];

/// The maximum number of syntax errors per update.
const MAX_UNREADABLE: usize = 5;

/// An arrow that the runtime's text check does not recognize.
const LONG_ARROW: &str = "⟸";

/// Reports updates that the runtime rejects or misinterprets by their text. Returns true if no
/// further checks are needed.
pub(super) fn refused(update: &Update<'_>, trimmed: &str, out: &mut Vec<Finding>) -> bool {
    let text = update.text.as_ref();
    // The runtime tests for rules before statements, but the message about statements is clearer.
    if is_statement(trimmed) {
        out.push(statement(update, trimmed_range(text)));
        return true;
    }
    // Fast path, because most updates have no colon and no first byte of the long arrow.
    if memchr::memchr2(b':', 0xe2, text.as_bytes()).is_none()
        || !text.contains(":-") && !text.contains(LONG_ARROW)
    {
        return false;
    }
    let stretches = stretches(text);
    if let Some(arrow) = stretches.iter().find_map(|(range, stretch)| match stretch {
        Stretch::Code => arrow_in(text, *range),
        _ => None,
    }) {
        out.push(rule(update, arrow));
        return true;
    }
    out.extend(hidden_arrow(update, &stretches));
    false
}

/// True if an update begins with a word of a statement.
fn is_statement(trimmed: &str) -> bool {
    // Fast path: statements begin with one of these letters.
    trimmed.starts_with(['d', 'D', 'i', 'I', '\u{130}', 'P', 'U'])
        && (matches!(refusal(trimmed), Some(FilterVerdict::Declaration | FilterVerdict::Import))
            || STATEMENTS.iter().any(|word| trimmed.starts_with(word)))
}

/// Returns the first arrow in a part of a text.
fn arrow_in(text: &str, range: TextRange) -> Option<TextRange> {
    let part = slice(text, range);
    let found = [":-", LONG_ARROW].into_iter().filter_map(|arrow| Some((part.find(arrow)?, arrow.len())));
    let (at, len) = found.min()?;
    Some(TextRange::at(range.start() + size(at), size(len)))
}

fn rule(update: &Update<'_>, arrow: TextRange) -> Finding {
    let note = match slice(&update.text, arrow) {
        LONG_ARROW => "the runtime ignores this arrow and asserts the head, whether or not the body holds",
        _ => "the runtime rejects it",
    };
    Finding::new(&rules::RULE_IN_UPDATE, update.place(arrow), "update is a rule, not a fact")
        .note(note)
        .help("assert facts instead")
}

/// Reports `:-` in a string or comment.
fn hidden_arrow(update: &Update<'_>, stretches: &[(TextRange, Stretch)]) -> Option<Finding> {
    let text = update.text.as_ref();
    let (stretch, at) = stretches.iter().find_map(|(range, stretch)| {
        let at = slice(text, *range).find(":-").filter(|_| *stretch != Stretch::Unclosed)?;
        Some((*stretch, range.start() + size(at)))
    })?;
    let place = if stretch == Stretch::Comment { "comment" } else { "string" };
    let message = format!("`:-` in a {place} makes the runtime reject the update");
    let place = update.place(TextRange::at(at, TextSize::new(2)));
    let finding = Finding::new(&rules::ARROW_IN_STRING, place, message)
        .note("the runtime takes it for the arrow of a rule");
    let change = UpdateEdit::guess(update, "insert a space between `:` and `-`");
    let all = stretches.iter().filter(|(_, stretch)| matches!(stretch, Stretch::String(_)));
    let arrows = all.flat_map(|(range, _)| {
        slice(text, *range)
            .match_indices(":-")
            .map(|(at, _)| range.start() + size(at + 1))
            .collect::<Vec<_>>()
    });
    let is_string = matches!(stretch, Stretch::String(_));
    let fix = arrows.fold(change, |change, at| change.replace(TextRange::empty(at), " ")).fix();
    Some(if is_string { finding.fix(fix) } else { finding })
}

pub(super) fn statement(update: &Update<'_>, range: TextRange) -> Finding {
    let text = slice(&update.text, range);
    let word = text.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or("");
    let message = format!("update is a `{}` statement, not a fact", shortened(word));
    Finding::new(&rules::DECL_IN_UPDATE, update.place(range), message)
        .note("a reply may only assert facts")
        .help("assert facts instead")
}

/// Reports text after the first clause and misinterpreted arrows. Returns true if no further checks
/// are needed.
pub(super) fn others(update: &Update<'_>, fact: &ParsedFact<'_>, out: &mut Vec<Finding>) -> bool {
    let Some(rest) = &fact.rest else { return false };
    if let Some(arrow) = rest.arrow {
        out.push(rule(update, arrow));
        return true;
    }
    let Some((second, _)) = rest.others.first() else { return false };
    let finding = Finding::new(&rules::MULTI_CLAUSE, update.place(*second), "update has several clauses")
        .label("ignored")
        .note("the runtime asserts only the first clause of an update");
    out.push(Finding { fix: split(update, fact), ..finding });
    false
}

/// Returns the fix that makes each clause a separate element.
fn split(update: &Update<'_>, fact: &ParsedFact<'_>) -> Option<Fix> {
    let others = &fact.rest.as_ref()?.others;
    let mut change = UpdateEdit::safe(update, "make each clause an update");
    let mut end = fact.rest.as_ref()?.interval.unwrap_or(fact.range).end();
    for (range, is_fact) in others {
        let gap = TextRange::new(end, range.start());
        // Only a period and white space separate the clauses, no comment.
        if !is_fact || slice(&update.text, gap).trim() != "." {
            return None;
        }
        change = change.outside(update.place(gap), ".\", \"");
        // The period of a clause is part of its statement.
        end = range.end() - TextSize::new(1);
    }
    Some(change.fix())
}

/// Reports the syntax errors of an update.
pub(super) fn unreadable(
    update: &Update<'_>,
    findings: &[Finding],
    terms: &ListContext<'_>,
    out: &mut Vec<Finding>,
) {
    for finding in findings.iter().take(MAX_UNREADABLE) {
        let found = bare_word(update, finding, terms);
        out.push(found.unwrap_or_else(|| grammar_finding(update, finding, findings.len(), terms)));
    }
}

/// The note about updates with syntax errors.
const UNREADABLE: &str = "the runtime cannot read the update and ignores it";

/// Converts a finding of the grammar to a finding about the update. `others` is the total number of
/// findings.
fn grammar_finding(
    update: &Update<'_>,
    finding: &Finding,
    others: usize,
    terms: &ListContext<'_>,
) -> Finding {
    let range = if finding.range.is_empty() { trimmed_range(&update.text) } else { finding.range };
    let fix = finding
        .fix
        .as_ref()
        .filter(|fix| is_improvement(update, fix, others) && may_rename(update, fix, terms));
    let mut new =
        Finding::new(&rules::ATOM_SYNTAX, update.place(range), finding.message.clone()).note(UNREADABLE);
    new.label = finding.label.clone();
    // The help is useless if the fix does not apply here, for example to a comment.
    if finding.fix.is_none() {
        new.help = finding.help.clone();
    }
    let Some(fix) = fix else { return new };
    let change = UpdateEdit::like(update, fix);
    new.fix(fix.edits.iter().fold(change, |change, edit| change.replace(edit.span.range, &edit.text)).fix())
}

/// Applies a fix of the grammar to the update.
fn after(update: &Update<'_>, fix: &Fix) -> Option<String> {
    let mut edits: Vec<_> = fix.edits.iter().map(|edit| (edit.span.range, edit.text.as_str())).collect();
    edits.sort_by_key(|(range, _)| range.start());
    apply(&update.text, edits)
}

/// True if a fix keeps the predicate, or changes it to a predicate that may be suggested.
fn may_rename(update: &Update<'_>, fix: &Fix, terms: &ListContext<'_>) -> bool {
    fn name(text: &str) -> &str {
        text.trim_start().split('(').next().unwrap_or_default().trim_end()
    }
    after(update, fix).is_none_or(|new| {
        name(&new) == name(&update.text)
            || may_name_be_offered(name(&new), terms.declarations, terms.settings)
    })
}

/// True if the update has fewer errors after a fix of the grammar.
fn is_improvement(update: &Update<'_>, fix: &Fix, others: usize) -> bool {
    match after(update, fix).as_deref().map(read::read) {
        Some(UpdateReading::Fact(_) | UpdateReading::Statement(_)) => true,
        Some(UpdateReading::Unreadable(left)) => left.len() < others,
        None => false,
    }
}

/// Reports a word without quotes and slash, which is not a term.
fn bare_word(update: &Update<'_>, finding: &Finding, terms: &ListContext<'_>) -> Option<Finding> {
    let is_about_words = [
        &grammar::LOWERCASE_VARIABLE,
        &grammar::PREDICATE_AS_VALUE,
        &grammar::UNQUOTED_STRING,
        &grammar::FOREIGN_CONSTANT,
        &grammar::RESERVED_WORD,
        &grammar::INFIX_ARITHMETIC,
        &grammar::SYNTAX_ERROR,
    ];
    let word = slice(&update.text, finding.range);
    let is_word = word.starts_with(|char: char| char.is_ascii_lowercase())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if !is_about_words.contains(&finding.rule) || !is_word || !is_argument(&update.text, finding.range) {
        return None;
    }
    let name = format!("/{word}");
    let (instead, kind) = match wanted(&update.text, finding.range, terms) {
        Some(Type::Base(Base::String)) => (format!("\"{word}\""), "a string has quotes"),
        _ => (name, "a name begins with a slash"),
    };
    let message = format!("`{}` is not a term", shortened(word));
    let fix = UpdateEdit::safe(update, format!("write `{instead}`")).replace(finding.range, &instead).fix();
    let finding = Finding::new(&rules::ATOM_SYNTAX, update.place(finding.range), message);
    Some(finding.note(kind).note(UNREADABLE).fix(fix))
}

/// True if commas or parentheses surround a part of a text.
fn is_argument(text: &str, range: TextRange) -> bool {
    let before = text.get(..usize::from(range.start())).unwrap_or("").trim_end();
    let behind = text.get(usize::from(range.end())..).unwrap_or("").trim_start();
    before.ends_with(['(', ',']) && behind.starts_with([')', ','])
}

/// Returns the declared type of the parameter at a position, by counting commas.
fn wanted(text: &str, range: TextRange, terms: &ListContext<'_>) -> Option<Type> {
    let (name, args) = text.trim_start().split_once('(')?;
    let offset = text.len() - args.len();
    let commas = |text: &str| {
        let code = stretches(text).into_iter().filter(|(_, stretch)| *stretch == Stretch::Code);
        code.map(|(range, _)| slice(text, range).matches(',').count()).sum::<usize>()
    };
    let at = commas(text.get(offset..usize::from(range.start()))?);
    let declared = terms.declarations?.named(name.trim()).find(|declared| declared.arity > at)?;
    declared.bound(at)
}

pub(super) fn duplicate(update: &Update<'_>, first: &Update<'_>) -> Finding {
    let message = format!("duplicate of the update at index {}", first.index);
    Finding::new(&rules::DUPLICATE_ATOM, update.range, message)
        .related(Span::here(first.range), "first one")
        .note("a fact holds once, but each update counts against the limits")
        .fix(removal(update, super::DELETE_UPDATE))
}

/// Reports the first update beyond the limit of the consumer.
pub(super) fn limit(updates: &[Update<'_>], terms: &ListContext<'_>, out: &mut Vec<Finding>) {
    let limit = terms.consumer.max_updates;
    if !terms.is_pinned || limit == 0 {
        return;
    }
    let Some(update) = updates.iter().find(|update| update.index >= limit) else { return };
    let message = format!("consumer `{}` accepts only {limit} updates", terms.consumer_name);
    let finding = Finding::new(&rules::NOT_ALLOWED, update.range, message).severity(terms.if_pinned());
    out.push(finding.note("it rejects this update and all after it"));
}
