//! Reference versions of the engine and the runtime.
//!
//! A table has one row for each version. A difference between two versions is a named capability of
//! the row, and code tests the capability. Only this module compares versions.
//!
//! The newest revisions of the engine have this order: `77780a5` (2026-09-19) has the built-ins of
//! `2026-09-19` and drops negations, as described by MangleLSP 1.1.0 of 2026-09-23.
//!
//! Four pull requests follow: 96 (`6a105910`, negations), 98 (`484411cd`, repeated variables), 99
//! (`9dc20ebc`, inequalities, based on 96) and 100 (`afd567d1`, joins). Then come `38b96dd2`
//! (several aggregations) and `9ac065b0` (`:string:matches`).
//!
//! The tests of mangle-rs name these revisions "mangle-go v0.6.0" and are older than 2026-10-08. No
//! source states their day, so the row has the last day of its month.

pub mod runtime;

use std::hash::{Hash, Hasher};

use mangle_syntax::text::Symbol;

/// The origin of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// The name in settings, options and output: the month of the revision. If several programs
    /// have versions, the name of the program comes first.
    pub name: &'static str,
    /// The day of the revision, `YYYY-MM-DD`.
    pub day: &'static str,
    /// The commit.
    pub revision: &'static str,
    /// The module or repository of the publication.
    pub module: &'static str,
}

/// A revision of the engine whose behavior is known.
#[derive(Debug, PartialEq, Eq)]
pub struct EngineReference {
    /// The name, day and source of the revision.
    pub published: Published,
    /// The behavior of the revision, limited to the parts that differ between versions.
    pub capabilities: EngineCapabilities,
}

/// The behavior of an engine, limited to the parts that differ between versions. Built-ins are in
/// the tables of built-ins, each with the day of its introduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineCapabilities {
    /// A negation with a wildcard, or with a variable that no premise binds.
    pub negation_with_unbound_variable: UnboundNegation,
    /// Several negations that wait for their variables.
    pub delayed_negations: DelayedNegations,
    /// An inequality before the premise that binds its variables.
    pub inequality_before_binding: EarlyInequality,
    /// Facts derived in the same round, in a rule that joins several of them.
    pub same_round_joins: SameRoundJoins,
    /// Several aggregations with one head predicate, each over several premises with the same
    /// number of variables.
    pub aggregations_with_one_head: AggregationsWithOneHead,
    /// A variable that occurs twice in the only premise of an aggregation.
    pub repeated_variable_in_aggregation: RepeatedVariable,
    /// The inputs of an external predicate that are variables.
    pub external_inputs: ExternalInputs,
}

/// The effect of a negation with a wildcard, or with a variable that no premise binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnboundNegation {
    /// The negation is not evaluated.
    Ignored,
    /// The analysis rejects the rule. If a `let` defines the variable, the negation is evaluated
    /// last, for any value.
    Rejected,
}

/// The effect of several negations that wait for their variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayedNegations {
    /// If a later negation is ready first, an earlier one is not evaluated.
    SomeLost,
    /// Each negation is evaluated after the premise that binds its last variable.
    AllKept,
}

/// The effect of an inequality before the premise that binds its variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyInequality {
    /// The inequality is evaluated at its position and never holds.
    NeverHolds,
    /// The inequality is evaluated after its variables are bound. If the analysis treats an unbound
    /// variable as bound, the evaluation aborts.
    Delayed,
}

/// The effect of a rule that joins several facts of the same round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameRoundJoins {
    /// Two facts of one round are never combined, from the second incremental round on.
    Missed,
    /// All facts are combined.
    Complete,
}

/// The effect of several aggregations with one head predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregationsWithOneHead {
    /// Aggregations with the same number of variables share one internal relation: each aggregates
    /// the rows of all.
    Mixed,
    /// Each aggregation has its own rows.
    Separate,
}

/// The effect of a variable that occurs twice in the only premise of an aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatedVariable {
    /// The group has every fact of the predicate.
    Ignored,
    /// The group has the facts with equal arguments.
    Respected,
}

/// The inputs of an external predicate that are variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalInputs {
    /// The host gets the variable instead of its value, and the evaluation aborts.
    Variables,
    /// The host gets the value.
    Values,
}

/// The behavior of the revisions from April to 19 September 2026.
const BEFORE_FIXES: EngineCapabilities = EngineCapabilities {
    negation_with_unbound_variable: UnboundNegation::Ignored,
    delayed_negations: DelayedNegations::SomeLost,
    inequality_before_binding: EarlyInequality::NeverHolds,
    same_round_joins: SameRoundJoins::Missed,
    aggregations_with_one_head: AggregationsWithOneHead::Mixed,
    repeated_variable_in_aggregation: RepeatedVariable::Ignored,
    external_inputs: ExternalInputs::Values,
};

/// The module since February 2026.
const MODULE: &str = "codeberg.org/TauCeti/mangle-go";

/// The module before February 2026.
const FIRST_MODULE: &str = "github.com/google/mangle";

/// The Go modules that published the engine.
pub const ENGINE_MODULES: [&str; 2] = [FIRST_MODULE, MODULE];

/// All reference versions, the oldest first.
pub static ENGINES: [EngineReference; 4] = [
    EngineReference {
        published: Published {
            name: "2026-04",
            day: "2026-04-13",
            revision: "4dcaa582c6d36dbca06e9996f710995676995f8f",
            module: MODULE,
        },
        capabilities: EngineCapabilities { external_inputs: ExternalInputs::Variables, ..BEFORE_FIXES },
    },
    EngineReference {
        published: Published {
            name: "2026-06",
            day: "2026-06-30",
            revision: "248db3e",
            module: FIRST_MODULE,
        },
        capabilities: BEFORE_FIXES,
    },
    EngineReference {
        published: Published { name: "2026-09-19", day: "2026-09-19", revision: "77780a5", module: MODULE },
        capabilities: BEFORE_FIXES,
    },
    EngineReference {
        published: Published {
            name: "2026-09",
            day: "2026-09-30",
            revision: "9dc20ebc0504c04318503125ffbea07ca46473c4",
            module: MODULE,
        },
        capabilities: EngineCapabilities {
            negation_with_unbound_variable: UnboundNegation::Rejected,
            delayed_negations: DelayedNegations::AllKept,
            inequality_before_binding: EarlyInequality::Delayed,
            same_round_joins: SameRoundJoins::Complete,
            aggregations_with_one_head: AggregationsWithOneHead::Separate,
            repeated_variable_in_aggregation: RepeatedVariable::Respected,
            external_inputs: ExternalInputs::Values,
        },
    },
];

/// The releases of the engine with their days, the oldest first.
pub const RELEASES: &[(&str, &str)] = &[
    ("0.1.0", "2023-12-15"),
    ("0.2.0", "2024-08-14"),
    ("0.3.0", "2025-04-23"),
    ("0.4.0", "2025-10-21"),
    ("0.5.0", "2026-02-19"),
    ("0.6.0", "2026-09-30"),
];

/// The index in [`ENGINES`] of the default engine.
const DEFAULT: usize = 1;

impl Default for &'static EngineReference {
    /// The default engine.
    fn default() -> Self {
        &ENGINES[DEFAULT]
    }
}

/// The reference version of this name.
#[must_use]
pub fn engine(name: &str) -> Option<&'static EngineReference> {
    ENGINES.iter().find(|reference| reference.published.name == name)
}

/// The first reference version whose behavior satisfies `is_new`, for messages about earlier
/// versions. `None` if no version does.
#[must_use]
pub fn first_engine(is_new: impl Fn(&EngineCapabilities) -> bool) -> Option<&'static EngineReference> {
    ENGINES.iter().find(|reference| is_new(&reference.capabilities))
}

/// The names of the reference versions, followed by the releases.
pub fn engine_names() -> impl Iterator<Item = &'static str> {
    let references = ENGINES.iter().map(|reference| reference.published.name);
    references.chain(RELEASES.iter().map(|(release, _)| *release))
}

/// The engine that a program is checked for: a reference version, a release or the engine of a day.
///
/// Built-ins are those available on the day. All other behavior comes from the newest reference
/// version that is not later.
///
/// ```
/// use mangle_settings::EngineVersion;
///
/// let engine = EngineVersion::parse("2026-07-15").unwrap();
/// assert_eq!(engine.reference.published.name, "2026-06");
/// assert!(engine.has("2026-07-01") && !engine.has("2026-08-01"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineVersion {
    /// The name in the configuration: `2026-06`, `0.5.0` or a day.
    pub name: Symbol,
    /// The day, `YYYY-MM-DD`.
    pub day: Symbol,
    /// The reference version that defines its behavior.
    pub reference: &'static EngineReference,
}

impl EngineVersion {
    /// Parses the name of a reference version, a release (with or without a `v`), or a day.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        if let Some(reference) = engine(word) {
            return Some(Self::from(reference));
        }
        let release = word.strip_prefix('v').unwrap_or(word);
        let day = RELEASES.iter().find(|(name, _)| *name == release).map(|(_, day)| *day);
        let day = day.or_else(|| is_day(word).then_some(word))?;
        let reference = ENGINES.iter().rev().find(|reference| reference.published.day <= day);
        let reference = reference.or(ENGINES.first())?;
        Some(Self { name: Symbol::new(release), day: Symbol::new(day), reference })
    }

    /// The behavior of the engine.
    #[must_use]
    pub fn capabilities(&self) -> &'static EngineCapabilities {
        &self.reference.capabilities
    }

    /// True if the engine includes a feature that was added on the day `since`, `YYYY-MM-DD`.
    #[must_use]
    pub fn has(&self, since: &str) -> bool {
        since <= self.day.as_str()
    }
}

impl From<&'static EngineReference> for EngineVersion {
    fn from(reference: &'static EngineReference) -> Self {
        let Published { name, day, .. } = reference.published;
        Self { name: Symbol::new(name), day: Symbol::new(day), reference }
    }
}

impl Default for EngineVersion {
    fn default() -> Self {
        Self::from(<&EngineReference>::default())
    }
}

/// The day determines the reference version.
impl Hash for EngineVersion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.day).hash(state);
    }
}

/// True for a day such as `2026-06-30`.
fn is_day(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let digits = |part: &str, len| part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit());
    let within = |part: &str, most: u8| part.parse::<u8>().is_ok_and(|number| (1..=most).contains(&number));
    digits(year, 4) && digits(month, 2) && digits(day, 2) && within(month, 12) && within(day, 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(word: &str) -> Option<(&'static str, &'static str, &'static str)> {
        let version = EngineVersion::parse(word)?;
        Some((version.name.as_str(), version.day.as_str(), version.reference.published.name))
    }

    #[test]
    fn references_releases_and_days_are_read() {
        assert_eq!(read("2026-04"), Some(("2026-04", "2026-04-13", "2026-04")));
        assert_eq!(read("2026-09"), Some(("2026-09", "2026-09-30", "2026-09")));
        assert_eq!(read("0.2.0"), Some(("0.2.0", "2024-08-14", "2026-04")));
        assert_eq!(read("v0.6.0"), Some(("0.6.0", "2026-09-30", "2026-09")));
        assert_eq!(read("2026-06-29"), Some(("2026-06-29", "2026-06-29", "2026-04")));
        assert_eq!(read("2026-09-29"), Some(("2026-09-29", "2026-09-29", "2026-09-19")));
        assert_eq!(read("2027-01-01"), Some(("2027-01-01", "2027-01-01", "2026-09")));
        for wrong in ["0.3", "", "auto", "2026-05", "2026-13-01", "2026-6-3", "20260630", "v2026-06-31x"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn tables_are_in_order_and_names_are_unique() {
        assert!(ENGINES.is_sorted_by(|one, other| one.published.day < other.published.day));
        assert!(RELEASES.is_sorted_by(|one, other| one.1 < other.1));
        let mut names: Vec<_> = engine_names().collect();
        assert!(names.iter().all(|name| EngineVersion::parse(name).is_some()));
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, other| one < other));
        assert!(ENGINES.iter().all(|reference| is_day(reference.published.day)));
    }

    #[test]
    fn programs_without_a_choice_get_the_default() {
        assert_eq!(EngineVersion::default().reference.published.name, "2026-06");
    }
}
