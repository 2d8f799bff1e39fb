//! Findings about test files: directive comments and the contents of cases.

use rustc_hash::FxHashSet;

use super::case::{Case, Expectation, TestFile};
use super::comments::{Comment, DirectiveLookalike, TestKey};
use super::property::{NO_PREMISES, PropertyError, PropertyText};
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Site, key_of};
use mangle_engine::types::{ClauseTypes, ProgramTypes, TypeProblemKind};
use mangle_syntax::lint::{Anchor, Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{FileId, TextRange, TextSize, nearest, shorten, text_len};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &TEST_UNKNOWN_KEY,
    &TEST_MALFORMED,
    &TEST_UNKNOWN_PREDICATE,
    &TEST_CASE_NOT_FACT,
    &TEST_WITHOUT_EXPECTATION,
    &TEST_UNREAD_FACT,
    &TEST_IMPOSSIBLE_EXPECTATION,
    &TEST_WITHOUT_CASE,
    &TEST_IGNORED_DIRECTIVE,
    &PROPERTY_MALFORMED,
];

/// For example `# @expct p(1)`.
static TEST_UNKNOWN_KEY: Rule = rule!("test-unknown-key.md");

/// For example `# @expect open(`.
static TEST_MALFORMED: Rule = rule!("test-malformed.md");

/// For example `# @forbid opne(/front)`.
static TEST_UNKNOWN_PREDICATE: Rule = rule!("test-unknown-predicate.md");

/// A rule after `# @test`.
static TEST_CASE_NOT_FACT: Rule = rule!("test-case-not-fact.md");

/// `# @test name: …` without an expectation.
static TEST_WITHOUT_EXPECTATION: Rule = rule!("test-without-expectation.md");

/// For example `lockd(/front).` in a case.
static TEST_UNREAD_FACT: Rule = rule!("test-unread-fact.md");

/// For example `# @forbid open("front")` if doors are names.
static TEST_IMPOSSIBLE_EXPECTATION: Rule = rule!("test-impossible-expectation.md");

/// A test file without `# @test`.
static TEST_WITHOUT_CASE: Rule = rule!("test-without-case.md");

/// For example `# expect open(/front)`, or `# @expect …` after a fact.
static TEST_IGNORED_DIRECTIVE: Rule = rule!("test-ignored-directive.md");

/// For example `# @never p(X) then q(X)`.
static PROPERTY_MALFORMED: Rule = rule!("property-malformed.md");

impl TestFile {
    /// The errors in the comments and cases of `file`. Ranges are relative to the start of the
    /// file.
    #[must_use]
    pub fn findings(&self, file: &FileSummary, program: &Program, types: &ProgramTypes) -> Vec<Finding> {
        let outside = ProgramPredicates::new(self, file, program);
        let expectations = self.cases.iter().flat_map(|case| &case.expectations);
        let about = expectations.filter_map(|expectation| {
            let key = expectation.predicate?;
            if !outside.knows(key) {
                let range = expectation.name.unwrap_or(expectation.text_range);
                let unknown = unknown_predicate(program, &outside, key, range, expectation.name.is_some());
                return Some(unknown.note(NOT_RUN));
            }
            impossible(expectation, file, program, types)
        });
        let in_properties = PropertyText::read(file).predicates().into_iter();
        let in_properties = in_properties.filter(|(key, _)| !outside.knows(*key));
        let in_properties =
            in_properties.map(|(key, range)| unknown_predicate(program, &outside, key, range, true));
        let in_properties = in_properties.map(|finding| finding.note(NOT_CHECKED));
        let facts = self.cases.iter().flat_map(|case| &case.facts);
        let facts = facts.filter_map(|&index| file.items.get(index as usize));
        let unread = facts.filter_map(|item| unread_fact(item, program, &outside));
        let mut all: Vec<_> =
            self.findings.iter().cloned().chain(about).chain(in_properties).chain(unread).collect();
        all.sort_by_key(|finding| finding.range.start());
        all
    }
}

/// The predicates of a program without the cases of a test file.
pub(super) struct ProgramPredicates<'p> {
    program: &'p Program,
    file: FileId,
    /// The start offsets of facts in cases.
    facts: FxHashSet<TextSize>,
}

impl<'p> ProgramPredicates<'p> {
    pub(super) fn new(tests: &TestFile, file: &FileSummary, program: &'p Program) -> Self {
        let facts = tests.cases.iter().flat_map(|case| &case.facts);
        let facts = facts.filter_map(|&index| file.items.get(index as usize)).map(|item| item.start);
        Self { program, file: file.id, facts: facts.collect() }
    }

    /// True if the predicate is declared, defined, supplied or used outside of the facts of cases.
    pub(super) fn knows(&self, key: PredicateKey) -> bool {
        self.program.id(key).is_some_and(|id| {
            let predicate = self.program.get(id);
            self.makes(predicate) || self.program.uses(predicate).next().is_some()
        })
    }

    /// True if the predicate is declared, defined or supplied outside of the facts of cases.
    fn makes(&self, predicate: &Predicate) -> bool {
        let is_of_case = |site: &Site<'_>| site.file.id == self.file && self.facts.contains(&site.item.start);
        predicate.signature.host
            || predicate.signature.declared.is_some()
            || self.program.clauses(predicate).any(|site| !is_of_case(&site))
    }

    /// The known predicates of a name with another arity.
    fn of_name(&self, key: PredicateKey) -> Vec<PredicateKey> {
        let others = self.program.named(key.name).map(|predicate| predicate.key);
        others.filter(|other| *other != key && self.knows(*other)).collect()
    }
}

/// Reports a fact that no rule or expectation uses, unless its arity already has a finding.
fn unread_fact(item: &Item, program: &Program, outside: &ProgramPredicates<'_>) -> Option<Finding> {
    let head = &item.statement.clause()?.head;
    let key = key_of(head);
    let others = outside.of_name(key);
    let is_reported = || {
        others.iter().filter_map(|other| program.predicate(*other)).any(|predicate| outside.makes(predicate))
    };
    if outside.knows(key) || is_reported() {
        return None;
    }
    let range = head.name.range + item.start;
    let finding = Finding::new(&TEST_UNREAD_FACT, range, format!("no rule reads `{key}`"))
        .label("this fact changes nothing")
        .note(NOT_RUN);
    if others.is_empty() {
        return Some(suggest(finding, key.name.as_str(), names(program, outside), |near| near.to_owned()));
    }
    Some(with_others(finding, &others))
}

/// The names of the known predicates.
fn names<'p>(
    program: &'p Program,
    outside: &ProgramPredicates<'_>,
) -> impl Iterator<Item = &'static str> + use<'p> {
    let known = program.predicates.iter().map(|predicate| predicate.key).filter(|key| outside.knows(*key));
    known.map(|key| key.name.as_str()).collect::<Vec<_>>().into_iter()
}

/// Adds the predicates of the same name.
fn with_others(finding: Finding, others: &[PredicateKey]) -> Finding {
    let others: Vec<_> = others.iter().map(|key| format!("`{key}`")).collect();
    finding.help(format!("did you mean {}?", others.join(" or ")))
}

/// Reports an expectation that the types of its values make impossible.
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
    let inferred = ClauseTypes::infer(clause, |atom| types.relation(program, file, atom));
    let problem = inferred.problems.iter().find(|problem| !problem.differs_only_in_names)?;
    let TypeProblemKind::Premise { argument, .. } = problem.kind else { return None };
    let message = format!(
        "argument {} of `{}` is `{}`, never `{}`",
        argument + 1,
        expectation.predicate?,
        problem.wanted,
        problem.found
    );
    let finding = Finding::new(&TEST_IMPOSSIBLE_EXPECTATION, expectation.text_range, message);
    Some(finding.label("no fact can match this").note(NOT_RUN))
}

/// Reports a test file without cases.
pub(super) fn without_case(file: &FileSummary) -> Finding {
    let line = file.text.lines().next().unwrap_or_default();
    Finding::new(&TEST_WITHOUT_CASE, TextRange::up_to(text_len(line)), "test file has no case")
        .note("`mangle-ls test` runs nothing in it and ends with an error")
        .help("begin a case with `# @test name: …`")
}

/// Reports an invalid property or restriction.
pub(super) fn property_error(error: &PropertyError) -> Finding {
    let finding = Finding::new(&PROPERTY_MALFORMED, error.range, error.message.clone()).note(NOT_CHECKED);
    match error.message.ends_with(NO_PREMISES) {
        true => finding.help("write premises as in a rule, for example `open(X), !locked(X)`"),
        false => finding,
    }
}

/// Reports a comment that resembles a directive.
pub(super) fn ignored_directive(ignored: &DirectiveLookalike) -> Finding {
    let key = ignored.key.as_str();
    let message = match ignored.missing_at {
        Some(_) => format!("comment resembles `@{key}` but has no `@`"),
        None => format!("`@{key}` is on the line of a statement"),
    };
    let finding = Finding::new(&TEST_IGNORED_DIRECTIVE, ignored.range, message)
        .label("an ordinary comment")
        .note(NOT_RUN);
    match ignored.missing_at {
        Some(_) if !ignored.is_complete => finding.help("write `# @test name: …`"),
        Some(at) => {
            let before = TextRange::new(ignored.range.start(), at);
            finding.fix(Fix::guess(format!("write `@{key}`")).replace(before, "# @"))
        }
        None => finding.help("move it to a line of its own"),
    }
}

pub(super) fn unknown_key(comment: &Comment<'_>) -> Finding {
    let keys = TestKey::ALL.map(|key| format!("`@{}`", key.as_str())).join(", ");
    let message = format!("unknown test directive `@{}`", shorten(comment.key, 32));
    let finding = Finding::new(&TEST_UNKNOWN_KEY, comment.key_range, message)
        .note(format!("the directives are {keys}"))
        .note(NOT_RUN);
    suggest(finding, comment.key, TestKey::ALL.map(TestKey::as_str).into_iter(), |near| near.to_owned())
}

/// Reports a missing or repeated case name.
pub(super) fn case_name(comment: &Comment<'_>, repeated: bool) -> Finding {
    if repeated {
        return Finding::new(&TEST_MALFORMED, comment.range, "second case with this name")
            .note("`--filter` and reports cannot distinguish the two cases")
            .help("choose another name");
    }
    Finding::new(&TEST_MALFORMED, comment.range, "test case has no name")
        .note(NOT_RUN)
        .help("write `# @test name: …`")
}

pub(super) fn malformed(key: TestKey, comment: &Comment<'_>) -> Finding {
    let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
    let (word, value) = (key.as_str(), comment.value);
    let (message, help) = match key {
        TestKey::Exact => (
            "`@exact` requires a predicate with its arity".to_owned(),
            "write it as `open/1`, and list its facts with `@expect`".to_owned(),
        ),
        _ if without_not(value).is_some() => {
            let other = if key == TestKey::Forbid { TestKey::Expect } else { TestKey::Forbid };
            let atom = shorten(without_not(value).unwrap_or_default(), 60);
            (
                format!("`@{word}` requires an atom, found `not`"),
                format!("write `# @{} {atom}`", other.as_str()),
            )
        }
        _ if value.starts_with('!') => (
            format!("`@{word}` requires an atom, found a negation"),
            "write `@forbid` for a fact that must not be derived".to_owned(),
        ),
        _ if value.contains(")@[") => {
            (format!("`@{word}` requires an atom without an interval"), "delete the interval".to_owned())
        }
        _ => (
            format!("`@{word}` requires one atom"),
            "write an atom, as in `open(/front)` or `open(_)`".to_owned(),
        ),
    };
    Finding::new(&TEST_MALFORMED, range, message).note(NOT_RUN).help(help)
}

/// The text after the word `not`.
fn without_not(value: &str) -> Option<&str> {
    let rest = value.strip_prefix("not")?;
    rest.starts_with([' ', '\t', '(']).then(|| rest.trim())
}

/// Reports an expectation before the first case.
pub(super) fn homeless(comment: &Comment<'_>) -> Finding {
    let message = format!("`@{}` before the first test case", comment.key);
    Finding::new(&TEST_MALFORMED, comment.range, message)
        .note("it belongs to no case and is not checked")
        .help("begin a case with `# @test name: …` above it")
}

pub(super) fn about_case(case: &Case, file: &FileSummary) -> Vec<Finding> {
    let strangers = case.invalid_statements.iter().filter_map(|&index| file.items.get(index as usize));
    let mut findings: Vec<_> = strangers
        .map(|item| {
            let clause = item.statement.clause();
            let range = clause.map_or(item.statement.range(), |clause| clause.head.range) + item.start;
            let what = if clause.is_some() { "rule" } else { "statement" };
            let message = format!("{what} in the test case `{}`", shorten(&case.name, 32));
            Finding::new(&TEST_CASE_NOT_FACT, range, message)
                .related(Span { anchor: Anchor::File, range: case.header }, "the case begins here")
                .note("it would apply to all cases of the file, so the case is not run")
                .help("move it before the first `@test`")
        })
        .collect();
    if case.expectations.is_empty() {
        let message = format!("test case `{}` has no expectation", shorten(&case.name, 32));
        let finding = Finding::new(&TEST_WITHOUT_EXPECTATION, case.header, message)
            .note(NOT_RUN)
            .help("add `# @expect`, `# @forbid` or `# @exact`");
        findings.push(finding);
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
    let finding = Finding::new(&TEST_UNKNOWN_PREDICATE, range, format!("unknown predicate `{key}`"))
        .label("no fact of it is ever derived");
    if !others.is_empty() {
        return with_others(finding, &others);
    }
    suggest(finding, key.name.as_str(), names(program, outside), |near| {
        if is_atom { near.to_owned() } else { format!("{near}/{}", key.arity) }
    })
}

/// The effect of an invalid property on `mangle-ls verify`.
const NOT_CHECKED: &str = "`mangle-ls verify` does not check this property";

/// The effect of an invalid case on `mangle-ls test`.
const NOT_RUN: &str = "`mangle-ls test` does not run this case";

/// Adds the word that was probably intended, as help and as a fix.
fn suggest<'w>(
    finding: Finding,
    word: &str,
    known: impl Iterator<Item = &'w str>,
    written: impl Fn(&str) -> String,
) -> Finding {
    let Some(near) = nearest(word, known) else { return finding };
    let (near, range) = (written(near), finding.range);
    finding
        .help(format!("did you mean `{near}`?"))
        .fix(Fix::guess(format!("write `{near}`")).replace(range, near))
}
