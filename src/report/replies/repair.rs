//! `repair`: what to tell the model so that it sends its reply again, and sends it right.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Answered, words};
use crate::config::{Period, Profile, TranscriptSettings};
use crate::text::{TextSize, size};

/// How many updates are listed; of the others only the number is told.
const MOST_UPDATES: usize = 20;

/// How many predicates are offered.
const MOST_OFFERED: usize = 15;

/// A reply that has to be sent again.
#[derive(Debug)]
pub struct Repair {
    attempt: u32,
    max: u32,
    stage: &'static str,
    problems: Vec<Problem>,
    allowed: Vec<String>,
    first_key: &'static str,
    with_period: bool,
}

#[derive(Debug)]
struct Problem {
    code: String,
    pointer: String,
    message: String,
    suggestion: Option<String>,
    /// Its index, its text, and the column at which it goes wrong.
    update: Option<(usize, String, usize)>,
    offset: u64,
}

/// How often it was tried.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// Which attempt the message asks for, from 1 on.
    pub number: u32,
    /// How many there are.
    pub max: u32,
}

impl Repair {
    /// What has to be repaired in a reply. `diagnostics` are what is found in it, as `check --format json` writes it;
    /// `signatures` the predicates that it may assert.
    #[must_use]
    pub fn new(
        answered: Answered<'_>,
        settings: &TranscriptSettings,
        diagnostics: &[Value],
        signatures: impl Iterator<Item = String>,
        attempt: Attempt,
    ) -> Self {
        let profile = settings.profile.unwrap_or(Profile::Current);
        let is_required = matches!(profile, Profile::Current | Profile::Draft1_3);
        let period = settings.atoms.trailing_period;
        let grave = diagnostics.iter().filter(|found| found["severity"] == "error");
        Self {
            attempt: attempt.number,
            max: attempt.max,
            stage: words::stage(&answered.reply.reading),
            problems: grave.map(|found| problem(answered, found)).collect(),
            allowed: signatures.take(MOST_OFFERED).collect(),
            first_key: if profile.is_control_first() { "control_packet" } else { "surface_response" },
            with_period: period.map_or(is_required, |period| period == Period::Required),
        }
    }

    /// Whether there is nothing to repair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The message to the model.
    #[must_use]
    pub fn message(&self) -> String {
        let mut out = String::from(
            "Your last reply could not be used as it is. Do not apologise and do not explain; send the whole envelope again.\n",
        );
        let mut line = |text: &str| {
            let _ = writeln!(out, "{text}");
        };
        let (mut updates, others): (Vec<_>, Vec<_>) =
            self.problems.iter().partition(|problem| problem.update.is_some());
        line(&format!("It was read by stage {}.", self.stage));
        for problem in others {
            let place = match problem.pointer.as_str() {
                "" => format!("at byte {}", problem.offset),
                pointer => format!("at {pointer}"),
            };
            line(&format!("Problem {place}: {}", problem.message));
            if let Some(suggestion) = &problem.suggestion {
                line(&format!("  - try: {suggestion}"));
            }
        }
        let index = |problem: &&Problem| problem.update.as_ref().map(|(index, ..)| *index);
        updates.sort_by_key(index);
        let (mut last, mut count) = (None, 0);
        for problem in &updates {
            let Some((at, text, column)) = &problem.update else { continue };
            if last.replace(*at) != Some(*at) {
                count += 1;
                if count <= MOST_UPDATES {
                    line(&format!("Update #{at}: {}", text.escape_debug()));
                }
            }
            if count > MOST_UPDATES {
                continue;
            }
            line(&format!("  - {} (column {column})", problem.message));
            if let Some(suggestion) = &problem.suggestion {
                line(&format!("  - try: {suggestion}"));
            }
        }
        if count > MOST_UPDATES {
            line(&format!("{} more updates have problems.", count - MOST_UPDATES));
        }
        line(&self.reminders());
        line(&format!("Attempt {} of {}.", self.attempt, self.max));
        out
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
        out
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let errors = self.problems.iter().map(|problem| {
            json!({
                "code": problem.code,
                "pointer": problem.pointer,
                "message": problem.message,
                "suggestion": problem.suggestion,
            })
        });
        json!({
            "attempt": self.attempt,
            "max": self.max,
            "stage": self.stage,
            "errors": errors.collect::<Value>(),
            "allowed": self.allowed,
            "retryable": !self.is_empty() && self.attempt <= self.max,
        })
    }
}

fn problem(answered: Answered<'_>, found: &Value) -> Problem {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let path = found["path"].as_array().and_then(|path| path.last());
    let pointer = path.filter(|_| {
        let levels = found["path"].as_array().map_or(0, Vec::len);
        levels > answered.turn.path.len()
    });
    let pointer = pointer.map(text).unwrap_or_default();
    let offset = found["start"].as_u64().unwrap_or(0);
    Problem {
        code: text(&found["code"]),
        message: text(&found["message"]),
        suggestion: found["fix"]["title"].as_str().map(str::to_owned),
        update: update(answered, &pointer, offset),
        pointer,
        offset,
    }
}

/// The update that a pointer leads to, and the column of an offset in it.
fn update(answered: Answered<'_>, pointer: &str, offset: u64) -> Option<(usize, String, usize)> {
    let index: usize = pointer.strip_prefix("/control_packet/mangle_updates/")?.parse().ok()?;
    let (json, list) = answered.reply.member(&["control_packet", "mangle_updates"])?;
    let node = json.elements(list).nth(index)?;
    let (text, map) = json.string_with_map(node)?;
    let in_record = usize::try_from(offset.checked_sub(answered.record.start)?).ok()?;
    let at = answered.turn.map.to_derived(size(in_record)).and_then(|at| map.to_derived(at));
    let before = text.get(..usize::from(at.unwrap_or(TextSize::new(0)))).unwrap_or("");
    let column = before.chars().count() + 1;
    Some((index, text, column))
}
