//! Cache of property answers across program revisions. An answer is valid while its dependencies
//! are unchanged.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use mangle_check::policy_test::property::{Claim, Property};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::TextSize;
use mangle_verify::{Answer, Scope, Verdict};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use crate::evaluation::{fingerprint, fingerprint_of};

/// Dependencies of an answer. The settings are not included, because a memo belongs to one set of
/// settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerBasis {
    /// [`fingerprint`] of the program.
    statements: u64,
    /// Text of the property with its restrictions.
    property: String,
    /// Text before the first property: restrictions of all properties.
    preamble: String,
    /// Hash of the texts for properties that name a line or another program; 0 for all others.
    elsewhere: u64,
    scope: Scope,
}

/// Parts of a test file.
#[derive(Clone, Copy)]
pub(super) struct FileParts<'f> {
    pub(super) properties: &'f [Property],
    /// Start offsets of the cases.
    pub(super) cases: &'f [TextSize],
}

impl AnswerBasis {
    /// Collects the dependencies of a property in a file. `other` is a hash of the texts of the
    /// compared program.
    pub(super) fn new(
        program: &Program,
        file: Option<&FileSummary>,
        parts: FileParts<'_>,
        property: &Property,
        other: Option<u64>,
        scope: Scope,
    ) -> Self {
        let elsewhere = match &property.claim {
            // The property names a line.
            Ok(Claim::Rule { .. }) => hash_of_texts(program),
            Ok(Claim::Comparison { .. }) => other.unwrap_or_default(),
            _ => 0,
        };
        let Some(file) = file else {
            let (statements, preamble) = (fingerprint(program), String::new());
            return Self { statements, property: property.name.clone(), preamble, elsewhere, scope };
        };
        let first_case = parts.cases.first().copied();
        let starts = || parts.properties.iter().map(|property| property.header.start());
        let start = property.header.start();
        let borders = starts().chain(parts.cases.iter().copied());
        let end = borders.filter(|border| *border > start).min();
        let part = |start: TextSize, end: Option<TextSize>| {
            let end = end.map_or(file.text.len(), usize::from);
            file.text.get(usize::from(start)..end).unwrap_or(&file.text).trim_end().to_owned()
        };
        Self {
            statements: fingerprint_of(program, without_cases(program, file, first_case)),
            property: part(start, end),
            preamble: part(TextSize::new(0), starts().min()),
            elsewhere,
            scope,
        }
    }
}

/// Hash of the statements visible to a property: all except the cases of its file.
fn without_cases(program: &Program, file: &FileSummary, first_case: Option<TextSize>) -> u64 {
    let mut hasher = FxHasher::default();
    let is_seen = |item: &&Item| first_case.is_none_or(|case| item.start < case);
    let seen = file.items.iter().filter(is_seen);
    seen.for_each(|item| (item.statement.digest, item.statement.damaged).hash(&mut hasher));
    program.statements().wrapping_sub(file.digest).wrapping_add(hasher.finish())
}

pub(super) fn hash_of_texts(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    program.files.iter().for_each(|file| file.text.hash(&mut hasher));
    hasher.finish()
}

/// Text of a property, and the reading.
type PropertyKey = (String, Reading);

/// An answer with its dependencies.
type KnownAnswer = (AnswerBasis, Arc<Answer>);

/// The last answer of each property of a program, for one set of settings.
#[derive(Debug, Default)]
pub struct AnswerMemo {
    answers: Mutex<FxHashMap<PropertyKey, KnownAnswer>>,
}

/// Maximum number of cached answers.
const MAX_ANSWERS: usize = 1000;

impl AnswerMemo {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.lock().is_empty()
    }

    /// Returns the answer of a property if it is still valid.
    pub(super) fn get(&self, reading: Reading, basis: &AnswerBasis) -> Option<Arc<Answer>> {
        let answers = self.answers.lock();
        let (known, answer) = answers.get(&(basis.property.clone(), reading))?;
        (known == basis).then(|| Arc::clone(answer))
    }

    /// Stores an answer. Parse errors are not stored, because their positions change.
    pub(super) fn put(&self, reading: Reading, basis: AnswerBasis, answer: &Arc<Answer>) {
        if answer.verdict == Verdict::Error {
            return;
        }
        let mut answers = self.answers.lock();
        // Every keystroke in a property adds an entry, so the cache is cleared when full.
        if answers.len() >= MAX_ANSWERS {
            answers.clear();
        }
        answers.insert((basis.property.clone(), reading), (basis, Arc::clone(answer)));
    }
}
