//! Rules for recorded changes: state transitions and `impact_analysis`, in comparison with each other
//! and with the rest of the packet.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashSet;

use crate::envelope::edits::quoted;
use crate::envelope::json::{JsonKind, NodeId};
use crate::envelope::pointer::shortened;
use crate::envelope::survey::Subject;
use crate::envelope::view::View;
use crate::envelope::{Sink, atoms};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static TRANSITION_TIME: Rule = rule!("transition-time.md");

pub(super) static TRANSITION_PAIR: Rule = rule!("transition-pair.md");

/// Reports transitions that contradict the facts of the kernel.
pub static TRANSITION_UNBACKED: Rule = rule!("transition-unbacked.md");

pub(super) static TRANSITION_MISSING: Rule = rule!("transition-missing.md");

pub(super) static SCOPE_MISMATCH: Rule = rule!("scope-mismatch.md");

pub(super) static IMPACT_INCOMPLETE: Rule = rule!("impact-incomplete.md");

/// The tolerance for clock differences between writer and recorder, and for the duration of a
/// reply.
const SLACK: SignedDuration = SignedDuration::from_mins(5);

/// Numbers from this value on are milliseconds since 1970, smaller numbers are seconds.
const MILLISECONDS: i64 = 100_000_000_000;

/// Predicates that store the state of their first argument.
const STATES: [&str; 7] = [
    "task_status",
    "file_state",
    "shard_state",
    "campaign",
    "campaign_phase",
    "campaign_task",
    "phase_status",
];

pub(super) fn check_transitions(subject: &Subject<'_>, sink: &mut Sink) {
    let field = subject.control.table.field("state_transitions");
    if !subject.control.has("state_transitions") || !field.is_some_and(|field| field.is_in(subject.profile)) {
        return;
    }
    let transitions: Vec<_> = subject.control.objects("state_transitions").filter(View::exists).collect();
    times(&transitions, subject.context.recorded.and_then(recorded), sink);
    let updates: Vec<_> = subject.control.list("mangle_updates");
    let texts: Vec<Cow<'_, str>> =
        updates.iter().map(|node| subject.json.string(*node).unwrap_or_default()).collect();
    let asserted: FxHashSet<String> = texts.iter().map(|text| normal(text)).collect();
    let mut recorded = FxHashSet::default();
    for transition in &transitions {
        let Some(to) = transition.text("to") else { continue };
        pair(transition, &to, sink);
        if !asserted.contains(&normal(&to)) {
            unbacked(subject, transition, &to, sink);
        }
        recorded.extend(AtomParts::parse(&to).map(|parts| parts.subject()));
    }
    if !subject.is_truncated {
        missing(subject, &updates, &texts, &recorded, sink);
    }
}

/// Returns an atom without insignificant white space.
fn normal(text: &str) -> String {
    match AtomParts::parse(text) {
        Some(parts) => format!("{}({})", parts.predicate, parts.arguments.join(",")),
        None => text.trim().to_owned(),
    }
}

/// Parses a recorded time: RFC 3339, or seconds or milliseconds since 1970. Other formats have no
/// time zone.
fn recorded(text: &str) -> Option<Timestamp> {
    let number = || {
        let number: i64 = text.split('.').next()?.parse().ok()?;
        if number < MILLISECONDS {
            Timestamp::from_second(number)
        } else {
            Timestamp::from_millisecond(number)
        }
        .ok()
    };
    if is_rfc_3339(text) { text.parse().ok() } else { number() }
}

fn times(transitions: &[View<'_>], recorded: Option<Timestamp>, sink: &mut Sink) {
    let mut last: Option<(Timestamp, TextRange)> = None;
    for transition in transitions {
        let (Some(text), Some(range)) = (transition.text("timestamp"), transition.value_range("timestamp"))
        else {
            continue;
        };
        if sink.is_full(&TRANSITION_TIME) {
            return;
        }
        let Some(time) = is_rfc_3339(&text).then(|| text.parse::<Timestamp>().ok()).flatten() else {
            let finding = Finding::new(&TRANSITION_TIME, range, "timestamp is not in RFC 3339 format");
            let note = "the transitions cannot be put in their order";
            sink.push(finding.note(note).help("write it as in `2026-03-01T10:00:00Z`"));
            continue;
        };
        if let Some((earlier, place)) = last.filter(|(earlier, _)| *earlier > time) {
            let message = "timestamp is before that of the previous transition";
            let finding = Finding::new(&TRANSITION_TIME, range, message)
                .note(format!("the previous transition has {earlier}"));
            sink.push(finding.related(Span::here(place), "previous transition"));
        } else if let Some(recorded) = recorded.filter(|recorded| time.duration_since(*recorded) > SLACK) {
            let message = "timestamp is after the time of the reply";
            let finding = Finding::new(&TRANSITION_TIME, range, message);
            sink.push(finding.note(format!("the reply was recorded at {recorded}")));
        }
        last = Some((time, range));
    }
}

/// True if a text has the format of an RFC 3339 time. The parser itself accepts more formats.
fn is_rfc_3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is = |at: usize, byte: u8| bytes.get(at).is_some_and(|found| found.eq_ignore_ascii_case(&byte));
    let has_date = (0..19).all(|at| match at {
        4 | 7 => is(at, b'-'),
        10 => is(at, b'T'),
        13 | 16 => is(at, b':'),
        _ => bytes.get(at).is_some_and(u8::is_ascii_digit),
    });
    let rest = text.get(19..).unwrap_or("");
    let is_digit = |char: char| char.is_ascii_digit();
    let zone = rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(is_digit));
    let offset = zone.strip_prefix(['+', '-']);
    let has_offset = offset.is_some_and(|rest| rest.len() == 5 && rest.as_bytes().get(2) == Some(&b':'));
    has_date && (zone.eq_ignore_ascii_case("z") || has_offset)
}

fn pair(transition: &View<'_>, to: &str, sink: &mut Sink) {
    let (Some(from), Some(range)) = (transition.text("from"), transition.value_range("to")) else { return };
    let (Some(one), Some(other)) = (AtomParts::parse(&from), AtomParts::parse(to)) else { return };
    let message = if one.predicate != other.predicate {
        "`from` and `to` have different predicates"
    } else if one.arguments.len() > 1 && one.arguments.first() != other.arguments.first() {
        "`from` and `to` have different first arguments"
    } else if one == other {
        "`from` and `to` are the same atom"
    } else {
        return;
    };
    let mut finding = Finding::new(&TRANSITION_PAIR, range, message)
        .note("a transition leads from one state of a thing to another state of the same thing");
    if let Some(place) = transition.value_range("from") {
        finding = finding.related(Span::here(place), "earlier state");
    }
    sink.push(finding);
}

fn unbacked(subject: &Subject<'_>, transition: &View<'_>, to: &str, sink: &mut Sink) {
    let Some(range) = transition.value_range("to").filter(|_| subject.is_whole()) else { return };
    if AtomParts::parse(to).is_none() || sink.is_full(&TRANSITION_UNBACKED) {
        return;
    }
    let mut finding = Finding::new(&TRANSITION_UNBACKED, range, "no update asserts this state")
        .note("the audit trail records a change that the fact store does not have");
    let list = subject.control.get("mangle_updates").map(|entry| entry.value);
    if let Some(list) = list.filter(|list| subject.json.kind(*list) == JsonKind::Array) {
        let atom = to.trim();
        let atom = if atom.ends_with('.') { atom.to_owned() } else { format!("{atom}.") };
        let fix = Fix::guess("add the update");
        let fix = match subject.json.elements(list).last() {
            Some(last) => fix.insert(subject.json.range(last).end(), format!(", {}", quoted(&atom))),
            None => fix.insert(subject.json.range(list).start() + size(1), quoted(&atom)),
        };
        // A fix must be an update that the kernel accepts.
        finding.fix = atoms::is_sound(&atom, &subject.judge()).then_some(fix);
    }
    sink.push(finding);
}

fn missing(
    subject: &Subject<'_>,
    updates: &[NodeId],
    texts: &[Cow<'_, str>],
    recorded: &FxHashSet<String>,
    sink: &mut Sink,
) {
    for (node, text) in updates.iter().zip(texts) {
        let Some(parts) = AtomParts::parse(text).filter(|parts| STATES.contains(&parts.predicate)) else {
            continue;
        };
        let target = parts.arguments.first().filter(|_| parts.arguments.len() > 1);
        if let Some(target) =
            target.filter(|_| !recorded.contains(&parts.subject()) && !sink.is_full(&TRANSITION_MISSING))
        {
            let message = format!("no transition records the new state of `{}`", shortened(target));
            let finding = Finding::new(&TRANSITION_MISSING, subject.json.range(*node), message);
            sink.push(finding.note("the audit trail has a gap"));
        }
    }
}

/// The maximum number of files of a trivial change.
const MAX_TRIVIAL_FILES: usize = 3;

/// Predicates whose first argument is a changed file.
const CHANGE_PREDICATES: [&str; 3] = ["modified", "file_state", "modified_function"];

pub(super) fn check_impact(subject: &Subject<'_>, sink: &mut Sink) {
    let field = subject.control.table.field("impact_analysis");
    let impact = subject.control.object("impact_analysis");
    if impact.exists() && field.is_some_and(|field| field.is_in(subject.profile)) {
        scope(subject, &impact, sink);
        affected_files(subject, &impact, sink);
    }
}

fn scope(subject: &Subject<'_>, impact: &View<'_>, sink: &mut Sink) {
    let (Some(scope), Some(range)) = (impact.text("estimated_scope"), impact.value_range("estimated_scope"))
    else {
        return;
    };
    let files = impact.list("files_affected").len();
    let approval = subject.control.object("safety_gates").flag("requires_user_approval");
    let trivial = "a trivial change affects at most three files and breaks no dependency";
    let (why, note) = match &*scope {
        "trivial" if files > MAX_TRIVIAL_FILES => (format!("{files} affected files"), trivial),
        "trivial" if !impact.list("dependencies_broken").is_empty() => {
            ("broken dependencies".to_owned(), trivial)
        }
        "critical" if approval != Some(true) && subject.is_whole() => {
            ("a change without approval".to_owned(), "a critical change requires the user's approval")
        }
        _ => return,
    };
    let message = format!("scope `{scope}` contradicts {why}");
    sink.push(Finding::new(&SCOPE_MISMATCH, range, message).note(note));
}

/// Reports the first changed file that is not listed.
fn affected_files(subject: &Subject<'_>, impact: &View<'_>, sink: &mut Sink) {
    let Some(entry) = impact.get("files_affected").filter(|_| !subject.is_truncated) else { return };
    let json = subject.json;
    if json.kind(entry.value) != JsonKind::Array {
        return;
    }
    let elements: Vec<_> = json.elements(entry.value).collect();
    let listed: FxHashSet<_> = elements.iter().filter_map(|node| json.string(*node)).collect();
    let updates = subject.control.list("mangle_updates");
    let missing: Vec<_> = updates
        .iter()
        .filter_map(|node| changed_file(&json.string(*node)?))
        .filter(|file| !listed.contains(file.as_str()))
        .collect();
    let Some(file) = missing.first() else { return };
    let message = format!("`files_affected` lacks `{}`", shortened(file));
    let mut finding = Finding::new(&IMPACT_INCOMPLETE, json.range(entry.key), message)
        .note("an update marks the file as changed");
    if missing.len() > 1 {
        finding = finding.note(format!("{} more changed files are not listed", missing.len() - 1));
    }
    let fix = Fix::guess("add the file");
    let fix = match elements.last() {
        Some(last) => fix.insert(json.range(*last).end(), format!(", {}", quoted(file))),
        None => fix.insert(json.range(entry.value).start() + size(1), quoted(file)),
    };
    sink.push(finding.fix(fix));
}

/// Returns the file that an update marks as changed.
fn changed_file(update: &str) -> Option<String> {
    let parts = AtomParts::parse(update).filter(|parts| CHANGE_PREDICATES.contains(&parts.predicate))?;
    let file = parts.arguments.first()?.strip_prefix('"')?.strip_suffix('"')?;
    (file.contains(['/', '.']) && !file.contains('\\')).then(|| file.to_owned())
}

/// The parts of an atom.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AtomParts<'t> {
    pub(super) predicate: &'t str,
    /// The source texts of the arguments, trimmed.
    pub(super) arguments: Vec<&'t str>,
}

impl<'t> AtomParts<'t> {
    /// Parses an atom with an optional final period. Returns `None` for other text.
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix('.').unwrap_or(text).trim_end();
        let (predicate, rest) = text.split_once('(')?;
        let inner = rest.strip_suffix(')')?;
        let predicate = predicate.trim();
        (!predicate.is_empty()).then(|| Self { predicate, arguments: split_arguments(inner) })
    }

    /// Returns the predicate and first argument, which identify the subject of the atom.
    pub(super) fn subject(&self) -> String {
        format!("{}({}", self.predicate, self.arguments.first().copied().unwrap_or(""))
    }
}

/// Splits a text at commas outside of brackets and strings.
fn split_arguments(inner: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut quote, mut is_escaped) = (Vec::new(), 0, 0usize, None, false);
    for (at, char) in inner.char_indices() {
        match (quote, char) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if char == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(char),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(inner.get(start..at).unwrap_or("").trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = inner.get(start..).unwrap_or("").trim();
    if !last.is_empty() {
        found.push(last);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_taken_apart() {
        let parts = |text| AtomParts::parse(text).map(|parts| (parts.predicate, parts.arguments));
        assert_eq!(parts("task_status(/t1, /done)."), Some(("task_status", vec!["/t1", "/done"])));
        assert_eq!(parts(r#"p("a, \"b", [1, 2],)"#), Some(("p", vec![r#""a, \"b""#, "[1, 2]"])));
        assert_eq!(parts("p()"), Some(("p", vec![])));
        assert_eq!(parts("done"), None);
    }
}
