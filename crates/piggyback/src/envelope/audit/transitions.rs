//! Rules for recorded state transitions: consistency with each other and with the updates.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashSet;

use super::atom::Parts;
use crate::envelope::atoms;
use crate::envelope::edits::quoted;
use crate::envelope::json::{JsonKind, NodeId};
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::view::View;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static TRANSITION_TIME: Rule = rule!("transition-time.md");

pub(super) static TRANSITION_PAIR: Rule = rule!("transition-pair.md");

/// Reports transitions that contradict the facts of the kernel.
pub static TRANSITION_UNBACKED: Rule = rule!("transition-unbacked.md");

pub(super) static TRANSITION_MISSING: Rule = rule!("transition-missing.md");

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

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
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
        recorded.extend(Parts::parse(&to).map(|parts| parts.subject()));
    }
    if !subject.is_truncated {
        missing(subject, &updates, &texts, &recorded, sink);
    }
}

/// Returns an atom without insignificant white space.
fn normal(text: &str) -> String {
    match Parts::parse(text) {
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
    let (Some(one), Some(other)) = (Parts::parse(&from), Parts::parse(to)) else { return };
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
    if Parts::parse(to).is_none() || sink.is_full(&TRANSITION_UNBACKED) {
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
        let Some(parts) = Parts::parse(text).filter(|parts| STATES.contains(&parts.predicate)) else {
            continue;
        };
        let what = parts.arguments.first().filter(|_| parts.arguments.len() > 1);
        if let Some(what) =
            what.filter(|_| !recorded.contains(&parts.subject()) && !sink.is_full(&TRANSITION_MISSING))
        {
            let message = format!("no transition records the new state of `{}`", shortened(what));
            let finding = Finding::new(&TRANSITION_MISSING, subject.json.range(*node), message);
            sink.push(finding.note("the audit trail has a gap"));
        }
    }
}
