//! Keys of directive comments in test files.

/// The key of a directive comment in a test file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestKey {
    /// `@test name: …`: starts a case.
    Test,
    /// `@expect p(…)`: a matching fact must be derived.
    Expect,
    /// `@forbid p(…)`: no matching fact can be derived.
    Forbid,
    /// `@exact p/2`: each fact of the predicate must match an expectation of the case.
    Exact,
}

impl TestKey {
    /// All keys.
    pub const ALL: [Self; 4] = [Self::Test, Self::Expect, Self::Forbid, Self::Exact];

    /// The word, without `@`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Expect => "expect",
            Self::Forbid => "forbid",
            Self::Exact => "exact",
        }
    }

    /// Parses a key.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == word)
    }
}
