//! What a comment of a test file can say.

/// What a comment of a test file can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestKey {
    /// `@test name: …`: opens a case.
    Test,
    /// `@expect p(…)`: a fact like this follows.
    Expect,
    /// `@forbid p(…)`: no fact like this follows.
    Forbid,
    /// `@exact p/2`: each fact of the predicate is like one that the case expects.
    Exact,
}

impl TestKey {
    /// All of them.
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

    /// The key of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.as_str() == word)
    }
}
