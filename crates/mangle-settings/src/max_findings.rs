//! `max_findings`: how many findings people are shown.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::kinds::Integer;
use super::output::SettingValue;
use super::value::{KeyPath, Reader};

/// How many findings of one rule in one file are shown where people read them: in text, in annotations, in editors. What
/// programs read has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxFindings(Option<usize>);

impl MaxFindings {
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

    /// The one that shows less.
    #[must_use]
    pub fn smaller(self, other: Self) -> Self {
        if self.larger(other) == self { other } else { self }
    }

    /// The one that shows more.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if self.is_unlimited() || (!other.is_unlimited() && self.0 >= other.0) { self } else { other }
    }
}

impl Default for MaxFindings {
    fn default() -> Self {
        Self::new(100)
    }
}

/// The numbers that [`MaxFindings::new`] takes from a configuration file.
type Count = Integer<0, 1_000_000>;

impl Setting<Self> for MaxFindings {
    const KIND: Kind = <Count as Setting<usize>>::KIND;

    fn read(reader: &mut Reader<'_>, value: Value<'_>, at: KeyPath) -> Option<Self> {
        Count::read(reader, value, at).map(Self::new)
    }

    fn output(value: &Self) -> SettingValue {
        Count::output(&value.number())
    }
}
