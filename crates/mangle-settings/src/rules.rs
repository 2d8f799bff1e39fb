//! `[rules]`: enabled rules and their severities. A key is a rule name or code, a group, or a glob.

use globset::Glob;
use rustc_hash::FxHashMap;
use toml_span::{Span, Value};

use super::declare::Setting;
use super::findings::CONFIG_UNKNOWN_RULE;
use super::keys::{Kind, RULE_WORDS, SettingValue};
use super::value::{KeyPath, Reader, ValueError, range, shorten, suggest};
use mangle_syntax::lint::{Finding, Group, Rule, Severity};

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
            let severity = reader.word(value, "the severity of a rule", &RULE_WORDS, rule_severity);
            match select(&key.name, reader.vocabulary.rules) {
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
    suggest(finding, key, candidates(key, rules))
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
        match (select(key, rules), rule_severity(word)) {
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

/// The rules that a key of `[rules]` selects.
#[derive(Debug)]
struct Selection {
    /// Precedence of the key. If several keys select a rule, the narrowest key applies. A name or
    /// code overrides a group, a group overrides a glob, and a long glob overrides a short glob.
    narrowness: usize,
    rules: Vec<&'static Rule>,
}

const NAME: usize = usize::MAX;
const GROUP: usize = usize::MAX - 1;

/// Resolves a key among `rules`. `None` if the key selects nothing.
fn select(key: &str, rules: &[&'static Rule]) -> Option<Selection> {
    let chosen = |narrowness, test: &dyn Fn(&Rule) -> bool| {
        let rules: Vec<_> = rules.iter().copied().filter(|rule| test(rule)).collect();
        (!rules.is_empty()).then_some(Selection { narrowness, rules })
    };
    if is_stars_alone(key) {
        return chosen(key.len(), &|rule| matches_stars(key, rule.code) || matches_stars(key, rule.name));
    }
    if key.contains('*') {
        let glob = Glob::new(key).ok()?.compile_matcher();
        return chosen(key.len(), &|rule| glob.is_match(rule.code) || glob.is_match(rule.name));
    }
    chosen(NAME, &|rule| rule.name == key || rule.code == key)
        .or_else(|| chosen(GROUP, &|rule| rule.group.as_str() == key))
        .or_else(|| is_group(key).then(|| Selection { narrowness: GROUP, rules: Vec::new() }))
}

/// True if `*` is the only special character of the pattern. Such patterns need no automaton, which
/// is slow to build.
fn is_stars_alone(key: &str) -> bool {
    key.contains('*') && !key.contains(['?', '[', ']', '{', '}', '\\', '/'])
}

/// True if the text matches a pattern with `*` for any characters.
fn matches_stars(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = text.strip_prefix(start).and_then(|text| text.strip_suffix(end));
    let Some(mut inner) = inner else { return false };
    for part in middle.split('*') {
        // The first occurrence of each part leaves the most text for the next parts.
        let Some((_, after)) = inner.split_once(part) else { return false };
        inner = after;
    }
    true
}

/// Parses a severity of `[rules]`. The inner `None` is `off`.
#[allow(clippy::option_option)] // `None` is an unknown word, and `Some(None)` is `off`.
fn rule_severity(word: &str) -> Option<Option<Severity>> {
    if word == "off" { Some(None) } else { Severity::parse(word).map(Some) }
}

/// Candidates for a misspelled `key`: names and groups. Codes are only candidates if they differ in
/// letter case, because similar codes are unrelated.
fn candidates<'a>(key: &'a str, rules: &'a [&'static Rule]) -> impl Iterator<Item = &'a str> {
    let codes = rules.iter().map(|rule| rule.code).filter(|code| code.eq_ignore_ascii_case(key));
    codes.chain(rules.iter().map(|rule| rule.name)).chain(Group::ALL.map(Group::as_str))
}

fn is_group(key: &str) -> bool {
    Group::ALL.iter().any(|group| group.as_str() == key)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn stars_match_as_globs_do() {
        let texts = ["", "MG", "MG203", "MG2033", "negation-wildcard", "aa", "aba", "abab", "a*"];
        let patterns = [
            "*", "**", "M*", "*3", "MG2*", "M*2*3", "*G*0*3", "*ab*ab", "ab*ab", "a*a", "aba*aba", "*-*",
            "neg*", "MG203*", "a**a",
        ];
        for pattern in patterns {
            let glob = Glob::new(pattern).unwrap().compile_matcher();
            for text in texts {
                assert!(is_stars_alone(pattern));
                assert_eq!(matches_stars(pattern, text), glob.is_match(text), "{pattern} on {text}");
            }
        }
        assert!(!is_stars_alone("MG[23]*") && !is_stars_alone("MG203"));
    }
}
