#![doc = include_str!("../README.md")]

pub mod analysis;
pub mod declaration_text;
pub mod describe;
pub mod diagnostics;
mod fix_checks;
#[cfg(test)]
mod habits;
pub mod headings;
#[cfg(test)]
mod incremental_tests;
pub mod lines;
pub mod policy_test;
mod program_checks;
pub mod suppression;
#[cfg(test)]
mod syntax_tests;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use analysis::wording::excerpt;

use std::sync::LazyLock;

use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::ProgramTypes;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{EmbeddedKind, FileId, nearest};
use rustc_hash::FxHashSet;

use crate::suppression::rules::RULES as SUPPRESSION_RULES;

/// Access to a program at one revision. Expensive results are computed on demand and cached.
pub trait Analysis {
    /// The joined program.
    fn program(&self) -> &Program;

    /// The inferred types of the program.
    fn types(&self) -> &ProgramTypes;

    /// A parsed file of the program. Offsets are relative to its text, which is a file or a part of
    /// one.
    fn source(&self, file: FileId) -> Option<&SourceFile>;

    /// The kind of text in a file.
    fn kind(&self, _file: FileId) -> EmbeddedKind {
        EmbeddedKind::File
    }
}

/// A check of a single file, supplied by another library.
pub type FileCheck = fn(&FileSummary) -> Option<Finding>;

/// All rules of a tool, including the rules of dependent libraries.
#[derive(Debug)]
pub struct Registry {
    /// The rules, in the order of their codes.
    rules: Vec<&'static Rule>,
    /// The codes of rules that require an evaluation or a replay.
    dynamic: FxHashSet<&'static str>,
    file_checks: Vec<FileCheck>,
}

impl Registry {
    /// The rules about programs, which this library runs.
    #[must_use]
    pub fn of_programs() -> &'static Self {
        static OWN: LazyLock<Registry> = LazyLock::new(|| Registry::with([], [], []));
        &OWN
    }

    /// Creates a registry with the rules about programs and additional rules. `others` are rules of
    /// static checks, and `dynamic` rules require an evaluation or a replay. `file_checks` run on
    /// each file of a program.
    #[must_use]
    pub fn with(
        others: impl IntoIterator<Item = &'static Rule>,
        dynamic: impl IntoIterator<Item = &'static Rule>,
        file_checks: impl IntoIterator<Item = FileCheck>,
    ) -> Self {
        let dynamic: Vec<_> = dynamic.into_iter().collect();
        let families = analysis::FAMILIES.iter().flat_map(|family| family.rules);
        let own = mangle_syntax::syntax::rules::RULES.iter().chain(families).chain(policy_test::RULES);
        let own = own.chain(SUPPRESSION_RULES).copied();
        let mut rules: Vec<_> = own.chain(others).chain(dynamic.iter().copied()).collect();
        rules.sort_by_key(|rule| rule.code);
        let dynamic = dynamic.into_iter().map(|rule| rule.code).collect();
        Self { rules, dynamic, file_checks: file_checks.into_iter().collect() }
    }

    /// Every rule, in the order of the codes.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.rules.iter().copied()
    }

    /// Finds a rule by code or name.
    #[must_use]
    pub fn find(&self, code_or_name: &str) -> Option<&'static Rule> {
        self.rules().find(|rule| rule.code == code_or_name || rule.name == code_or_name)
    }

    /// The rule name or code that resembles a misspelled word. Codes only match if they differ in
    /// letter case, because similar codes are unrelated.
    #[must_use]
    pub fn similar(&self, word: &str) -> Option<&'static str> {
        let codes = self.rules().map(|rule| rule.code).filter(|code| code.eq_ignore_ascii_case(word));
        nearest(word, codes.chain(self.rules().map(|rule| rule.name)))
    }

    /// True if the rule requires an evaluation or a replay.
    #[must_use]
    pub fn is_dynamic(&self, rule: &Rule) -> bool {
        self.dynamic.contains(rule.code)
    }

    /// The findings of the additional file checks.
    pub(crate) fn check_file<'r>(&'r self, file: &'r FileSummary) -> impl Iterator<Item = Finding> + 'r {
        self.file_checks.iter().filter_map(move |check| check(file))
    }
}
