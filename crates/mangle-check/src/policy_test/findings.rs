//! What is wrong with the comments of a test file, and with what stands in its cases.

use rustc_hash::FxHashSet;

use super::case::{Case, Expectation, TestFile};
use super::comments::{Comment, DirectiveLookalike};
use super::key::TestKey;
use super::rules::{
    TEST_CASE_NOT_FACT, TEST_IGNORED_DIRECTIVE, TEST_IMPOSSIBLE_EXPECTATION, TEST_MALFORMED,
    TEST_UNKNOWN_KEY, TEST_UNKNOWN_PREDICATE, TEST_UNREAD_FACT, TEST_WITHOUT_CASE, TEST_WITHOUT_EXPECTATION,
};
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Site, key_of};
use mangle_engine::types::{ClauseTypes, ProgramTypes, TypeProblemKind};
use mangle_syntax::lint::{Finding, Fix};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, TextRange, TextSize, nearest, text_len};

impl TestFile {
    /// What is wrong with the comments and the cases of `file`. Ranges count from the start of the file.
    #[must_use]
    pub fn findings(&self, file: &FileSummary, program: &Program, types: &ProgramTypes) -> Vec<Finding> {
        let outside = ProgramPredicates::new(self, file, program);
        let expectations = self.cases.iter().flat_map(|case| &case.expectations);
        let about = expectations.filter_map(|expectation| {
            let key = expectation.predicate?;
            if !outside.knows(key) {
                let range = expectation.name.unwrap_or(expectation.text_range);
                return Some(unknown_predicate(program, &outside, key, range, expectation.name.is_some()));
            }
            impossible(expectation, file, program, types)
        });
        let facts = self.cases.iter().flat_map(|case| &case.facts);
        let facts = facts.filter_map(|&index| file.items.get(index as usize));
        let unread = facts.filter_map(|item| unread_fact(item, program, &outside));
        let mut all: Vec<_> = self.findings.iter().cloned().chain(about).chain(unread).collect();
        all.sort_by_key(|finding| finding.range.start());
        all
    }
}

/// What a program says of its predicates outside of the cases of a test file.
pub(super) struct ProgramPredicates<'p> {
    program: &'p Program,
    file: FileId,
    /// Where the facts of cases start.
    facts: FxHashSet<TextSize>,
}

impl<'p> ProgramPredicates<'p> {
    pub(super) fn new(tests: &TestFile, file: &FileSummary, program: &'p Program) -> Self {
        let facts = tests.cases.iter().flat_map(|case| &case.facts);
        let facts = facts.filter_map(|&index| file.items.get(index as usize)).map(|item| item.start);
        Self { program, file: file.id, facts: facts.collect() }
    }

    /// Whether anything but the facts of cases declares, defines, supplies or queries a predicate.
    pub(super) fn knows(&self, key: PredicateKey) -> bool {
        self.program.id(key).is_some_and(|id| {
            let predicate = self.program.get(id);
            self.makes(predicate) || self.program.uses(predicate).next().is_some()
        })
    }

    /// Whether anything but the facts of cases declares, defines or supplies a predicate.
    fn makes(&self, predicate: &Predicate) -> bool {
        let is_of_case = |site: &Site<'_>| site.file.id == self.file && self.facts.contains(&site.item.start);
        predicate.signature.host
            || predicate.signature.declared.is_some()
            || self.program.clauses(predicate).any(|site| !is_of_case(&site))
    }

    /// The other predicates of a name that are known.
    fn of_name(&self, key: PredicateKey) -> Vec<PredicateKey> {
        let others = self.program.named(key.name).map(|predicate| predicate.key);
        others.filter(|other| *other != key && self.knows(*other)).collect()
    }
}

/// A fact that nothing reads, unless the number of its arguments is reported as wrong.
fn unread_fact(item: &Item, program: &Program, outside: &ProgramPredicates<'_>) -> Option<Finding> {
    let head = &item.statement.clause()?.head;
    let key = key_of(head);
    let others = outside.of_name(key);
    let is_reported =
        || others.iter().filter_map(|other| program.predicate(*other)).any(|it| outside.makes(it));
    if outside.knows(key) || is_reported() {
        return None;
    }
    let range = head.name.range + item.start;
    let message = format!("Nothing reads `{key}`, so this fact changes nothing, and its case cannot be run.");
    let finding = Finding::new(&TEST_UNREAD_FACT, range, message);
    if others.is_empty() {
        return Some(suggest(finding, key.name.as_str(), names(program, outside), |near| near.to_owned()));
    }
    Some(with_others(finding, &others))
}

/// The names of the predicates that are known.
fn names<'p>(
    program: &'p Program,
    outside: &ProgramPredicates<'_>,
) -> impl Iterator<Item = &'static str> + use<'p> {
    let known = program.predicates.iter().map(|predicate| predicate.key).filter(|key| outside.knows(*key));
    known.map(|key| key.name.as_str()).collect::<Vec<_>>().into_iter()
}

fn with_others(mut finding: Finding, others: &[PredicateKey]) -> Finding {
    let others: Vec<_> = others.iter().map(|key| format!("`{key}`")).collect();
    finding.message.push_str(&format!(" There is {}.", others.join(", ")));
    finding
}

/// An expectation whose values its types rule out.
fn impossible(
    expectation: &Expectation,
    file: &FileSummary,
    program: &Program,
    types: &ProgramTypes,
) -> Option<Finding> {
    let atom = expectation.text.trim_end_matches('.');
    let source = SourceFile::parse(format!("expectation() :- {atom}.").as_str().into());
    let item = source.items().first().filter(|item| !item.statement.damaged && expectation.name.is_some())?;
    let clause = item.statement.clause()?;
    let inferred = ClauseTypes::of(clause, |atom| types.relation(program, file, atom));
    let problem = inferred.problems.iter().find(|problem| !problem.names)?;
    let TypeProblemKind::Premise { argument, .. } = problem.kind else { return None };
    let message = format!(
        "Argument {} of `{}` is `{}`, never `{}`: this holds for no fact, and its case cannot be run.",
        argument + 1,
        expectation.predicate?,
        problem.wanted,
        problem.found
    );
    Some(Finding::new(&TEST_IMPOSSIBLE_EXPECTATION, expectation.text_range, message))
}

/// A test file in which nothing is run.
pub(super) fn without_case(file: &FileSummary) -> Finding {
    let line = file.text.lines().next().unwrap_or_default();
    let message = "This test file has no case, so nothing is run. A case begins with `# @test name: …`.";
    Finding::new(&TEST_WITHOUT_CASE, TextRange::up_to(text_len(line)), message)
}

/// A comment that reads like a directive.
pub(super) fn ignored_directive(ignored: &DirectiveLookalike) -> Finding {
    let key = ignored.key.as_str();
    let message = match ignored.missing_at {
        Some(_) => format!("This comment reads like `@{key}`, but has no `@`: it is ignored."),
        None => format!("`@{key}` is ignored behind a statement: it needs a line of its own."),
    };
    let finding = Finding::new(&TEST_IGNORED_DIRECTIVE, ignored.range, message);
    match ignored.missing_at {
        Some(at) => {
            let before = TextRange::new(ignored.range.start(), at);
            finding.fix(Fix::guess(format!("Write `@{key}`")).replace(before, "# @"))
        }
        None => finding,
    }
}

pub(super) fn unknown_key(comment: &Comment<'_>) -> Finding {
    let keys = TestKey::ALL.map(|key| format!("`@{}`", key.as_str())).join(", ");
    let message =
        format!("There is no `@{}` in tests, so its case cannot be run; there are {keys}.", comment.key);
    let finding = Finding::new(&TEST_UNKNOWN_KEY, comment.key_range, message);
    suggest(finding, comment.key, TestKey::ALL.map(TestKey::as_str).into_iter(), |near| near.to_owned())
}

/// The name of a case is missing or that of another one.
pub(super) fn case_name(comment: &Comment<'_>, repeated: bool) -> Finding {
    let message = if repeated {
        "Another case of this file has this name; `--filter` and reports could not tell them apart."
    } else {
        "A case is opened with its name: `# @test name: a dangerous action is denied`."
    };
    Finding::new(&TEST_MALFORMED, comment.range, message)
}

pub(super) fn malformed(key: TestKey, comment: &Comment<'_>) -> Finding {
    let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
    let (word, value) = (key.as_str(), comment.value);
    let message = match key {
        TestKey::Exact => {
            "`@exact` names a predicate with its number of arguments, as `open/1`; the facts are listed with \
                       `@expect`."
                .to_owned()
        }
        _ if value.starts_with('!') => {
            format!("`@{word}` names a fact without `!`: write `@forbid` for what must not hold.")
        }
        _ if value.contains(")@[") => {
            format!("`@{word}` cannot ask for an interval; name the fact without it.")
        }
        _ => format!("`@{word}` names one atom, as `open(/front)` or `open(_)`; this cannot be read as one."),
    };
    Finding::new(&TEST_MALFORMED, range, message)
}

/// An expectation before the first case.
pub(super) fn homeless(comment: &Comment<'_>) -> Finding {
    let message = format!(
        "`@{}` belongs to a case, and none is open here. Write `# @test name: …` above it.",
        comment.key
    );
    Finding::new(&TEST_MALFORMED, comment.range, message)
}

pub(super) fn about_case(case: &Case, file: &FileSummary) -> Vec<Finding> {
    let strangers = case.strangers.iter().filter_map(|&index| file.items.get(index as usize));
    let mut findings: Vec<_> = strangers
        .map(|item| {
            let clause = item.statement.clause();
            let range = clause.map_or(item.statement.range(), |clause| clause.head.range) + item.start;
            let what = if clause.is_some() { "rule" } else { "statement" };
            let message = format!(
                "This {what} stands in the case `{}`, whose clauses are its facts. It would hold in all cases: move it \
                 before the first `@test`.",
                case.name
            );
            Finding::new(&TEST_CASE_NOT_FACT, range, message)
        })
        .collect();
    if case.expectations.is_empty() {
        let message = format!(
            "The case `{}` expects nothing, so it cannot be run. Add `# @expect`, `# @forbid` or `# @exact`.",
            case.name
        );
        findings.push(Finding::new(&TEST_WITHOUT_EXPECTATION, case.header, message));
    }
    findings
}

fn unknown_predicate(
    program: &Program,
    outside: &ProgramPredicates<'_>,
    key: PredicateKey,
    range: TextRange,
    is_atom: bool,
) -> Finding {
    let others = outside.of_name(key);
    if !others.is_empty() {
        let message = format!("There is no predicate `{key}`.");
        return with_others(Finding::new(&TEST_UNKNOWN_PREDICATE, range, message), &others);
    }
    let message = format!("There is no predicate `{key}`, so no fact of it can ever follow.");
    let finding = Finding::new(&TEST_UNKNOWN_PREDICATE, range, message);
    suggest(finding, key.name.as_str(), names(program, outside), |near| {
        if is_atom { near.to_owned() } else { format!("{near}/{}", key.arity) }
    })
}

/// Adds the word that was probably meant, to the message and as a fix.
fn suggest<'w>(
    mut finding: Finding,
    word: &str,
    known: impl Iterator<Item = &'w str>,
    written: impl Fn(&str) -> String,
) -> Finding {
    let Some(near) = nearest(word, known) else { return finding };
    let (near, range) = (written(near), finding.range);
    finding.message.push_str(&format!(" Did you mean `{near}`?"));
    finding.fix(Fix::guess(format!("Write `{near}`")).replace(range, near))
}
