//! Output of `repair`: retry prompts that ask the model for a corrected reply.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{TranscriptReply, stage_word};
use mangle_settings::Period;
use mangle_syntax::text::{TextSize, size};
use piggyback::envelope::atoms::{
    DELETE_UPDATE, DeclaredPredicate, Suggestion, UpdateContext, offers, suggest,
};
use piggyback::envelope::edits::quoted;
use piggyback::envelope::{OPERATIONS, ReplyContext};
use piggyback::transcript::labels::profile;

/// The maximum number of listed updates. Further updates are counted.
const MAX_UPDATES: usize = 20;

/// The prefix of the JSON pointers of updates.
const UPDATES: &str = "/control_packet/mangle_updates/";

/// The maximum number of suggested predicates.
const MAX_OFFERED: usize = 15;

/// The rule about a repair round that repeats the errors of the previous round.
const STUCK: &str = "PB018";

/// A reply that needs a retry.
#[derive(Debug)]
pub struct Repair {
    attempt: u32,
    max: u32,
    stage: &'static str,
    problems: Vec<Problem>,
    allowed: Vec<String>,
    operations: Vec<&'static str>,
    /// The number of the record.
    record: u64,
    first_key: &'static str,
    with_period: bool,
    /// True if the last round repeated the errors of the previous round.
    is_stuck: bool,
}

#[derive(Debug)]
struct Problem {
    code: String,
    pointer: String,
    message: String,
    /// The fix as text.
    fix: Option<String>,
    update: Option<UpdateProblem>,
    /// The byte offset of the problem in the reply.
    offset: usize,
}

#[derive(Debug)]
struct UpdateProblem {
    index: usize,
    text: String,
    /// The character of the problem, from 1.
    column: usize,
    suggestion: Option<Suggestion>,
}

/// The number of an attempt, and the maximum.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// The number of the requested attempt, from 1.
    pub number: u32,
    /// The maximum number of attempts.
    pub max: u32,
}

impl Repair {
    /// The repair of a reply. `diagnostics` are its findings in the format of `check --format
    /// json`.
    #[must_use]
    pub fn new(
        answered: TranscriptReply<'_>,
        context: &ReplyContext<'_>,
        diagnostics: &[Value],
        attempt: Attempt,
    ) -> Self {
        let profile = profile(answered.turn, answered.reply, context);
        let period = context.settings.atoms.trailing_period;
        let lost = lost(answered);
        let grave = diagnostics.iter().filter(|found| is_grave(found, &lost));
        let judge = UpdateContext { settings: context.settings, declarations: context.declarations, profile };
        let mut problems: Vec<_> = grave.map(|found| problem(answered, found, &judge)).collect();
        settle(&mut problems);
        Self {
            attempt: attempt.number,
            max: attempt.max,
            stage: stage_word(&answered.reply.reading),
            allowed: offered(context, &problems),
            operations: OPERATIONS.iter().filter(|one| one.is_in(profile)).map(|one| one.name).collect(),
            record: answered.record.number,
            problems,
            first_key: if profile.is_control_first() { "control_packet" } else { "surface_response" },
            with_period: period.map_or(profile.needs_full_stops(), |period| period == Period::Required),
            is_stuck: diagnostics.iter().any(|found| found["code"] == STUCK),
        }
    }

    #[must_use]
    pub fn record(&self) -> u64 {
        self.record
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The reason why another attempt is useless; `None` if it is useful.
    #[must_use]
    pub fn stop(&self) -> Option<String> {
        if self.attempt > self.max {
            return Some(format!("all {} attempts were made", self.max));
        }
        self.is_stuck
            .then(|| "the last round of repair repeated the errors of the reply before it".to_owned())
    }

    /// The prompt for the model.
    #[must_use]
    pub fn message(&self) -> String {
        let mut out = format!(
            "Your last reply (record {}) could not be used as it is. Do not apologise and do not explain; send the whole envelope again.\n",
            self.record
        );
        let mut line = |text: &str| {
            let _ = writeln!(out, "{text}");
        };
        line(&format!("It was read by stage {}.", self.stage));
        for problem in self.problems.iter().filter(|problem| problem.update.is_none()) {
            let place = match problem.pointer.as_str() {
                "" => format!("at byte {} of the reply", problem.offset),
                pointer => format!("at {pointer}"),
            };
            line(&format!("Problem {place}: {}", problem.message));
            if let Some(fix) = &problem.fix {
                line(&format!("  - try: {fix}"));
            }
        }
        self.updates(&mut line);
        line(&self.reminders());
        line(&format!("Attempt {} of {}.", self.attempt, self.max));
        out
    }

    /// Writes a block for each update.
    fn updates(&self, line: &mut dyn FnMut(&str)) {
        let of_update = |problem: &'_ Problem| Some(problem.update.as_ref()?.index);
        let mut updates: Vec<_> = self.problems.iter().filter(|one| one.update.is_some()).collect();
        updates.sort_by_key(|problem| of_update(problem));
        let blocks: Vec<_> = updates.chunk_by(|a, b| of_update(a) == of_update(b)).collect();
        for block in blocks.iter().take(MAX_UPDATES) {
            let Some(UpdateProblem { index, text, suggestion, .. }) =
                block.first().and_then(|first| first.update.as_ref())
            else {
                continue;
            };
            line(&format!("Update #{index}: {}", inside(text)));
            for problem in *block {
                let column = problem.update.as_ref().map_or(1, |update| update.column);
                line(&format!("  - {} (column {column})", problem.message));
            }
            let mut fixes: Vec<_> = block.iter().filter_map(|problem| problem.fix.as_ref()).collect();
            fixes.dedup();
            match suggestion {
                Some(Suggestion::Update(text)) => line(&format!("  - try: {}", inside(text))),
                Some(Suggestion::Signature(text)) => line(&format!("  - write it as: {text}")),
                None => fixes.iter().for_each(|fix| line(&format!("  - try: {fix}"))),
            }
        }
        if let Some(more) = blocks.len().checked_sub(MAX_UPDATES).filter(|more| *more > 0) {
            let (what, verb) = if more == 1 { ("update", "has") } else { ("updates", "have") };
            line(&format!("{more} more {what} {verb} problems."));
        }
    }

    fn reminders(&self) -> String {
        let period = if self.with_period { " that ends with a full stop" } else { "" };
        let mut out = format!(
            "Remember: one JSON object whose first key is \"{}\"; every update is one fact without variables{period}; \
             predicates in small letters, names as /name, text in \"double quotes\".",
            self.first_key
        );
        if !self.allowed.is_empty() {
            let _ = write!(out, " Predicates that you may use: {}.", self.allowed.join("; "));
        }
        let _ = write!(out, " Memory operations: {}.", self.operations.join(", "));
        out
    }

    /// The repair as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let errors = self.problems.iter().map(|problem| {
            json!({
                "code": problem.code,
                "pointer": problem.pointer,
                "offset": problem.offset,
                "message": problem.message,
                "suggestion": problem.suggestion(),
            })
        });
        json!({
            "record": self.record,
            "attempt": self.attempt,
            "max": self.max,
            "stage": self.stage,
            "errors": errors.collect::<Value>(),
            "allowed": self.allowed,
            "operations": self.operations,
            "retryable": !self.is_empty() && self.stop().is_none(),
        })
    }
}

impl Problem {
    /// The suggestion for programs.
    fn suggestion(&self) -> Option<&str> {
        let suggestion = self.update.as_ref().and_then(|update| update.suggestion.as_ref());
        match suggestion {
            Some(Suggestion::Update(text) | Suggestion::Signature(text)) => Some(text),
            None => self.fix.as_deref(),
        }
    }
}

/// Replaces all fixes of a deleted update with the deletion.
fn settle(problems: &mut [Problem]) {
    let index = |problem: &Problem| problem.update.as_ref().map(|update| update.index);
    let goes = |problem: &&Problem| problem.fix.as_deref() == Some(DELETE_UPDATE);
    let gone: Vec<usize> = problems.iter().filter(goes).filter_map(index).collect();
    let of_gone = |problem: &&mut Problem| index(problem).is_some_and(|index| gone.contains(&index));
    for problem in problems.iter_mut().filter(of_gone) {
        problem.fix = Some(DELETE_UPDATE.to_owned());
        if let Some(update) = &mut problem.update {
            update.suggestion = None;
        }
    }
}

/// True if a finding must be repaired: an error, or a warning about an update that the runtime
/// drops.
fn is_grave(found: &Value, lost: &[String]) -> bool {
    let path = found["path"].as_array().and_then(|path| path.last()).and_then(Value::as_str);
    let is_lost = || path.is_some_and(|path| lost.contains(&from_envelope(path)));
    found["severity"] == "error" || found["severity"] == "warning" && is_lost()
}

/// The pointers of the updates that the runtime drops.
fn lost(answered: TranscriptReply<'_>) -> Vec<String> {
    let picked = answered.reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
    let dropped = picked.map_or(&[][..], |picked| &picked.kept.dropped);
    dropped.iter().map(|(index, _)| format!("{UPDATES}{index}")).collect()
}

/// The suggested predicates. Predicates similar to the invalid updates or their suggestions come
/// first.
fn offered(context: &ReplyContext<'_>, problems: &[Problem]) -> Vec<String> {
    let updates = problems.iter().filter_map(|one| one.update.as_ref());
    let texts: Vec<&str> = updates
        .flat_map(|update| match &update.suggestion {
            Some(Suggestion::Update(text)) => vec![text.as_str(), update.text.as_str()],
            _ => vec![update.text.as_str()],
        })
        .collect();
    let found = context.declarations.map(|all| offers(all, context.settings, &texts)).unwrap_or_default();
    found.into_iter().take(MAX_OFFERED).map(DeclaredPredicate::signature).collect()
}

/// The JSON escape of a text, without quotes.
fn inside(text: &str) -> String {
    let quoted = quoted(text);
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("").to_owned()
}

fn problem(answered: TranscriptReply<'_>, found: &Value, judge: &UpdateContext<'_>) -> Problem {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let path = found["path"].as_array();
    let levels = path.map_or(0, Vec::len);
    let inner = path.and_then(|path| path.last()).filter(|_| levels > answered.turn.path.len());
    let pointer = inner.map(|pointer| from_envelope(&text(pointer))).unwrap_or_default();
    let offset = in_reply(answered, found["start"].as_u64().unwrap_or(0));
    Problem {
        code: text(&found["code"]),
        message: in_one_line(found),
        fix: found["fix"]["title"].as_str().or(found["help"].as_str()).map(str::to_owned),
        update: update(answered, &pointer, offset, judge),
        pointer,
        offset,
    }
}

/// The headline and the notes of a finding.
fn in_one_line(found: &Value) -> String {
    let notes = found["notes"].as_array().into_iter().flatten();
    let parts: Vec<_> = std::iter::once(&found["message"]).chain(notes).filter_map(Value::as_str).collect();
    parts.join("; ")
}

/// The pointer relative to the envelope.
fn from_envelope(pointer: &str) -> String {
    let keys = ["control_packet", "surface_response"];
    let is_key = |segment: &str| keys.iter().any(|key| segment.eq_ignore_ascii_case(key));
    let mut rest = pointer;
    while let Some((_, tail)) = rest.split_once('/') {
        let segment = tail.split('/').next().unwrap_or_default();
        if is_key(segment) {
            return format!("/{tail}");
        }
        rest = tail;
    }
    pointer.to_owned()
}

/// Converts a byte offset of the file to an offset of the reply.
fn in_reply(answered: TranscriptReply<'_>, offset: u64) -> usize {
    let in_record = usize::try_from(offset.saturating_sub(answered.record.start)).unwrap_or(0);
    let found = answered.turn.map.to_derived(size(in_record));
    found.map_or(0, usize::from).min(answered.reply.raw.len())
}

/// The update at a pointer, with the column of an offset inside it.
fn update(
    answered: TranscriptReply<'_>,
    pointer: &str,
    offset: usize,
    judge: &UpdateContext<'_>,
) -> Option<UpdateProblem> {
    let (list, index) = pointer.rsplit_once('/')?;
    let index: usize = index.parse().ok()?;
    if !list.eq_ignore_ascii_case("/control_packet/mangle_updates") {
        return None;
    }
    let (json, list) = answered.reply.member(&["control_packet", "mangle_updates"])?;
    let node = json.elements(list).nth(index)?;
    let (text, map) = json.string_with_map(node)?;
    let at = map.to_derived(size(offset));
    let before = text.get(..usize::from(at.unwrap_or(TextSize::new(0)))).unwrap_or("");
    let column = before.chars().count() + 1;
    let suggestion = suggest(&text, judge);
    Some(UpdateProblem { index, text, column, suggestion })
}
