//! `[rules]`: enabled rules and their severities.

use rustc_hash::FxHashMap;
use toml_span::{Span, Value};

use super::declare::Setting;
use super::findings::CONFIG_UNKNOWN_RULE;
use super::keys::{Kind, RULE_WORDS};
use super::output::SettingValue;
use super::select;
use super::value::{KeyPath, Reader, ValueError, range, shorten, suggest};
use mangle_syntax::lint::{Finding, Rule, Severity};

/// The configured severities of rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// Severity by rule code. `None` disables the rule.
    overrides: FxHashMap<&'static str, Option<Severity>>,
}

impl RuleSettings {
    /// Sets the severity of a rule. `None` disables the rule.
    pub fn set(&mut self, rule: &'static Rule, severity: Option<Severity>) {
        self.overrides.insert(rule.code, severity);
    }

    /// The severity of a finding; `None` if its rule is disabled. The configured severity comes
    /// first, then the severity of the finding, then the default of the rule.
    #[must_use]
    pub fn severity_of(&self, finding: &Finding) -> Option<Severity> {
        match self.overrides.get(finding.rule.code) {
            Some(configured) => *configured,
            None => finding.rule.severity.map(|default| finding.severity.unwrap_or(default)),
        }
    }

    /// True if these settings configure the rule.
    #[must_use]
    pub fn is_configured(&self, rule: &Rule) -> bool {
        self.overrides.contains_key(rule.code)
    }

    /// Returns `base`, overridden by the rules that these settings configure.
    #[must_use]
    pub fn overriding(&self, base: &Self) -> Self {
        let mut overrides = base.overrides.clone();
        overrides.extend(&self.overrides);
        Self { overrides }
    }

    /// The severity of a rule, or `None` if the rule is disabled.
    #[must_use]
    pub fn severity(&self, rule: &Rule) -> Option<Severity> {
        self.overrides.get(rule.code).copied().unwrap_or(rule.severity)
    }
}

/// Maximum number of keys in `[rules]`, several times the number of rules.
const MAX_KEYS: usize = 2_000;

impl Setting<Self> for RuleSettings {
    const KIND: Kind = Kind::Rules;

    /// Also records the key that sets the severity of each rule.
    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        let (mut settings, mut places) = (Self::default(), FxHashMap::default());
        let mut chosen = Vec::new();
        let mut entries: Vec<_> = reader.table(value, &at.label())?.into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        if let Some((key, _)) = entries.get(MAX_KEYS) {
            let headline = format!("`[rules]` has {} keys too many", entries.len() - MAX_KEYS);
            let why = format!("the table has at most {MAX_KEYS} keys; the ones after them are ignored");
            reader.bad_value(key.span, ValueError::new(headline).note(why));
            entries.truncate(MAX_KEYS);
        }
        for (key, value) in entries {
            let severity = reader.word(value, "the severity of a rule", &RULE_WORDS, select::rule_severity);
            match select::select(&key.name, reader.vocabulary.rules) {
                Some(selection) => {
                    chosen.extend(severity.map(|severity| (selection, severity, range(key.span))))
                }
                None => reader.findings.push(unknown_rule(&key.name, key.span, reader.vocabulary.rules)),
            }
        }
        chosen.sort_by_key(|(selection, ..)| selection.narrowness);
        for (selection, severity, place) in chosen {
            for rule in selection.rules {
                settings.set(rule, severity);
                places.insert(rule.code, (rule, place));
            }
        }
        reader.rules = places.into_values().collect();
        reader.rules.sort_by_key(|(rule, place)| (place.start(), rule.code));
        Some(settings)
    }

    fn output(_: &Self) -> SettingValue {
        SettingValue::Unset
    }
}

fn unknown_rule(key: &str, span: Span, rules: &[&'static Rule]) -> Finding {
    let shown = shorten(key);
    let message = if key.contains('*') {
        format!("`{shown}` matches no rule")
    } else {
        format!("unknown rule or group `{shown}`")
    };
    let finding = Finding::new(&CONFIG_UNKNOWN_RULE, range(span), message).label("this line has no effect");
    // No rule name resembles a pattern, and the search for similar names is slow.
    if key.contains('*') {
        return finding;
    }
    suggest(finding, key, select::words(key, rules))
}

/// Reads pairs of a rule key and a severity from the settings of an editor. Also returns the keys
/// with an unknown name or severity.
pub fn severities<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    rules: &[&'static Rule],
) -> (RuleSettings, Vec<&'a str>) {
    let (mut chosen, mut unknown) = (Vec::new(), Vec::new());
    for (index, (key, word)) in pairs.into_iter().enumerate() {
        if index >= MAX_KEYS {
            unknown.push(key);
            continue;
        }
        match (select::select(key, rules), select::rule_severity(word)) {
            (Some(selection), Some(severity)) => chosen.push((selection, severity)),
            _ => unknown.push(key),
        }
    }
    chosen.sort_by_key(|(selection, _)| selection.narrowness);
    let mut settings = RuleSettings::default();
    for (selection, severity) in chosen {
        selection.rules.into_iter().for_each(|rule| settings.set(rule, severity));
    }
    (settings, unknown)
}
