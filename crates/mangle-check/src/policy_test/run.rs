//! Runner of test cases: evaluates the program and the statements before the first case once, then
//! adds the facts of each case.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::case::{Case, Expectation, TestFile};
use super::case::{Coverage, RuleKey};
use super::comments::TestKey;
use super::findings::ProgramPredicates;
use mangle_engine::kernel::{
    Clock, CompiledProgram, Kernel, Limits, Miss, Proof, Query, Reading, RuleId, Stop, compile,
};
use mangle_engine::program::{PredicateId, Program};
use mangle_syntax::syntax::ast::{Item, Statement, StatementKind};
use mangle_syntax::text::{Cancel, FileId, TextRange};

/// Maximum number of proofs of forbidden facts.
const MAX_PROOFS: usize = 3;

/// Settings of a test run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestSettings {
    /// The semantics of evaluation.
    pub reading: Reading,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// The time of evaluation.
    pub clock: Clock,
    /// True to collect rule coverage.
    pub coverage: bool,
}

/// An error in a test file that prevents a case from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The range, relative to the start of the file.
    pub range: TextRange,
    /// The message, as a sentence without its period.
    pub message: String,
}

/// Result of a test file.
#[derive(Debug)]
pub struct Suite {
    /// The test file.
    pub file: FileId,
    /// The compiled program, including the test file. Proofs refer to its rules.
    pub compiled: Arc<CompiledProgram>,
    /// The selected cases, in the order of the file.
    pub cases: Vec<CaseResult>,
    /// The rules of the program that fired. Empty unless coverage was requested.
    pub coverage: Coverage,
}

/// Result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseResult {
    /// The name of the case.
    pub name: String,
    /// The comment that starts the case, relative to the start of the file.
    pub header: TextRange,
    /// The outcome of the case.
    pub outcome: CaseOutcome,
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseOutcome {
    /// All expectations are met.
    Passed,
    /// Some expectations are not met.
    Failed(Vec<ExpectationFailure>),
    /// The case could not run because of this error.
    Error(FileError),
    /// The evaluation stopped early.
    Stopped(Stop),
}

/// An expectation that is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectationFailure {
    /// The expectation, with its position in the test file.
    pub expectation: Expectation,
    /// The kind of failure.
    pub failure: FailureKind,
}

/// The kind of a failed expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailureKind {
    /// No fact matches. Lists the failing premise of each rule.
    Missing(Vec<Miss>),
    /// The number of forbidden facts, and the proofs of the first of them.
    Surplus(usize, Vec<Proof>),
}

/// Runs the selected cases of `file`, a file of `program`. `wanted` selects cases by name.
///
/// Cases that contain one of `errors` are not run. An error before the first case prevents all
/// cases from running.
#[must_use]
pub fn run(
    program: &Program,
    file: FileId,
    tests: &TestFile,
    errors: &[FileError],
    settings: TestSettings,
    wanted: &(dyn Fn(&str) -> bool + Sync),
    cancel: &Cancel,
) -> Suite {
    let prepared = PreparedProgram::new(program, file, tests, settings.reading);
    let (program, compiled) = (&prepared.program, &prepared.compiled);
    let of_cases: FxHashSet<u32> = tests.cases.iter().flat_map(|case| case.facts.iter().copied()).collect();
    let is_of_case = |rule: RuleId| {
        let rule = compiled.rule(rule);
        rule.is_some_and(|rule| rule.file == file && of_cases.contains(&rule.item))
    };
    let without = compiled.facts().iter().map(|fact| fact.rule).filter(|rule| is_of_case(*rule)).collect();
    let mut base = Kernel::without(Arc::clone(compiled), without);
    base.evaluate(settings.limits, settings.clock, cancel);
    let runner = Runner { program, file, tests, errors, settings, strangers: &prepared.strangers, cancel };
    let chosen = tests.cases.iter().filter(|case| wanted(&case.name));
    let forks: Vec<(&Case, Kernel)> = chosen.map(|case| (case, base.fork())).collect();
    let judged: Vec<(CaseResult, Coverage)> =
        forks.into_par_iter().map(|(case, kernel)| runner.case(case, kernel)).collect();
    let mut coverage = Coverage::default();
    let cases = judged.into_iter().map(|(case, fired)| {
        coverage.add(fired);
        case
    });
    Suite { file, cases: cases.collect(), compiled: Arc::clone(compiled), coverage }
}

/// The selected cases of `file`, all not run because of `why`, for a program that does not load.
#[must_use]
pub fn not_run(
    program: &Program,
    file: FileId,
    tests: &TestFile,
    reading: Reading,
    why: &str,
    wanted: &dyn Fn(&str) -> bool,
) -> Suite {
    let result = |case: &Case| CaseResult {
        name: case.name.clone(),
        header: case.header,
        outcome: CaseOutcome::Error(FileError { range: case.header, message: why.to_owned() }),
    };
    let cases = tests.cases.iter().filter(|case| wanted(&case.name)).map(result).collect();
    let compiled = PreparedProgram::new(program, file, tests, reading).compiled;
    Suite { file, compiled, cases, coverage: Coverage::default() }
}

/// A program whose cases contain only facts.
struct PreparedProgram {
    program: Program,
    compiled: Arc<CompiledProgram>,
    /// Statements that were removed from cases because they would apply to all cases: indices into
    /// the items of the file.
    strangers: FxHashSet<u32>,
}

impl PreparedProgram {
    fn new(program: &Program, file: FileId, tests: &TestFile, reading: Reading) -> Self {
        let mut strangers: FxHashSet<u32> =
            tests.cases.iter().flat_map(|case| case.invalid_statements.iter().copied()).collect();
        let mut prepared = Self::without(program, file, strangers.clone(), reading);
        // The kernel treats a fact with a computed value as a rule.
        let given: FxHashSet<RuleId> = prepared.compiled.facts().iter().map(|fact| fact.rule).collect();
        let facts: FxHashSet<u32> = tests.cases.iter().flat_map(|case| case.facts.iter().copied()).collect();
        let rules = (0u32..).map(RuleId).zip(prepared.compiled.rules.iter());
        let computed = rules
            .filter(|(id, rule)| rule.file == file && facts.contains(&rule.item) && !given.contains(id))
            .map(|(_, rule)| rule.item);
        let before = strangers.len();
        strangers.extend(computed);
        if strangers.len() > before {
            prepared = Self::without(program, file, strangers, reading);
        }
        prepared
    }

    fn without(program: &Program, file: FileId, strangers: FxHashSet<u32>, reading: Reading) -> Self {
        let program = without_statements(program, file, &strangers);
        let compiled = compile(&program, reading);
        Self { program, compiled, strangers }
    }
}

/// Removes the statements in cases of a test file from a program. The shared statements remain.
#[must_use]
pub fn without_cases(program: &Program, file: FileId) -> Program {
    let tests = program.file(file).map(|file| TestFile::read(file)).unwrap_or_default();
    let of_case =
        |case: &Case| [&case.facts, &case.invalid_statements, &case.damaged].map(Clone::clone).concat();
    without_statements(program, file, &tests.cases.iter().flat_map(of_case).collect())
}

/// Removes these statements of a file, given by index, from a program. The indices of other
/// statements stay the same.
#[must_use]
pub fn without_statements(program: &Program, file: FileId, gone: &FxHashSet<u32>) -> Program {
    let files = program.files.iter().map(|summary| {
        if summary.id != file || gone.is_empty() {
            return Arc::clone(summary);
        }
        let items = (0u32..)
            .zip(summary.items.iter())
            .map(|(index, item)| if gone.contains(&index) { emptied(item) } else { item.clone() });
        Arc::new(summary.with_items(&items.collect()))
    });
    Program::embedded(files.collect(), Arc::clone(&program.embedding))
}

/// An empty statement that takes the place of `item`.
fn emptied(item: &Item) -> Item {
    let Statement { id, len, digest, left_out, .. } = *item.statement;
    let (kind, findings) = (StatementKind::Broken, Vec::new());
    Item {
        statement: Arc::new(Statement { id, len, kind, damaged: true, findings, left_out, digest }),
        ..item.clone()
    }
}

struct Runner<'r> {
    program: &'r Program,
    file: FileId,
    tests: &'r TestFile,
    errors: &'r [FileError],
    settings: TestSettings,
    /// Clauses in cases that are not facts.
    strangers: &'r FxHashSet<u32>,
    cancel: &'r Cancel,
}

impl Runner<'_> {
    fn case(&self, case: &Case, mut kernel: Kernel) -> (CaseResult, Coverage) {
        let mut coverage = Coverage::default();
        let outcome = match self.obstacle(case) {
            Some(why) => CaseOutcome::Error(why),
            None => self.evaluated(case, &mut kernel, &mut coverage),
        };
        (CaseResult { name: case.name.clone(), header: case.header, outcome }, coverage)
    }

    /// The error that prevents a case from running.
    fn obstacle(&self, case: &Case) -> Option<FileError> {
        let at = |item: u32, message: &str| FileError {
            range: self.statement(item).unwrap_or(case.header),
            message: message.to_owned(),
        };
        if let Some(item) = self.tests.damaged.first() {
            return Some(at(*item, "a statement before the first case cannot be parsed"));
        }
        if let Some(item) = case.damaged.first() {
            return Some(at(*item, "a statement of the case cannot be parsed"));
        }
        let is_stranger = |item: &&u32| self.strangers.contains(item);
        if let Some(item) = case.invalid_statements.iter().chain(&case.facts).find(is_stranger) {
            return Some(at(
                *item,
                "the case contains something other than facts, or a fact that reads the clock",
            ));
        }
        let is_idle = || case.expectations.is_empty();
        self.unknown(case).or_else(|| self.error(case)).or_else(|| {
            let message = "the case has no expectation".to_owned();
            is_idle().then_some(FileError { range: case.header, message })
        })
    }

    /// The range of a statement in the file.
    fn statement(&self, item: u32) -> Option<TextRange> {
        let item = self.program.file(self.file)?.items.get(item as usize)?;
        Some(item.statement.range() + item.start)
    }

    /// An error for an invalid expectation, or for an unknown predicate.
    fn unknown(&self, case: &Case) -> Option<FileError> {
        let file = self.program.file(self.file)?;
        let outside = ProgramPredicates::new(self.tests, file, self.program);
        let is_wrong = |expectation: &&Expectation| {
            expectation.predicate.is_none_or(|predicate| !outside.knows(predicate))
        };
        let wrong = case.expectations.iter().find(is_wrong)?;
        let (key, text) = (wrong.key.as_str(), &wrong.text);
        let message = match wrong.predicate {
            None => format!("`@{key} {text}` cannot be parsed"),
            Some(predicate) => format!("unknown predicate `{predicate}`"),
        };
        Some(FileError { range: wrong.range, message })
    }

    /// An error that applies to the case, or to all cases of the file.
    fn error(&self, case: &Case) -> Option<FileError> {
        let of_case = |error: &&FileError| {
            let at = self.tests.case_at(error.range.start());
            at.is_none_or(|at| at.header == case.header)
        };
        let error = self.errors.iter().find(of_case)?;
        let is_before = self.tests.case_at(error.range.start()).is_none();
        let message = match is_before {
            true => format!("before the first case: {}", error.message),
            false => error.message.clone(),
        };
        // The message has its own line.
        Some(FileError { range: case.header, message })
    }

    fn evaluated(&self, case: &Case, kernel: &mut Kernel, coverage: &mut Coverage) -> CaseOutcome {
        let compiled = Arc::clone(kernel.compiled());
        let own: FxHashSet<u32> = case.facts.iter().copied().collect();
        let is_own = |rule: RuleId| {
            let rule = compiled.rule(rule);
            rule.is_some_and(|rule| rule.file == self.file && own.contains(&rule.item))
        };
        compiled.facts().iter().filter(|fact| is_own(fact.rule)).for_each(|fact| kernel.assert(fact));
        kernel.evaluate(self.settings.limits, self.settings.clock, self.cancel);
        if self.settings.coverage {
            coverage.take(self.program, kernel, self.settings.clock);
        }
        if let Some(stop) = &kernel.model().stopped {
            return CaseOutcome::Stopped(stop.clone());
        }
        let mut failures = Vec::new();
        for expectation in &case.expectations {
            match self.failure(case, expectation, kernel, &compiled) {
                Ok(unmet) => {
                    let failure =
                        |unmet| ExpectationFailure { expectation: expectation.clone(), failure: unmet };
                    failures.extend(unmet.map(failure));
                }
                Err(message) => return CaseOutcome::Error(FileError { range: expectation.range, message }),
            }
        }
        if failures.is_empty() { CaseOutcome::Passed } else { CaseOutcome::Failed(failures) }
    }

    /// Evaluates an expectation. Returns the failure if it is not met.
    fn failure(
        &self,
        case: &Case,
        expectation: &Expectation,
        kernel: &mut Kernel,
        compiled: &CompiledProgram,
    ) -> Result<Option<FailureKind>, String> {
        let clock = self.settings.clock;
        let (predicate, surplus) = match expectation.key {
            TestKey::Exact => self.unexpected(case, expectation, kernel, compiled)?,
            _ => {
                let query = Query::read(&expectation.text, self.program, kernel.model_mut())?;
                let found = query.answers(kernel.model(), compiled);
                if expectation.key == TestKey::Expect {
                    let missing = found
                        .is_empty()
                        .then(|| kernel.model_mut().why_not(compiled, clock, query.predicate, &query.wanted));
                    return Ok(missing.map(FailureKind::Missing));
                }
                (query.predicate, found)
            }
        };
        let shown = surplus.iter().take(MAX_PROOFS);
        let proofs: Vec<Proof> =
            shown.map(|number| kernel.model_mut().explain(compiled, clock, predicate, *number)).collect();
        Ok((!surplus.is_empty()).then_some(FailureKind::Surplus(surplus.len(), proofs)))
    }

    /// The facts of a predicate that no `@expect` of the case matches.
    fn unexpected(
        &self,
        case: &Case,
        expectation: &Expectation,
        kernel: &mut Kernel,
        compiled: &CompiledProgram,
    ) -> Result<(PredicateId, Vec<u32>), String> {
        let id = expectation.predicate.and_then(|key| self.program.id(key));
        let id = id.ok_or_else(|| format!("unknown predicate `{}`", expectation.text))?;
        let mut named: FxHashSet<u32> = FxHashSet::default();
        let of_it =
            |other: &&Expectation| other.key == TestKey::Expect && other.predicate == expectation.predicate;
        for other in case.expectations.iter().filter(of_it) {
            let query = Query::read(&other.text, self.program, kernel.model_mut())?;
            named.extend(query.answers(kernel.model(), compiled));
        }
        let count = kernel.model().relation(id).map_or(0, |relation| relation.len());
        let all = (0u32..).take(count);
        Ok((id, all.filter(|number| !named.contains(number)).collect()))
    }
}

impl Suite {
    /// The rule of a proof in the program.
    #[must_use]
    pub fn rule(&self, rule: RuleId) -> Option<RuleKey> {
        self.compiled.rule(rule).map(|rule| RuleKey { file: rule.file, item: rule.item })
    }
}
