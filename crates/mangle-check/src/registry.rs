//! The rules that there are, as silencing comments and settings name them.

use std::sync::LazyLock;

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Finding, Rule};
use mangle_syntax::{syntax, text::nearest};
use rustc_hash::FxHashSet;

use crate::suppression::rules::RULES as SUPPRESSION_RULES;
use crate::{analysis, policy_test};

/// A check of the text of one file, by a library that this one does not know.
pub type FileCheck = fn(&FileSummary) -> Option<Finding>;

/// All rules of a tool, those of the libraries above this one included.
#[derive(Debug)]
pub struct Registry {
    /// In the order of the codes.
    rules: Vec<&'static Rule>,
    /// The codes of those that a check of texts alone does not run.
    dynamic: FxHashSet<&'static str>,
    file_checks: Vec<FileCheck>,
}

impl Registry {
    /// The rules about programs, which this library runs itself.
    #[must_use]
    pub fn of_programs() -> &'static Self {
        static OWN: LazyLock<Registry> = LazyLock::new(|| Registry::with([], [], []));
        &OWN
    }

    /// The rules about programs, `others` that a check of texts finds, and `dynamic` ones, which only an evaluation or a
    /// replay finds. `file_checks` are run on each file of a program.
    #[must_use]
    pub fn with(
        others: impl IntoIterator<Item = &'static Rule>,
        dynamic: impl IntoIterator<Item = &'static Rule>,
        file_checks: impl IntoIterator<Item = FileCheck>,
    ) -> Self {
        let dynamic: Vec<_> = dynamic.into_iter().collect();
        let families = analysis::FAMILIES.iter().flat_map(|family| family.rules);
        let own = syntax::rules::RULES.iter().chain(families).chain(policy_test::RULES);
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

    /// The rule with this code or name.
    #[must_use]
    pub fn find(&self, code_or_name: &str) -> Option<&'static Rule> {
        self.rules().find(|rule| rule.code == code_or_name || rule.name == code_or_name)
    }

    /// The name or code that was probably meant by a word that is neither. Of codes only the same one in other letters:
    /// those that are alike have nothing else in common.
    #[must_use]
    pub fn similar(&self, word: &str) -> Option<&'static str> {
        let codes = self.rules().map(|rule| rule.code).filter(|code| code.eq_ignore_ascii_case(word));
        nearest(word, codes.chain(self.rules().map(|rule| rule.name)))
    }

    /// Whether only an evaluation or a replay can say that a rule finds nothing.
    #[must_use]
    pub fn is_dynamic(&self, rule: &Rule) -> bool {
        self.dynamic.contains(rule.code)
    }

    /// What the checks of single files that were added find in one.
    pub(crate) fn check_file<'r>(&'r self, file: &'r FileSummary) -> impl Iterator<Item = Finding> + 'r {
        self.file_checks.iter().filter_map(move |check| check(file))
    }
}
