//! Lists of glob patterns relative to a folder.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns of paths relative to a configuration file. `*` stays within a folder, `**` does not; a
/// pattern that matches a folder covers everything below it.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    patterns: Vec<String>,
    set: GlobSet,
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Globs {
    /// Every file with one of Mangle's two extensions.
    #[must_use]
    pub fn all_mangle() -> Self {
        Self::new(["**/*.mg", "**/*.gl"].map(String::from).into()).unwrap_or_default()
    }

    /// Compiles patterns.
    ///
    /// # Errors
    /// The index of the first pattern that cannot be used, and why.
    pub fn new(patterns: Vec<String>) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in patterns.iter().enumerate() {
            for form in forms(pattern).map_err(|why| (index, why))? {
                let glob = GlobBuilder::new(&form).literal_separator(true).backslash_escape(true).build();
                set.add(glob.map_err(|error| (index, error.kind().to_string()))?);
            }
        }
        let set = set.build().map_err(|error| (0, error.kind().to_string()))?;
        Ok(Self { patterns, set })
    }

    /// The patterns as written.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The patterns, by index, that match none of `paths` although they name something: those of wildcards
    /// alone, as `**/*.gl`, are meant for whatever there may be.
    #[must_use]
    pub fn unmatched<'p>(&self, paths: impl Iterator<Item = &'p str>) -> Vec<usize> {
        let mut matched = vec![false; self.patterns.len()];
        for path in paths {
            for form in self.set.matches(path) {
                if let Some(matched) = matched.get_mut(form / FORMS) {
                    *matched = true;
                }
            }
        }
        let names =
            |pattern: &String| pattern.split('/').any(|part| !part.is_empty() && !part.contains(['*', '?']));
        let unmatched = matched.iter().zip(&self.patterns).enumerate();
        unmatched.filter(|(_, (matched, pattern))| !**matched && names(pattern)).map(|(at, _)| at).collect()
    }

    /// Whether a pattern matches `path`, which is relative and has `/` between its parts.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

/// How many globs stand for a pattern.
const FORMS: usize = 2;

/// The pattern itself, and the pattern for everything below a folder of that name.
fn forms(pattern: &str) -> Result<[String; FORMS], String> {
    if pattern.is_empty() {
        return Err("it is empty".into());
    }
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err("it leads out of the folder of this file".into());
    }
    let inner = pattern.trim_start_matches("./").trim_end_matches('/');
    Ok([inner.to_owned(), format!("{inner}/**")])
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
