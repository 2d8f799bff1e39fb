//! What is wrong with the comments of a test file, and with what stands in its cases.

use super::comments::Comment;
use super::read::{Case, Key, TestFile};
use super::rules::{
    TEST_CASE_NOT_FACT, TEST_MALFORMED, TEST_UNKNOWN_KEY, TEST_UNKNOWN_PREDICATE, TEST_WITHOUT_EXPECTATION,
};
use crate::lint::{Finding, Fix};
use crate::program::{FileSummary, Predicate, PredicateKey, Program};
use crate::text::{TextRange, nearest};

impl TestFile {
    /// What is wrong with the comments and the cases. Ranges count from the start of the file.
    #[must_use]
    pub fn findings(&self, program: &Program) -> Vec<Finding> {
        let expectations = self.cases.iter().flat_map(|case| &case.expectations);
        let unknown = expectations.filter_map(|expectation| {
            let key = expectation.predicate.filter(|key| !exists(program, *key))?;
            let is_atom = expectation.name.is_some();
            let range = expectation.name.unwrap_or(expectation.text_range);
            Some(unknown_predicate(program, key, range, is_atom))
        });
        let mut all: Vec<_> = self.findings.iter().cloned().chain(unknown).collect();
        all.sort_by_key(|finding| finding.range.start());
        all
    }
}

/// Whether somebody declares, defines or supplies a predicate. A mere use is a mistake of its own.
pub(super) fn exists(program: &Program, key: PredicateKey) -> bool {
    program.id(key).is_some_and(|id| program.get(id).exists())
}

pub(super) fn unknown_key(comment: &Comment<'_>) -> Finding {
    let keys = Key::ALL.map(|key| format!("`@{}`", key.as_str())).join(", ");
    let message =
        format!("There is no `@{}` in tests, so this comment is ignored; there are {keys}.", comment.key);
    let finding = Finding::new(&TEST_UNKNOWN_KEY, comment.key_range, message);
    suggest(finding, comment.key, Key::ALL.map(Key::as_str).into_iter(), |near| near.to_owned())
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

pub(super) fn malformed(key: Key, comment: &Comment<'_>) -> Finding {
    let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
    let (word, value) = (key.as_str(), comment.value);
    let message = match key {
        Key::Exact => {
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
            "The case `{}` expects nothing, so it passes whatever the policy says. Add `# @expect`, `# @forbid` or \
             `# @exact`.",
            case.name
        );
        findings.push(Finding::new(&TEST_WITHOUT_EXPECTATION, case.header, message));
    }
    findings
}

fn unknown_predicate(program: &Program, key: PredicateKey, range: TextRange, is_atom: bool) -> Finding {
    let arities: Vec<_> = program
        .named(key.name)
        .filter(|predicate| predicate.exists())
        .map(|predicate| format!("`{}`", predicate.key))
        .collect();
    if !arities.is_empty() {
        let message = format!("There is no predicate `{key}`, but {}.", arities.join(", "));
        return Finding::new(&TEST_UNKNOWN_PREDICATE, range, message);
    }
    let message = format!("There is no predicate `{key}`, so no fact of it can ever follow.");
    let finding = Finding::new(&TEST_UNKNOWN_PREDICATE, range, message);
    let existing = program.predicates.iter().filter(|predicate: &&Predicate| predicate.exists());
    let names = existing.map(|predicate| predicate.key.name.as_str());
    suggest(finding, key.name.as_str(), names, |near| {
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
