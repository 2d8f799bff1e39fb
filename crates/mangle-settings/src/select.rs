//! What the keys of `[rules]` select: a rule by name or code, a group, or rules by a glob.

use globset::Glob;

use mangle_syntax::lint::{Group, Rule, Severity};

/// The rules that a key of `[rules]` means.
#[derive(Debug)]
pub(super) struct Selection {
    /// How narrow the key is; of two keys that select a rule the narrower wins, in whatever order
    /// they stand: a name or code beats a group, a group beats a glob, a long glob a short one.
    pub(super) narrowness: usize,
    /// The rules.
    pub(super) rules: Vec<&'static Rule>,
}

const NAME: usize = usize::MAX;
const GROUP: usize = usize::MAX - 1;

/// Resolves a key among `rules`; `None` where it selects nothing.
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

/// True for a pattern that has no special characters but `*`. It needs no automaton, which takes long to build.
fn is_stars_alone(key: &str) -> bool {
    key.contains('*') && !key.contains(['?', '[', ']', '{', '}', '\\', '/'])
}

/// True if a text matches a pattern in which `*` stands for any characters.
fn matches_stars(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    let inner = text.strip_prefix(start).and_then(|text| text.strip_suffix(end));
    let Some(mut inner) = inner else { return false };
    for part in middle.split('*') {
        // The first place of each part leaves most for the next ones.
        let Some((_, after)) = inner.split_once(part) else { return false };
        inner = after;
    }
    true
}

/// A value of `[rules]`: `None` for `off`.
#[allow(clippy::option_option)] // Absent is "no such word", present and empty is "off".
pub(super) fn rule_severity(word: &str) -> Option<Option<Severity>> {
    if word == "off" { Some(None) } else { Severity::parse(word).map(Some) }
}

/// What may have been meant by `key`: names and groups, but codes only in other letters, for codes
/// that are alike have nothing else in common.
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
