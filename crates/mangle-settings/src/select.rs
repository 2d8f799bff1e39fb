//! Resolution of keys of `[rules]`: a rule name or code, a group, or a glob.

use globset::Glob;

use mangle_syntax::lint::{Group, Rule, Severity};

/// The rules that a key of `[rules]` selects.
#[derive(Debug)]
pub(super) struct Selection {
    /// Precedence of the key. If several keys select a rule, the narrowest key applies. A name or
    /// code overrides a group, a group overrides a glob, and a long glob overrides a short glob.
    pub(super) narrowness: usize,
    pub(super) rules: Vec<&'static Rule>,
}

const NAME: usize = usize::MAX;
const GROUP: usize = usize::MAX - 1;

/// Resolves a key among `rules`. `None` if the key selects nothing.
pub(super) fn select(key: &str, rules: &[&'static Rule]) -> Option<Selection> {
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
pub(super) fn rule_severity(word: &str) -> Option<Option<Severity>> {
    if word == "off" { Some(None) } else { Severity::parse(word).map(Some) }
}

/// Candidates for a misspelled `key`: names and groups. Codes are only candidates if they differ in
/// letter case, because similar codes are unrelated.
pub(super) fn words<'a>(key: &'a str, rules: &'a [&'static Rule]) -> impl Iterator<Item = &'a str> {
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
