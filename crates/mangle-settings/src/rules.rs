//! `[rules]`: which rules are on, and how grave their findings are.

use rustc_hash::FxHashMap;

use mangle_syntax::lint::{Finding, Rule, Severity};

/// The severity that a configuration gives to each rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// By rule code: `None` switches off.
    overrides: FxHashMap<&'static str, Option<Severity>>,
}

impl RuleSettings {
    /// Sets the severity of one rule; `None` switches it off.
    pub fn set(&mut self, rule: &'static Rule, severity: Option<Severity>) {
        self.overrides.insert(rule.code, severity);
    }

    /// The severity of one finding, `None` when its rule is off: what is configured for the rule,
    /// else what the finding has of its own, else the rule's default.
    #[must_use]
    pub fn severity_of(&self, finding: &Finding) -> Option<Severity> {
        match self.overrides.get(finding.rule.code) {
            Some(configured) => *configured,
            None => finding.rule.severity.map(|default| finding.severity.unwrap_or(default)),
        }
    }

    /// Whether these settings name a rule.
    #[must_use]
    pub fn is_configured(&self, rule: &Rule) -> bool {
        self.overrides.contains_key(rule.code)
    }

    /// These settings where they say something of a rule, else `base`.
    #[must_use]
    pub fn over(&self, base: &Self) -> Self {
        let mut overrides = base.overrides.clone();
        overrides.extend(&self.overrides);
        Self { overrides }
    }

    /// The severity of a rule's findings, `None` when the rule is off.
    #[must_use]
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        self.overrides.get(rule.code).copied().unwrap_or(rule.severity)
    }
}
