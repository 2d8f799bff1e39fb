//! `max_findings`: how many findings people are shown.

/// How many findings of one rule in one file are shown where people read them: in text, in annotations, in editors. What
/// programs read has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxFindings(Option<usize>);

impl MaxFindings {
    /// The default, as the table of keys has it.
    pub const DEFAULT: usize = 100;

    /// So many; all of them for 0.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self((count > 0).then_some(count))
    }

    /// Whether one more is shown after so many.
    #[must_use]
    pub fn allows(self, shown: usize) -> bool {
        self.0.is_none_or(|most| shown < most)
    }

    /// Whether all are shown.
    #[must_use]
    pub fn is_unlimited(self) -> bool {
        self.0.is_none()
    }

    /// The number that [`MaxFindings::new`] takes.
    #[must_use]
    pub fn number(self) -> usize {
        self.0.unwrap_or(0)
    }

    /// The one that shows more.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if self.is_unlimited() || (!other.is_unlimited() && self.0 >= other.0) { self } else { other }
    }
}

impl Default for MaxFindings {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}
