//! The fate of each update of a reply, as shown by every command, report and editor.
//!
//! Inputs: a reply as parsed by the runtime, the consumer of its updates and, optionally, the
//! declarations of a policy. The output is an [`AccountEntry`] for each update. Only a replay,
//! which evaluates the policy, can set [`UpdateFate::Withdrawn`].

use std::fmt;

use super::Reply;
use super::atoms::{Declarations, PredicateLookup, is_delicate};
use super::runtime::{
    AcceptedEnvelope, DropReason, FilterProgram, FilterVerdict, ReadUpdate, RuntimeFact, consumer_of, reason,
};
use mangle_settings::{Consumer, Runtime, TranscriptSettings};

/// The notice for updates that are checked without a policy.
pub const NO_POLICY_NOTICE: &str =
    "no policy is loaded, so neither its declarations nor its verdict about the reply are considered";

/// An update with its fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountEntry {
    /// The index of the update in the packet. `None` if the update was added and is not in the
    /// packet.
    pub index: Option<usize>,
    /// The update as written by the model, with JSON escapes decoded.
    pub text: String,
    /// The fate of the update.
    pub fate: UpdateFate,
}

/// The fate of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpdateFate {
    /// The runtime uses another envelope, or no envelope.
    NotTaken,
    /// The update exceeds the number of updates that the runtime reads.
    Cut,
    /// The size limits drop the update.
    Dropped(DropReason),
    /// The update filter or the kernel rejects the update.
    Blocked(UpdateRefusal),
    /// The update is blank.
    Blank,
    /// The update passes the filters of the runtime, and no policy is loaded.
    Passed(Box<RuntimeFact>),
    /// The update becomes this fact.
    Asserted {
        /// The fact in the format of the kernel.
        fact: String,
        /// True if the policy denies the reply but the runtime still asserts the fact.
        is_reply_denied: bool,
    },
    /// The update would have become this fact, but the whole reply is denied.
    Withdrawn(String),
}

/// The reason for a rejected update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpdateRefusal {
    /// The reply has too many updates.
    Limit,
    /// The update is a rule, and only facts are stored.
    Rule,
    /// The update is a declaration.
    Declaration,
    /// The update is an import.
    Import,
    /// The update has a syntax error.
    Syntax,
    /// The consumer does not accept the predicate.
    NotAllowed,
    /// The predicate is reserved for the host.
    HostWitness,
    /// The predicate is reserved for the constitution.
    Protected,
    /// The policy does not declare the predicate.
    Undeclared,
    /// The policy declares the predicate with a different arity.
    Arity,
    /// A string argument contains shell characters.
    ShellText,
}

impl UpdateRefusal {
    /// Returns the name of the reason in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Rule => "rule",
            Self::Declaration => "declaration",
            Self::Import => "import",
            Self::Syntax => "syntax",
            Self::NotAllowed => "not_allowed",
            Self::Protected => "protected",
            Self::Undeclared => "undeclared",
            Self::Arity => "arity",
            Self::HostWitness => "host_witness",
            Self::ShellText => "shell_text",
        }
    }

    /// Returns the component that rejects the update.
    fn by(self) -> &'static str {
        match self {
            Self::Undeclared | Self::Arity => "the kernel",
            _ => "the update filter",
        }
    }
}

impl fmt::Display for UpdateRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Limit => "beyond the number of updates that the consumer takes",
            Self::Rule => "it has `:-` in it, and a reply may assert no rules",
            Self::Declaration => "a reply may declare nothing",
            Self::Import => "a reply may import nothing",
            Self::Syntax => "it cannot be read",
            Self::NotAllowed => "the consumer does not take this predicate",
            Self::Protected => "no reply may assert this predicate",
            Self::Undeclared => "the policy does not declare this predicate",
            Self::Arity => "the policy declares this predicate with another number of arguments",
            Self::HostWitness => "only the host asserts this predicate",
            Self::ShellText => {
                "a string argument has a character of a shell, and the predicate is not `prose_only`"
            }
        })
    }
}

/// Joins characters with spaces.
#[must_use]
pub fn spaced(characters: &[char]) -> String {
    characters.iter().map(char::to_string).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for UpdateFate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cap = |f: &mut fmt::Formatter<'_>, why: &str| write!(f, "dropped by the cap filter: {why}");
        match self {
            Self::NotTaken => f.write_str("ignored: the runtime does not take this envelope"),
            Self::Cut => cap(f, "beyond the number of updates that the runtime reads"),
            Self::Dropped(DropReason::Empty) | Self::Blank => cap(f, "it is blank"),
            Self::Dropped(DropReason::Long) => cap(f, "it is too long"),
            Self::Dropped(DropReason::Syntax(_)) => cap(f, "no parenthesis, or no full stop at its end"),
            Self::Dropped(DropReason::Meta(characters)) => {
                cap(f, &format!("it has one of {} in it", spaced(characters)))
            }
            Self::Blocked(refusal) => write!(f, "blocked by {}: {refusal}", refusal.by()),
            Self::Passed(_) => f.write_str("passes the filters; not checked by a policy"),
            Self::Asserted { is_reply_denied: false, .. } => f.write_str("asserted"),
            Self::Asserted { is_reply_denied: true, .. } => {
                f.write_str("asserted, although the policy denies the reply")
            }
            Self::Withdrawn(_) => f.write_str("denied with the whole reply"),
        }
    }
}

impl UpdateFate {
    /// Returns the name of the fate in JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::NotTaken => "not_taken",
            Self::Cut | Self::Dropped(_) => "dropped",
            Self::Blocked(_) => "blocked",
            Self::Blank => "blank",
            Self::Passed(_) => "passed",
            Self::Asserted { .. } => "asserted",
            Self::Withdrawn(_) => "withdrawn",
        }
    }

    /// Returns the name of the reason for a lost update.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotTaken => "not_taken",
            Self::Cut => "limit",
            Self::Dropped(DropReason::Empty) | Self::Blank => "empty",
            Self::Dropped(DropReason::Long) => "long",
            Self::Dropped(DropReason::Syntax(_)) => "syntax",
            Self::Dropped(DropReason::Meta(_)) => "meta",
            Self::Blocked(refusal) => refusal.word(),
            Self::Withdrawn(_) => "reply_denied",
            Self::Passed(_) | Self::Asserted { .. } => return None,
        })
    }

    /// True if the update reaches the kernel, according to the checks that were made.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.reason().is_none()
    }

    /// Returns the fact that the update becomes or would have become.
    #[must_use]
    pub fn fact(&self) -> Option<String> {
        match self {
            Self::Passed(fact) => Some(fact.engine_text()),
            Self::Asserted { fact, .. } | Self::Withdrawn(fact) => Some(fact.clone()),
            _ => None,
        }
    }

    /// Returns the fate after a check against the declarations of a policy, if they are given.
    #[must_use]
    pub fn with_declarations(self, declarations: Option<&Declarations>) -> Self {
        let (Self::Passed(fact), Some(declarations)) = (&self, declarations) else { return self };
        match declarations.get(&fact.predicate, fact.args.len()) {
            PredicateLookup::Declared(_) => {
                Self::Asserted { fact: fact.engine_text(), is_reply_denied: false }
            }
            PredicateLookup::OtherArity(_) => Self::Blocked(UpdateRefusal::Arity),
            PredicateLookup::Unknown => Self::Blocked(UpdateRefusal::Undeclared),
        }
    }

    /// Returns the fate after the policy denies the whole reply. `is_replaced`: no update of a
    /// denied reply is asserted.
    #[must_use]
    pub fn denied(self, is_replaced: bool) -> Self {
        match self {
            Self::Asserted { fact, .. } if is_replaced => Self::Withdrawn(fact),
            Self::Asserted { fact, .. } => Self::Asserted { fact, is_reply_denied: true },
            other => other,
        }
    }
}

/// The number of updates by fate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of updates that reach the kernel according to the completed checks.
    pub kept: u64,
    /// The number of updates that the size limits drop, including blank updates.
    pub dropped: u64,
    /// The number of updates that the update filter or the kernel rejects.
    pub blocked: u64,
    /// The number of updates that are denied with their reply.
    pub withdrawn: u64,
}

impl Tally {
    /// Counts an update.
    pub fn add(&mut self, fate: &UpdateFate) {
        let count = match fate {
            UpdateFate::Passed(_) | UpdateFate::Asserted { .. } => &mut self.kept,
            UpdateFate::Blocked(_) => &mut self.blocked,
            UpdateFate::Withdrawn(_) => &mut self.withdrawn,
            UpdateFate::NotTaken | UpdateFate::Cut | UpdateFate::Dropped(_) | UpdateFate::Blank => {
                &mut self.dropped
            }
        };
        *count += 1;
    }
}

/// The filters between the updates of a reply and the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Filters<'a> {
    settings: &'a TranscriptSettings,
    consumer: &'a Consumer,
    declarations: Option<&'a Declarations>,
}

impl<'a> Filters<'a> {
    /// Creates the filters for these settings. If `declarations` is `None`, declarations are not
    /// checked.
    #[must_use]
    pub fn new(settings: &'a TranscriptSettings, declarations: Option<&'a Declarations>) -> Self {
        Self { settings, consumer: consumer_of(settings), declarations }
    }

    /// The runtime with these filters.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.settings.caps.runtime
    }

    /// Returns a sentence about the checks that were omitted. `None` if all checks are made.
    #[must_use]
    pub fn not_judged(&self) -> Option<&'static str> {
        self.declarations.is_none().then_some(NO_POLICY_NOTICE)
    }

    /// Returns the updates of the envelope that the runtime uses, with their fates.
    #[must_use]
    pub fn account(&self, reply: &Reply<'_>) -> Vec<AccountEntry> {
        let picked = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
        picked.map_or_else(Vec::new, |picked| {
            let read = picked.packet.updates.as_slice().len();
            // Decode the dropped updates only if the limit is reached.
            let all = if read < self.settings.caps.updates() { None } else { reply.picked_object() };
            let rest = all.map(|object| object.updates().split_off(read)).unwrap_or_default();
            self.of_picked(picked, rest)
        })
    }

    /// Returns the fates of the updates of a packet. `rest` contains the updates that the runtime
    /// did not read.
    fn of_picked(&self, picked: &AcceptedEnvelope, rest: Vec<String>) -> Vec<AccountEntry> {
        let mut dropped = picked.kept.dropped.iter().peekable();
        let mut kept = 0;
        let read = picked.packet.updates.as_slice().iter().enumerate().map(|(index, text)| {
            let fate = match dropped.next_if(|(at, _)| *at == index) {
                Some((_, reason)) => UpdateFate::Dropped(reason.clone()),
                None => {
                    kept += 1;
                    self.update_fate(text, kept - 1)
                }
            };
            AccountEntry { index: Some(index), text: text.clone(), fate }
        });
        let mut all: Vec<_> = read.collect();
        let first = all.len();
        let cut = |(at, text)| AccountEntry { index: Some(first + at), text, fate: UpdateFate::Cut };
        all.extend(rest.into_iter().enumerate().map(cut));
        all
    }

    /// Returns the fate of an update outside of an envelope. `at` is its index among such updates.
    #[must_use]
    pub fn standalone_fate(&self, update: &str, at: usize) -> UpdateFate {
        match reason(update, &self.settings.limits_for(None, None)) {
            Some(reason) => UpdateFate::Dropped(reason),
            None => self.update_fate(update, at),
        }
    }

    /// Returns the fate of an update that passed the size limits. `at` is the number of kept
    /// updates before it.
    #[must_use]
    pub fn update_fate(&self, update: &str, at: usize) -> UpdateFate {
        let runtime = self.settings.caps.runtime;
        let read = ReadUpdate::new(update, runtime);
        let refusal = match read.verdict(at, self.consumer, runtime, self.program()) {
            FilterVerdict::Accepted => None,
            FilterVerdict::Blank => return UpdateFate::Blank,
            FilterVerdict::Limit => Some(UpdateRefusal::Limit),
            FilterVerdict::Rule => Some(UpdateRefusal::Rule),
            FilterVerdict::Declaration => Some(UpdateRefusal::Declaration),
            FilterVerdict::Import => Some(UpdateRefusal::Import),
            FilterVerdict::Syntax => Some(UpdateRefusal::Syntax),
            FilterVerdict::NotAllowed => Some(UpdateRefusal::NotAllowed),
            FilterVerdict::HostWitness => Some(UpdateRefusal::HostWitness),
            FilterVerdict::Undeclared => Some(UpdateRefusal::Undeclared),
            FilterVerdict::Arity => Some(UpdateRefusal::Arity),
            FilterVerdict::ShellText => Some(UpdateRefusal::ShellText),
        };
        match (refusal, read) {
            (Some(refusal), _) => UpdateFate::Blocked(refusal),
            (None, ReadUpdate::Refused(_)) => UpdateFate::Blocked(UpdateRefusal::Syntax),
            (None, ReadUpdate::Fact(fact)) if self.is_protected(&fact.predicate) => {
                UpdateFate::Blocked(UpdateRefusal::Protected)
            }
            (None, ReadUpdate::Fact(fact)) => {
                UpdateFate::Passed(Box::new(fact)).with_declarations(self.declarations)
            }
        }
    }

    /// Returns the program, if the runtime checks strings against it.
    fn program(&self) -> Option<&dyn FilterProgram> {
        let program: &dyn FilterProgram = self.declarations?;
        Some(program).filter(|_| !self.settings.caps.runtime.shell_text.is_empty())
    }

    fn is_protected(&self, predicate: &str) -> bool {
        self.consumer.protected && is_delicate(predicate, &self.settings.atoms)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::Caps;

    #[test]
    fn each_update_has_one_entry_in_order() {
        let settings = TranscriptSettings {
            caps: Caps { updates: Some(5), ..Caps::default() },
            ..TranscriptSettings::default()
        };
        let updates = ["a(1).", "", "a(1)", "permitted(/x, \"\", \"\").", "a(1) :- b(1).", "a(2).", "a(3)."];
        let text =
            serde_json::json!({ "control_packet": { "mangle_updates": updates }, "surface_response": "ok" });
        let text = text.to_string();
        let reply = Reply::new(text.as_bytes(), &settings.caps);
        let account = Filters::new(&settings, None).account(&reply);
        let words: Vec<_> = account.iter().map(|entry| (entry.fate.word(), entry.fate.reason())).collect();
        let lost = |word, reason| (word, Some(reason));
        assert_eq!(
            words,
            [
                ("passed", None),
                lost("dropped", "empty"),
                lost("dropped", "syntax"),
                lost("blocked", "protected"),
                lost("blocked", "rule"),
                lost("dropped", "limit"),
                lost("dropped", "limit"),
            ]
        );
        let texts: Vec<_> = account.iter().map(|entry| (entry.index.unwrap(), entry.text.as_str())).collect();
        assert_eq!(texts, updates.into_iter().enumerate().collect::<Vec<_>>());
    }

    #[test]
    fn a_denial_reaches_asserted_updates_alone() {
        let asserted = UpdateFate::Asserted { fact: "a(1)".into(), is_reply_denied: false };
        assert_eq!(asserted.clone().denied(true), UpdateFate::Withdrawn("a(1)".into()));
        assert!(asserted.denied(false).is_kept());
        assert_eq!(UpdateFate::Cut.denied(true), UpdateFate::Cut);
    }
}
