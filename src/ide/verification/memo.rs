//! Answers of properties, kept from revision to revision as long as nothing that they depend on is different.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use mangle_check::policy_test::property::{Claim, Property};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::Reading;
use mangle_syntax::text::TextSize;
use mangle_verify::{Answer, Scope, Verdict};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use crate::ide::evaluation::fingerprint;

/// What the answer of a property depends on, beside the settings of the program, which a memo is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerBasis {
    /// [`fingerprint`] of the program.
    statements: u64,
    /// The property with what restricts it, as the file says it.
    property: String,
    /// What the file says before its first property: restrictions of all of them.
    preamble: String,
    /// What a property depends on that names a place or another program; 0 for all others.
    elsewhere: u64,
    scope: Scope,
}

impl AnswerBasis {
    /// What a property of a file depends on. `next` is where the next property begins, and `first` where the first one does. `other` is the
    /// [`fingerprint`] of a program that it compares with.
    pub(super) fn new(
        program: &Program,
        (file, property): (Option<&FileSummary>, &Property),
        (first, next): (TextSize, Option<TextSize>),
        other: Option<u64>,
        scope: Scope,
    ) -> Self {
        let text = file.map_or(property.name.as_str(), |file| &file.text);
        let (start, end) = (property.header.start(), next.map_or(text.len(), usize::from));
        let part = |start: usize, end: usize| text.get(start..end).unwrap_or(text).to_owned();
        let elsewhere = match &property.claim {
            // It names a line.
            Ok(Claim::Rule { .. }) => {
                let mut hasher = FxHasher::default();
                program.files.iter().for_each(|file| file.text.hash(&mut hasher));
                hasher.finish()
            }
            Ok(Claim::Comparison { .. }) => other.unwrap_or_default(),
            _ => 0,
        };
        Self {
            statements: fingerprint(program),
            property: part(usize::from(start), end),
            preamble: part(0, usize::from(first)),
            elsewhere,
            scope,
        }
    }
}

/// A property as its file says it, in a reading.
type PropertyKey = (String, Reading);

/// An answer, and what it depends on.
type KnownAnswer = (AnswerBasis, Arc<Answer>);

/// The last answer of each property of a program under the same settings.
#[derive(Debug, Default)]
pub struct AnswerMemo {
    answers: Mutex<FxHashMap<PropertyKey, KnownAnswer>>,
}

/// How many answers are kept.
const MOST: usize = 1000;

impl AnswerMemo {
    /// Whether no answer is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.lock().is_empty()
    }

    /// The answer of a property, if it still holds.
    pub(super) fn get(&self, reading: Reading, basis: &AnswerBasis) -> Option<Arc<Answer>> {
        let answers = self.answers.lock();
        let (known, answer) = answers.get(&(basis.property.clone(), reading))?;
        (known == basis).then(|| Arc::clone(answer))
    }

    /// Keeps an answer. One that says where the property cannot be read is not kept: places move.
    pub(super) fn put(&self, reading: Reading, basis: AnswerBasis, answer: &Arc<Answer>) {
        if answer.verdict == Verdict::Error {
            return;
        }
        let mut answers = self.answers.lock();
        // A property that is typed key by key leaves answers behind.
        if answers.len() >= MOST {
            answers.clear();
        }
        answers.insert((basis.property.clone(), reading), (basis, Arc::clone(answer)));
    }
}
