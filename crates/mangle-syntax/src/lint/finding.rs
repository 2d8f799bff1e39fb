//! What a rule reports, before it is placed in a file.
//!
//! Ranges count from the start of the statement that the finding is about, so that a finding
//! stays right (and cached) while edits elsewhere move its statement.

use text_size::TextSize;

use super::{EngineOutcome, Rule, Severity, SharedText};
use crate::text::{FileId, StatementId, TextRange, is_on_characters, whole_characters};

/// What a [`Span`] counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// The start of the statement that the finding is about; the start of the file for a finding
    /// about a whole file.
    Here,
    /// The start of the file that the finding is about.
    File,
    /// The start of another statement, in this or another file.
    Statement(FileId, StatementId),
}

/// A range and what it counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// What the range counts from.
    pub anchor: Anchor,
    /// The bytes.
    pub range: TextRange,
}

impl Span {
    /// A range within the finding's own statement.
    #[must_use]
    pub fn here(range: TextRange) -> Self {
        Self { anchor: Anchor::Here, range }
    }

    /// A range within another statement.
    #[must_use]
    pub fn of(file: FileId, statement: StatementId, range: TextRange) -> Self {
        Self { anchor: Anchor::Statement(file, statement), range }
    }
}

/// Another place that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The place, with what its range counts from.
    pub span: Span,
    /// Its label: what is there, in a few words.
    pub message: SharedText,
}

/// Whether a fix may be applied without looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// The meaning afterwards is what was evidently meant.
    Safe,
    /// A guess; applied only on demand.
    Unsafe,
}

/// A replacement of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty inserts.
    pub span: Span,
    /// What stands there afterwards, with `\n` line ends.
    pub text: String,
}

/// A change that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in the imperative: "Insert a space before the full stop".
    pub title: SharedText,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
    /// The parts of the finding's own statement that the fix says in another way: whole premises, names of predicates,
    /// words of another notation. All other premises and words of the statement must be there afterwards, or the fix is
    /// offered as unsafe. The finding's own range need not be repeated here, unless it is a premise or names a predicate.
    pub replaces: Vec<TextRange>,
    /// What to do instead where the text can be read in two ways; never safe.
    pub otherwise: Option<Box<Self>>,
}

impl Fix {
    /// A fix that is safe to apply. In Mangle texts that is checked before it is offered.
    #[must_use]
    pub fn safe(title: impl Into<SharedText>) -> Self {
        Self::new(title, Applicability::Safe)
    }

    /// A fix that guesses.
    #[must_use]
    pub fn guess(title: impl Into<SharedText>) -> Self {
        Self::new(title, Applicability::Unsafe)
    }

    /// A fix without edits.
    #[must_use]
    pub fn new(title: impl Into<SharedText>, applicability: Applicability) -> Self {
        Self { title: title.into(), applicability, edits: Vec::new(), replaces: Vec::new(), otherwise: None }
    }

    /// Adds the fix for another reading.
    #[must_use]
    pub fn otherwise(mut self, other: Self) -> Self {
        self.otherwise = Some(Box::new(Self { applicability: Applicability::Unsafe, ..other }));
        self
    }

    /// Declares that the fix says `range` of the finding's own statement in another way, see [`Fix::replaces`].
    #[must_use]
    pub fn replacing(mut self, range: TextRange) -> Self {
        self.replaces.push(range);
        self
    }

    /// Adds: replace `range` of the finding's own statement by `text`.
    #[must_use]
    pub fn replace(self, range: TextRange, text: impl Into<String>) -> Self {
        self.edit(Span::here(range), text)
    }

    /// Adds: insert `text` at `offset` of the finding's own statement.
    #[must_use]
    pub fn insert(self, offset: TextSize, text: impl Into<String>) -> Self {
        self.replace(TextRange::empty(offset), text)
    }

    /// Adds: replace `span` by `text`.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}

/// What a rule reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that reports the finding.
    pub rule: &'static Rule,
    /// A severity of its own in place of the rule's default. What a user configures for the rule
    /// still decides.
    pub severity: Option<Severity>,
    /// The narrowest bytes that are at fault, from the start of the statement.
    pub range: TextRange,
    /// The headline: the problem as a statement about the text, one clause without a full stop.
    pub message: SharedText,
    /// What is wrong exactly at `range`, in a few words; shown under it.
    pub label: Option<SharedText>,
    /// Other places that matter, with a label each.
    pub related: Vec<Related>,
    /// The consequence or the reason: what the engine or the runtime will do. At most two, a sentence each without a full
    /// stop.
    pub notes: Vec<SharedText>,
    /// The fix, where one is unambiguous.
    pub fix: Option<Fix>,
    /// What to do where no fix does it: an imperative sentence without a full stop.
    pub help: Option<SharedText>,
    /// True if the engine rejects a program with this finding. No setting and no comment changes that.
    pub is_rejected: bool,
}

impl Finding {
    /// A finding of `rule` at `range`.
    #[must_use]
    pub fn new(rule: &'static Rule, range: TextRange, message: impl Into<SharedText>) -> Self {
        Self {
            rule,
            severity: None,
            range,
            message: message.into(),
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
            fix: None,
            help: None,
            is_rejected: matches!(rule.engine, Some(EngineOutcome::Rejects)),
        }
    }

    /// Gives it a severity of its own. The engine accepts what is less than an error.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self.is_rejected &= severity == Severity::Error;
        self
    }

    /// Sets if the engine rejects a program with this finding, for a rule for which that depends.
    #[must_use]
    pub fn rejected_if(mut self, is_rejected: bool) -> Self {
        self.is_rejected = is_rejected;
        self
    }

    /// Says what is wrong exactly at the range.
    #[must_use]
    pub fn label(mut self, label: impl Into<SharedText>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds a consequence or a reason.
    #[must_use]
    pub fn note(mut self, note: impl Into<SharedText>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<SharedText>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Adds what to do where no fix does it.
    #[must_use]
    pub fn help(mut self, help: impl Into<SharedText>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the fix.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// The finding with all ranges that count from the start of `text` on its characters. In text, a rule that makes
    /// another range has a bug, which debug builds assert; else the range is widened. A fix that would cut a character
    /// in two is left out.
    #[must_use]
    pub fn on_characters(mut self, text: &[u8]) -> Self {
        let is_on = |range: TextRange| is_on_characters(text, range);
        let mut related = self.related.iter().filter(|related| related.span.anchor == Anchor::Here);
        let all_on = is_on(self.range) && related.all(|related| is_on(related.span.range));
        let rule = self.rule.code;
        debug_assert!(all_on || std::str::from_utf8(text).is_err(), "{rule} cuts a character in two");
        self.range = whole_characters(text, self.range);
        for related in self.related.iter_mut().filter(|related| related.span.anchor == Anchor::Here) {
            related.span.range = whole_characters(text, related.span.range);
        }
        let fits = |fix: &Fix| {
            let mut here = fix.edits.iter().filter(|edit| edit.span.anchor == Anchor::Here);
            here.all(|edit| is_on(edit.span.range))
        };
        let fix_fits = self.fix.as_ref().is_none_or(fits);
        debug_assert!(
            fix_fits || std::str::from_utf8(text).is_err(),
            "a fix of {rule} cuts a character in two"
        );
        self.fix = self.fix.filter(|_| fix_fits);
        self
    }
}
