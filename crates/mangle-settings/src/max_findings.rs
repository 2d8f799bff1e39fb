//! `max_findings`: the number of findings per rule and file in output for people.

use toml_span::Value;

use super::declare::Setting;
use super::keys::Kind;
use super::kinds::Integer;
use super::output::SettingValue;
use super::value::{KeyPath, Reader};

/// Maximum number of findings per rule and file in output for people: text, annotations and
/// editors. Machine-readable output is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxFindings(Option<usize>);

impl MaxFindings {
    /// Creates a limit. 0 means no limit.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self((count > 0).then_some(count))
    }

    /// True if another finding can be shown after `shown` findings.
    #[must_use]
    pub fn allows(self, shown: usize) -> bool {
        self.0.is_none_or(|most| shown < most)
    }

    /// True if the number of findings is not limited.
    #[must_use]
    pub fn is_unlimited(self) -> bool {
        self.0.is_none()
    }

    /// The number that [`MaxFindings::new`] accepts.
    #[must_use]
    pub fn number(self) -> usize {
        self.0.unwrap_or(0)
    }

    /// Returns the stricter limit.
    #[must_use]
    pub fn smaller(self, other: Self) -> Self {
        if self.larger(other) == self { other } else { self }
    }

    /// Returns the looser limit.
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

/// The numbers that a configuration file accepts.
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
