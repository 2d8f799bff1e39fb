//! All rules of the tool in one list.

use std::sync::LazyLock;

use crate::analysis;
use crate::config;
use crate::envelope;
use crate::lint::Rule;
use crate::policy_test;
use crate::prompt;
use crate::replay;
use crate::syntax;
use crate::text::nearest;
use crate::transcript;

use super::{evaluation, suppression};

/// Every rule, in the order of the codes.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
        let families = analysis::FAMILIES.iter().flat_map(|family| family.rules);
        let of_programs =
            syntax::rules::RULES.iter().chain(families).chain(evaluation::RULES).chain(policy_test::RULES);
        let of_files = of_programs.chain(config::RULES).chain(suppression::RULES).copied();
        let mut all: Vec<_> =
            of_files.chain(envelope::rules()).chain(transcript::rules()).chain(replay::rules()).collect();
        all.extend(prompt::rules::RULES.iter().copied());
        all.sort_by_key(|rule| rule.code);
        all
    });
    RULES.iter().copied()
}

/// The rule with this code or name.
#[must_use]
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.code == code_or_name || rule.name == code_or_name)
}

/// The name or code that was probably meant by a word that is neither. Of codes only the same one in other
/// letters: those that are alike have nothing else in common.
#[must_use]
pub fn similar(word: &str) -> Option<&'static str> {
    let codes = rules().map(|rule| rule.code).filter(|code| code.eq_ignore_ascii_case(word));
    nearest(word, codes.chain(rules().map(|rule| rule.name)))
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::ide::testing::{Checked, apply_fixes};
    use crate::lint::{FixKind, Severity};

    #[test]
    fn codes_and_names_are_unique() {
        let (mut codes, mut names) = (FxHashSet::default(), FxHashSet::default());
        for rule in rules() {
            assert!(codes.insert(rule.code), "{} twice", rule.code);
            assert!(names.insert(rule.name), "{} twice", rule.name);
        }
    }

    #[test]
    fn bad_examples_have_their_finding_and_nothing_else() {
        let wrong: Vec<_> = rules_of_programs()
            .filter_map(|rule| {
                let found: Vec<_> = Checked::new_with(rule.bad, rule).names().collect();
                let ok = rule.bad.is_empty()
                    || (found.contains(&rule.name)
                        && found
                            .iter()
                            .all(|&name| name == rule.name || !is_grave(name) || is_cause(rule, name)));
                (!ok).then(|| format!("{}: {found:?}", rule.name))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn good_examples_have_no_finding() {
        let wrong: Vec<_> = rules_of_programs()
            .filter_map(|rule| {
                let found: Vec<_> = Checked::new_with(rule.good, rule)
                    .names()
                    .filter(|&name| name == rule.name || is_grave(name))
                    .collect();
                (!found.is_empty()).then(|| format!("{}: {found:?}", rule.name))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn fixes_mend_their_bad_example() {
        let wrong: Vec<_> = rules_of_programs()
            .filter(|rule| rule.fix != FixKind::None)
            .filter_map(|rule| {
                let fixed = apply_fixes(rule.bad, rule);
                let left: Vec<_> = Checked::new_with(&fixed, rule)
                    .names()
                    .filter(|&name| name == rule.name || is_grave(name))
                    .collect();
                (fixed == rule.bad || !left.is_empty())
                    .then(|| format!("{}: {left:?} in\n{fixed}", rule.name))
            })
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// The rules whose examples are programs; those of configuration files are tried in `config`, those of transcripts
    /// in `envelope` and `transcript`.
    fn rules_of_programs() -> impl Iterator<Item = &'static Rule> {
        rules().filter(|rule| !rule.bad.starts_with("#- mangle-ls.toml") && !rule.code.starts_with("PB"))
    }

    /// What a finding cannot be without.
    fn is_cause(rule: &Rule, name: &str) -> bool {
        [
            ("query-error", "kernel-failed"),
            ("kernel-failed", "unbounded-recursion"),
            ("order-sensitive", "template-duplicate"),
        ]
        .contains(&(rule.name, name))
    }

    fn is_grave(name: &str) -> bool {
        find(name).is_some_and(|rule| rule.severity >= Some(Severity::Warning))
    }
}
