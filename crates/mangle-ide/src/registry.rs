//! Registry of all lint rules.

use std::sync::LazyLock;

use mangle_check::Registry;
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Finding, Rule};

use super::{evaluation, verification};

/// Returns all rules, including file checks from libraries that depend on `mangle-check`.
#[must_use]
pub fn all() -> &'static Registry {
    static ALL: LazyLock<Registry> = LazyLock::new(|| {
        let of_texts = mangle_settings::RULES.iter().copied();
        let of_replies = piggyback::envelope::rules().chain(piggyback::transcript::rules());
        let of_replies = of_replies.chain(reply_grammar::lint::rules::RULES.iter().copied());
        let of_runs =
            evaluation::RULES.iter().chain(verification::RULES).chain(agent_prompt::rules::RULES).copied();
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

/// Iterates over all rules, sorted by code.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    all().rules()
}

/// Returns the rule with this code or name.
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
    use mangle_syntax::lint::Severity;

    #[test]
    fn codes_and_names_are_unique() {
        let (mut codes, mut names) = (FxHashSet::default(), FxHashSet::default());
        for rule in rules() {
            assert!(codes.insert(rule.code), "{} twice", rule.code);
            assert!(names.insert(rule.name), "{} twice", rule.name);
        }
    }

    #[test]
    fn every_error_in_mangle_texts_says_if_the_program_loads() {
        let is_missing = |rule: &&Rule| {
            rule.code.starts_with("MG") && rule.severity == Some(Severity::Error) && rule.engine.is_none()
        };
        let missing: Vec<_> = rules().filter(is_missing).map(|rule| rule.name).collect();
        assert!(missing.is_empty(), "write `- engine: rejects`, `accepts` or `depends` into {missing:?}");
    }
}
