//! Rules and their findings: [`Rule`], [`Finding`], [`Fix`], and placed findings, [`Diagnostic`].
//!
//! Rules are defined in the modules that implement them (`syntax`, `analysis`, …). The registry of
//! all rules is in `ide`.
//!
//! Ranges of findings are relative to the start of the statement. Findings therefore stay valid (and
//! cached) while edits elsewhere move the statement.

mod diagnostic;
mod document;
mod rule;
mod shared_text;
pub mod wording;

pub use diagnostic::{Diagnostic, FileEdit, Placement, RelatedPlace, ResolvedFix};
pub use document::{rule, rules};
pub use rule::{EngineOutcome, FixKind, Group, Rule, Severity, address};
pub use shared_text::{MAX_TEXT_LEN, SharedText};

use text_size::TextSize;

use super::text::{FileId, StatementId, TextRange, is_on_characters, whole_characters};

/// The base of a [`Span`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Anchor {
    /// The start of the finding's statement, or the start of the file for a finding about a whole
    /// file.
    Own,
    /// The start of the finding's file.
    File,
    /// The start of another statement, in this or another file.
    Statement(FileId, StatementId),
}

/// A range and its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The base of the range.
    pub anchor: Anchor,
    /// The range relative to `anchor`.
    pub range: TextRange,
}

impl Span {
    /// Creates a range within the finding's statement.
    #[must_use]
    pub fn here(range: TextRange) -> Self {
        Self { anchor: Anchor::Own, range }
    }

    /// Creates a range within another statement.
    #[must_use]
    pub fn new(file: FileId, statement: StatementId, range: TextRange) -> Self {
        Self { anchor: Anchor::Statement(file, statement), range }
    }
}

/// A related location of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The location.
    pub span: Span,
    /// A short label of the location.
    pub message: SharedText,
}

/// Safety of a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// The result certainly has the intended meaning.
    Safe,
    /// The fix is a guess and is applied only on request.
    Unsafe,
}

/// A replacement of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The range to replace. Empty for an insertion.
    pub span: Span,
    /// The new text, with `\n` line endings.
    pub text: String,
}

/// A change that fixes a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The title in the imperative: "Insert a space before the full stop".
    pub title: SharedText,
    /// The safety of the fix. Only safe fixes can be applied without review.
    pub applicability: Applicability,
    /// The edits, which do not overlap.
    pub edits: Vec<Edit>,
    /// Ranges of the finding's statement that the fix rewrites with the same meaning: whole
    /// premises, names of predicates, foreign syntax. All other premises and words of the statement
    /// must still be present after the fix. If some are missing, the fix is offered as unsafe.
    ///
    /// The range of the finding is only necessary if it is a premise or names a predicate.
    pub replaces: Vec<TextRange>,
    /// An alternative fix for ambiguous text. Never safe.
    pub alternative: Option<Box<Self>>,
}

impl Fix {
    /// Creates a safe fix. In Mangle texts, its safety is verified before the fix is offered.
    #[must_use]
    pub fn safe(title: impl Into<SharedText>) -> Self {
        Self::new(title, Applicability::Safe)
    }

    /// Creates an unsafe fix.
    #[must_use]
    pub fn guess(title: impl Into<SharedText>) -> Self {
        Self::new(title, Applicability::Unsafe)
    }

    /// Creates a fix without edits.
    #[must_use]
    pub fn new(title: impl Into<SharedText>, applicability: Applicability) -> Self {
        Self {
            title: title.into(),
            applicability,
            edits: Vec::new(),
            replaces: Vec::new(),
            alternative: None,
        }
    }

    /// Adds the fix for an alternative reading.
    #[must_use]
    pub fn with_alternative(mut self, other: Self) -> Self {
        self.alternative = Some(Box::new(Self { applicability: Applicability::Unsafe, ..other }));
        self
    }

    /// Declares that the fix rewrites `range` of the finding's statement with the same meaning, see
    /// [`Fix::replaces`].
    #[must_use]
    pub fn replacing(mut self, range: TextRange) -> Self {
        self.replaces.push(range);
        self
    }

    /// Adds an edit that replaces `range` of the finding's statement with `text`.
    #[must_use]
    pub fn replace(self, range: TextRange, text: impl Into<String>) -> Self {
        self.edit(Span::here(range), text)
    }

    /// Adds an edit that inserts `text` at `offset` of the finding's statement.
    #[must_use]
    pub fn insert(self, offset: TextSize, text: impl Into<String>) -> Self {
        self.replace(TextRange::empty(offset), text)
    }

    /// Adds an edit that replaces `span` with `text`.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Self {
        self.edits.push(Edit { span, text: text.into() });
        self
    }
}

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that reports the finding.
    pub rule: &'static Rule,
    /// The severity of this finding if it differs from the default of the rule. The configured
    /// severity takes precedence.
    pub severity: Option<Severity>,
    /// The narrowest range of the problem, relative to the start of the statement.
    pub range: TextRange,
    /// The headline: the problem as a statement about the text, one clause without a period.
    pub message: SharedText,
    /// A short explanation that is shown below `range`.
    pub label: Option<SharedText>,
    /// Related locations, each with a label.
    pub related: Vec<Related>,
    /// The consequence or the reason: the behavior of the engine or the runtime. At most two
    /// sentences, without periods.
    pub notes: Vec<SharedText>,
    /// The fix, if one is unambiguous.
    pub fix: Option<Fix>,
    /// Advice if no fix applies: an imperative sentence without a period.
    pub help: Option<SharedText>,
    /// True if the engine rejects a program with this finding, regardless of settings and comments.
    pub is_rejected: bool,
}

impl Finding {
    /// Creates a finding of `rule` at `range`.
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

    /// Sets the severity of this finding. The engine accepts programs with findings below an error.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self.is_rejected &= severity == Severity::Error;
        self
    }

    /// Sets if the engine rejects a program with this finding, for rules whose effect varies.
    #[must_use]
    pub fn rejected_if(mut self, is_rejected: bool) -> Self {
        self.is_rejected = is_rejected;
        self
    }

    /// Sets the label of the range.
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

    /// Adds a related location.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<SharedText>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Sets the advice if no fix applies.
    #[must_use]
    pub fn help(mut self, help: impl Into<SharedText>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the fix.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Adjusts all ranges that are relative to the start of `text` to character boundaries. In
    /// valid text, a range that needs adjustment is a bug, and debug builds panic. A fix that would
    /// split a character is removed.
    #[must_use]
    pub fn on_characters(mut self, text: &[u8]) -> Self {
        let is_on = |range: TextRange| is_on_characters(text, range);
        let mut related = self.related.iter().filter(|related| related.span.anchor == Anchor::Own);
        let all_on = is_on(self.range) && related.all(|related| is_on(related.span.range));
        let rule = self.rule.code;
        debug_assert!(all_on || std::str::from_utf8(text).is_err(), "{rule} cuts a character in two");
        self.range = whole_characters(text, self.range);
        for related in self.related.iter_mut().filter(|related| related.span.anchor == Anchor::Own) {
            related.span.range = whole_characters(text, related.span.range);
        }
        let fits = |fix: &Fix| {
            let mut here = fix.edits.iter().filter(|edit| edit.span.anchor == Anchor::Own);
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
