//! Lists of glob patterns relative to a folder.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;
use toml_span::{Span, Value};

use super::declare::{Literal, Setting};
use super::keys::Kind;
use super::keys::SettingValue;
use super::value::{KeyPath, Reader, ValueError, shorten};

/// Glob patterns relative to a configuration file. `*` stays within a folder, `**` does not. A
/// pattern that matches a folder covers everything below it.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    patterns: Vec<String>,
    /// For each pattern, its index among the distinct patterns.
    places: Vec<usize>,
    set: GlobSet,
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Globs {
    /// Compiles patterns.
    ///
    /// # Errors
    /// Returns the index of the first invalid pattern and the reason.
    pub fn new(patterns: Vec<String>) -> Result<Self, (usize, String)> {
        let (globs, mut unusable) = Self::compile_valid(patterns);
        if unusable.is_empty() { Ok(globs) } else { Err(unusable.swap_remove(0)) }
    }

    /// Compiles the valid patterns. Returns the indices of the invalid patterns, in order, with the
    /// reasons. Equal patterns are compiled once.
    #[must_use]
    pub fn compile_valid(patterns: Vec<String>) -> (Self, Vec<(usize, String)>) {
        let (mut set, mut usable, mut unusable) = (GlobSetBuilder::new(), Vec::new(), Vec::new());
        let (mut known, mut places) = (FxHashMap::default(), Vec::new());
        for (index, pattern) in patterns.into_iter().enumerate() {
            if known.len() == MAX_PATTERNS && !known.contains_key(&pattern) {
                unusable.push((index, too_many()));
                continue;
            }
            let next = known.len();
            let place = *known.entry(pattern.clone()).or_insert(next);
            if place == next {
                match compiled(&pattern) {
                    Ok(globs) => globs.into_iter().for_each(|glob| {
                        set.add(glob);
                    }),
                    Err(why) => {
                        known.remove(&pattern);
                        unusable.push((index, why));
                        continue;
                    }
                }
            }
            places.push(place);
            usable.push(pattern);
        }
        match set.build() {
            Ok(set) => (Self { patterns: usable, places, set }, unusable),
            Err(error) => (Self::default(), vec![(0, error.kind().to_string())]),
        }
    }

    /// The patterns as written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The indices of patterns that match none of `paths`. Patterns that consist of wildcards, for
    /// example `**/*.gl`, are not reported because they name no particular file.
    #[must_use]
    pub fn unmatched<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Vec<usize> {
        let mut matched = vec![false; self.set.len() / GLOBS_PER_PATTERN];
        for path in paths {
            for form in self.set.matches(path) {
                if let Some(matched) = matched.get_mut(form / GLOBS_PER_PATTERN) {
                    *matched = true;
                }
            }
        }
        let names =
            |pattern: &String| pattern.split('/').any(|part| !part.is_empty() && !part.contains(['*', '?']));
        let is_matched = |place: usize| matched.get(place).copied().unwrap_or(false);
        let unmatched = self.places.iter().zip(&self.patterns).enumerate();
        unmatched
            .filter(|(_, (place, pattern))| !is_matched(**place) && names(pattern))
            .map(|(at, _)| at)
            .collect()
    }

    /// True if a pattern matches `path`, which is relative and uses `/` as separator.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

impl Globs {
    /// Reads the valid globs of a list, each with its range in the file. `None` if the list has
    /// none.
    pub(super) fn read_with_places(
        reader: &mut Reader<'_>,
        value: Value<'_>,
        at: KeyPath,
    ) -> Option<(Self, Vec<Span>)> {
        let patterns = reader.strings(value, &at.label());
        let (globs, unusable) =
            Self::compile_valid(patterns.iter().map(|(pattern, _)| pattern.clone()).collect());
        let surplus = unusable.iter().filter(|(_, why)| *why == too_many()).count();
        let (mut unusable, mut places, mut is_reported) =
            (unusable.into_iter().peekable(), Vec::new(), false);
        for (index, (pattern, span)) in patterns.into_iter().enumerate() {
            match unusable.next_if(|(at, _)| *at == index) {
                None => {
                    reader.note(at, &pattern, span);
                    places.push(span);
                }
                // Report a list that is too long only once.
                Some((_, why)) if why == too_many() => {
                    if !std::mem::replace(&mut is_reported, true) {
                        let headline = format!("{} has {surplus} globs too many", at.label());
                        reader.bad_value(span, ValueError::new(headline).note(why));
                    }
                }
                Some((_, why)) => reader.bad_value(span, unusable_glob(&pattern, why)),
            }
        }
        (!globs.patterns.is_empty()).then_some((globs, places))
    }
}

impl Setting<Self> for Globs {
    const KIND: Kind = Kind::Globs;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        Self::read_with_places(reader, value, at).map(|(globs, _)| globs)
    }

    fn output(value: &Self) -> SettingValue {
        SettingValue::new(value.patterns())
    }
}

/// A list of globs, or a single glob.
pub(super) enum GlobOrGlobs {}

impl Setting<Globs> for GlobOrGlobs {
    const KIND: Kind = Kind::GlobOrGlobs;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Globs> {
        if value.as_str().is_none() {
            return Some(Globs::read(reader, value, at).unwrap_or_default());
        }
        let (pattern, span) = reader.string(value, &at.label())?;
        let globs = Globs::new(vec![pattern.clone()]);
        Some(globs.unwrap_or_else(|(_, why)| {
            reader.bad_value(span, unusable_glob(&pattern, why));
            Globs::default()
        }))
    }

    fn output(value: &Globs) -> SettingValue {
        Globs::output(value)
    }
}

fn unusable_glob(pattern: &str, why: String) -> ValueError {
    ValueError::new(format!("unusable glob `{}`", shorten(pattern))).note(why)
}

/// The number of globs that one pattern compiles to.
const GLOBS_PER_PATTERN: usize = 2;

/// Maximum number of distinct patterns in a list. All patterns compile to one automaton, and
/// building it is slow.
const MAX_PATTERNS: usize = 2_000;

/// The reason that patterns of a long list are not used.
fn too_many() -> String {
    format!("a list has at most {MAX_PATTERNS} different globs; the ones after them are ignored")
}

/// The compiled globs of a pattern.
fn compiled(pattern: &str) -> Result<Vec<Glob>, String> {
    let glob = |form: String| {
        let glob = GlobBuilder::new(&form).literal_separator(true).backslash_escape(true).build();
        glob.map_err(|error| error.kind().to_string())
    };
    forms(pattern)?.into_iter().map(glob).collect()
}

/// The pattern itself, and the pattern for everything below a folder of that name.
fn forms(pattern: &str) -> Result<[String; GLOBS_PER_PATTERN], String> {
    if pattern.is_empty() {
        return Err("it is empty".into());
    }
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err("it leads out of the folder of this file".into());
    }
    let inner = pattern.trim_start_matches("./").trim_end_matches('/');
    Ok([inner.to_owned(), format!("{inner}/**")])
}

impl<const COUNT: usize> Literal<Globs> for [&str; COUNT] {
    fn value(self) -> Globs {
        Globs::new(self.value()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_patterns_match() {
        let cases = [
            ("**/*.mg", "a.mg", true),
            ("**/*.mg", "a/b/c.mg", true),
            ("*.mg", "a/b.mg", false),
            ("policy", "policy/x/y.mg", true),
            ("policy/", "policy/x.mg", true),
            ("./policy/*.mg", "policy/x.mg", true),
            ("pol*", "policy/x.mg", true),
            ("policy", "policyx.mg", false),
        ];
        for (pattern, path, expected) in cases {
            let globs = Globs::new(vec![pattern.into()]).unwrap();
            assert_eq!(globs.matches(path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn patterns_that_match_nothing() {
        let patterns = ["policy", "*.mg", "old/*.mg", "**/*.gl", "schemas.gl"];
        let globs = Globs::new(patterns.map(String::from).into()).unwrap();
        let unmatched = globs.unmatched(["policy/a.mg", "b.mg"].into_iter());
        assert_eq!(unmatched, [2, 4]);
    }

    #[test]
    fn patterns_that_cannot_be_used() {
        for pattern in ["", "/etc/*.mg", "../x.mg", "a/../../b", "[a", "{a"] {
            let (index, why) = Globs::new(vec!["ok".into(), pattern.into()]).unwrap_err();
            assert_eq!(index, 1, "{pattern}");
            assert!(!why.is_empty());
        }
    }
}
