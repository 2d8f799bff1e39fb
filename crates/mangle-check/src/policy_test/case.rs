//! Test cases and expectations of a test file, and the rules that they cover.

use rustc_hash::FxHashSet;

use super::comments::TestKey;
use mangle_engine::kernel::{Clock, Kernel, RuleId};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{FileId, TextRange};

/// The cases of a test file. Ranges are relative to the start of the file.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// Statements with syntax errors before the first case: indices into
    /// [`mangle_engine::program::FileSummary::items`].
    pub damaged: Vec<u32>,
    /// Expectations before the first case, which are errors.
    pub before_first_case: Vec<Expectation>,
    /// Comments that resemble expectations but are ignored: an unknown key, a missing `@`, or a
    /// position after a statement.
    pub ignored_comments: Vec<TextRange>,
    /// Errors in the comments that do not depend on the program.
    pub(super) findings: Vec<Finding>,
}

/// A test case: facts, and the expected results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The name of the case.
    pub name: String,
    /// The comment that starts the case.
    pub header: TextRange,
    /// The facts of the case: indices into [`mangle_engine::program::FileSummary::items`].
    pub facts: Vec<u32>,
    /// Rules and declarations inside of the case, which are errors because they would apply to all
    /// cases.
    pub invalid_statements: Vec<u32>,
    /// Statements with syntax errors.
    pub damaged: Vec<u32>,
    /// The expectations, in the order of the file.
    pub expectations: Vec<Expectation>,
}

/// An expectation of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The kind of expectation.
    pub key: TestKey,
    /// The range of the comment.
    pub range: TextRange,
    /// The text after the key.
    pub text: String,
    /// The range of `text`.
    pub text_range: TextRange,
    /// The predicate of the expectation. `None` if the text has a syntax error.
    pub predicate: Option<PredicateKey>,
    /// The range of the predicate's name, for an atom.
    pub name: Option<TextRange>,
}

/// Identifies a clause independently of the program that it is compiled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleKey {
    /// The file of the clause.
    pub file: FileId,
    /// The statement: an index into the items of the file.
    pub item: u32,
}

/// The covered rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The rules that derived a fact.
    pub fired: FxHashSet<RuleKey>,
}

impl Coverage {
    /// Adds the covered rules of another evaluation.
    pub fn add(&mut self, other: Self) {
        self.fired.extend(other.fired);
    }

    /// Adds the rules that derived a fact in an evaluation.
    pub(super) fn take(&mut self, program: &Program, kernel: &mut Kernel, clock: Clock) {
        let compiled = std::sync::Arc::clone(kernel.compiled());
        let key = |rule: RuleId| compiled.rule(rule).map(|rule| RuleKey { file: rule.file, item: rule.item });
        for predicate in (0..compiled.predicates()).map(PredicateId) {
            let count = kernel.model().relation(predicate).map_or(0, |relation| relation.len());
            let derivations =
                (0u32..).take(count).filter_map(|number| kernel.model().derivation(predicate, number));
            let first: FxHashSet<RuleId> = derivations.map(|derivation| derivation.rule).collect();
            self.fired.extend(first.into_iter().filter_map(key));
            if count > 0 {
                self.later(program, kernel, predicate, clock);
            }
        }
    }

    /// Adds the rules of a predicate whose facts were all derived by another rule first.
    fn later(&mut self, program: &Program, kernel: &mut Kernel, predicate: PredicateId, clock: Clock) {
        let compiled = std::sync::Arc::clone(kernel.compiled());
        let rules: Vec<_> = (0u32..)
            .map(RuleId)
            .zip(compiled.rules.iter())
            .filter(|(id, rule)| {
                rule.predicate == predicate && !compiled.faults.iter().any(|fault| fault.rule == *id)
            })
            .map(|(id, rule)| (id, RuleKey { file: rule.file, item: rule.item }))
            .filter(|(_, key)| is_rule(program, *key) && !self.fired.contains(key))
            .collect();
        if rules.is_empty() {
            return;
        }
        let any = vec![None; usize::from(program.get(predicate).key.arity)];
        let misses = kernel.model_mut().why_not(&compiled, clock, predicate, &any);
        let has_nothing = |id: RuleId| misses.iter().any(|miss| miss.rule == id);
        self.fired.extend(rules.into_iter().filter(|(id, _)| !has_nothing(*id)).map(|(_, key)| key));
    }
}

/// True if the clause has a body.
fn is_rule(program: &Program, key: RuleKey) -> bool {
    let item = program.file(key.file).and_then(|file| file.items.get(key.item as usize));
    item.and_then(|item| item.statement.clause()).is_some_and(|clause| !clause.is_fact())
}

/// The rules of a program that tests can cover: clauses with a body and without syntax errors,
/// outside of `tests`.
pub fn rules_of<'p>(
    program: &'p Program,
    tests: &'p FxHashSet<FileId>,
) -> impl Iterator<Item = RuleKey> + 'p {
    let files = program.files.iter().filter(|file| !tests.contains(&file.id));
    files.flat_map(|file| {
        let items = (0u32..).zip(file.items.iter()).filter(|(_, item)| !item.statement.damaged);
        let rules = items.filter(|(_, item)| item.statement.clause().is_some_and(|clause| !clause.is_fact()));
        rules.map(move |(item, _)| RuleKey { file: file.id, item })
    })
}
