//! Answers of properties, kept from revision to revision as long as nothing that they depend on is different.

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

use crate::ide::evaluation::{fingerprint, fingerprint_of};

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

/// What a test file is made of.
#[derive(Clone, Copy)]
pub(super) struct FileParts<'f> {
    pub(super) properties: &'f [Property],
    /// Where its cases begin.
    pub(super) cases: &'f [TextSize],
}

impl AnswerBasis {
    /// What a property of a file depends on. `other` is a number that changes with the texts of the
    /// program that it compares with.
    pub(super) fn new(
        program: &Program,
        (file, parts): (Option<&FileSummary>, FileParts<'_>),
        property: &Property,
        other: Option<u64>,
        scope: Scope,
    ) -> Self {
        let elsewhere = match &property.claim {
            // It names a line.
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

/// A number that changes with what the statements say that a property sees: all but those of the cases of its file.
fn without_cases(program: &Program, file: &FileSummary, first_case: Option<TextSize>) -> u64 {
    let mut hasher = FxHasher::default();
    let is_seen = |item: &&Item| first_case.is_none_or(|case| item.start < case);
    let seen = file.items.iter().filter(is_seen);
    seen.for_each(|item| (item.statement.digest, item.statement.damaged).hash(&mut hasher));
    program.statements().wrapping_sub(file.digest).wrapping_add(hasher.finish())
}

/// A number that changes with the texts of a program.
pub(super) fn hash_of_texts(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    program.files.iter().for_each(|file| file.text.hash(&mut hasher));
    hasher.finish()
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
