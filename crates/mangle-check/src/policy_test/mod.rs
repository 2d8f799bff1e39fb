//! Policy tests: `NAME_test.mg` is ordinary Mangle with comments that define test cases and
//! expectations.
//!
//! [`TestFile::read`] reads the summary of a test file. [`TestFile::findings`] checks its comments
//! against the program. [`run`] evaluates the cases: each passes, fails or cannot run. A failure
//! has the proof of a forbidden fact or the obstacles of an expected one. The module has no access
//! to the file system or to editors.
//!
//! ```mangle
//! urgent(T) :- task(T, /high).          # Before the first case: belongs to all.
//!
//! # @test name: an urgent task comes first
//! task("t1", /high).
//! # @expect next(_, "t1")
//! # @forbid next(_, "t2")
//! # @exact next/2
//! ```

mod case;
mod comments;
mod findings;
pub mod property;
mod run;

pub use case::{Case, Coverage, Expectation, RuleKey, TestFile, rules_of};
pub use comments::{Comment, TestKey, comment_at};
pub use findings::RULES;
pub use run::{
    CaseOutcome, CaseResult, ExpectationFailure, FailureKind, FileError, Suite, TestSettings, not_run, run,
    without_cases, without_statements,
};

use comments::{comments, ignored, name_and_arity, read_atom};
use mangle_engine::program::{FileSummary, PredicateKey};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{TextRange, TextSize};
use property::{Properties, is_property_key};

impl TestFile {
    /// Reads the cases of a test file.
    #[must_use]
    pub fn read(file: &FileSummary) -> Self {
        let mut tests = Self::default();
        let ignored = ignored(file);
        for comment in comments(file) {
            match TestKey::parse(comment.key) {
                Some(TestKey::Test) => tests.open(&comment),
                Some(key) => tests.expect(key, &comment),
                None if is_property_key(comment.key) => {}
                None if ignored.iter().any(|found| found.range == comment.range) => {}
                None => {
                    tests.ignored_comments.push(comment.range);
                    tests.findings.push(findings::unknown_key(&comment));
                }
            }
        }
        for (index, item) in (0u32..).zip(file.items.iter()) {
            tests.place(index, item);
        }
        tests.ignored_comments.extend(ignored.iter().map(|comment| comment.range));
        tests.findings.extend(ignored.iter().map(findings::ignored_directive));
        tests.findings.extend(tests.cases.iter().flat_map(|case| findings::about_case(case, file)));
        let properties = Properties::read(file);
        tests.findings.extend(properties.errors().map(findings::property_error));
        if tests.cases.is_empty() && properties.all.is_empty() {
            tests.findings.push(findings::without_case(file));
        }
        tests
    }

    fn open(&mut self, comment: &Comment<'_>) {
        let name = comment.value.strip_prefix("name:").map_or("", str::trim);
        let repeated = self.cases.iter().any(|case| case.name == name);
        if name.is_empty() || repeated {
            self.findings.push(findings::case_name(comment, repeated));
        }
        // A case without a name gets a number.
        let name = if name.is_empty() { format!("case {}", self.cases.len() + 1) } else { name.to_owned() };
        self.cases.push(Case {
            name,
            header: comment.range,
            facts: Vec::new(),
            invalid_statements: Vec::new(),
            damaged: Vec::new(),
            expectations: Vec::new(),
        });
    }

    fn expect(&mut self, key: TestKey, comment: &Comment<'_>) {
        let (predicate, name) = match key {
            TestKey::Exact => (name_and_arity(comment.value), None),
            _ => atom(comment).map_or((None, None), |(predicate, name)| (Some(predicate), Some(name))),
        };
        if predicate.is_none() {
            self.findings.push(findings::malformed(key, comment));
        }
        let expectation = Expectation {
            key,
            range: comment.range,
            text: comment.value.to_owned(),
            text_range: comment.value_range,
            predicate,
            name,
        };
        match self.cases.last_mut() {
            Some(case) => case.expectations.push(expectation),
            None => {
                self.findings.push(findings::homeless(comment));
                self.before_first_case.push(expectation);
            }
        }
    }

    /// Assigns a statement to its case.
    fn place(&mut self, index: u32, item: &Item) {
        let statement = &item.statement;
        let Some(case) = self.case_at_mut(item.start) else {
            self.damaged.extend(statement.damaged.then_some(index));
            return;
        };
        let is_fact = statement.clause().is_some_and(mangle_syntax::syntax::ast::Clause::is_fact);
        let list = match (statement.damaged, is_fact) {
            (true, _) => &mut case.damaged,
            (false, true) => &mut case.facts,
            (false, false) => &mut case.invalid_statements,
        };
        list.push(index);
    }

    /// All expectations, in the order of the text.
    pub fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        self.before_first_case.iter().chain(self.cases.iter().flat_map(|case| &case.expectations))
    }

    fn case_at_mut(&mut self, offset: TextSize) -> Option<&mut Case> {
        let behind = self.cases.partition_point(|case| case.header.start() <= offset);
        self.cases.get_mut(behind.checked_sub(1)?)
    }

    /// The case that contains an offset.
    #[must_use]
    pub fn case_at(&self, offset: TextSize) -> Option<&Case> {
        let behind = self.cases.partition_point(|case| case.header.start() <= offset);
        self.cases.get(behind.checked_sub(1)?)
    }
}

/// The predicate of an atom, and the range of its name in the file.
fn atom(comment: &Comment<'_>) -> Option<(PredicateKey, TextRange)> {
    let (predicate, name) = read_atom(comment.value)?;
    Some((predicate, name + comment.value_range.start()))
}

#[cfg(test)]
mod tests;
