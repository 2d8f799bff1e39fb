//! All rules of the tool in one list.

use std::sync::LazyLock;

use mangle_check::Registry;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Finding, Rule};

use super::evaluation;

/// All rules of the tool, with the checks of single files that libraries above `mangle-check` have.
#[must_use]
pub fn all() -> &'static Registry {
    static ALL: LazyLock<Registry> = LazyLock::new(|| {
        let of_texts = mangle_settings::RULES.iter().copied();
        let of_replies = piggyback::envelope::rules().chain(piggyback::transcript::rules());
        let of_runs = evaluation::RULES.iter().chain(agent_prompt::rules::RULES).copied();
        Registry::with(
            of_texts.chain(of_replies),
            of_runs.chain(agent_replay::rules()),
            [outside_kernel as _],
        )
    });
    &ALL
}

fn outside_kernel(file: &FileSummary) -> Option<Finding> {
    agent_prompt::rules::outside_kernel(&file.text)
}

/// Every rule, in the order of the codes.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    all().rules()
}

/// The rule with this code or name.
#[must_use]
pub fn find(code_or_name: &str) -> Option<&'static Rule> {
    all().find(code_or_name)
}

/// See [`Registry::similar`].
#[must_use]
pub fn similar(word: &str) -> Option<&'static str> {
    all().similar(word)
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::ide::testing::{apply_fixes, checked_with};
    use mangle_syntax::lint::wording::faults;
    use mangle_syntax::lint::{Diagnostic, FixKind, Related, Severity, Span};

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
                let found: Vec<_> = checked_with(rule.bad, rule).names().collect();
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
    fn texts_of_findings_have_their_form() {
        let faults = rules_of_programs().flat_map(|rule| {
            let checked = checked_with(rule.bad, rule);
            let own = checked.diagnostics.into_iter().flat_map(|(_, found)| found);
            own.filter(|found| found.rule == rule)
                .flat_map(|found| faults(&finding(found)))
                .collect::<Vec<_>>()
        });
        let faults: Vec<_> = faults.collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    /// The texts of a diagnostic as those of a finding.
    fn finding(of: Diagnostic) -> Finding {
        let related = of.related.into_iter();
        let related = related.map(|place| Related { span: Span::here(place.range), message: place.message });
        Finding {
            label: of.label,
            related: related.collect(),
            notes: of.notes,
            help: of.help,
            ..Finding::new(of.rule, of.range, of.message)
        }
    }

    #[test]
    fn good_examples_have_no_finding() {
        let wrong: Vec<_> = rules_of_programs()
            .filter_map(|rule| {
                let found: Vec<_> = checked_with(rule.good, rule)
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
                let left: Vec<_> = checked_with(&fixed, rule)
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
