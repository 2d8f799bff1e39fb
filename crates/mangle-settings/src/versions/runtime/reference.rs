//! The row of a modeled runtime, and the predicates that show it.

use super::capabilities::RuntimeCapabilities;
use crate::versions::Published;

/// A modeled version of a runtime.
#[derive(Debug)]
pub struct RuntimeReference {
    /// Its name, date and origin.
    pub published: Published,
    /// The engine version that it pins; `None` if it has no engine. Of an engine that is not modeled: the nearest one.
    pub engine: Option<&'static str>,
    /// Predicates of a policy by which this version is recognized, besides the facts of its host.
    pub(super) signs: &'static [Sign],
    /// The parts of its behavior that differ between versions.
    pub capabilities: RuntimeCapabilities,
}

/// Facts of the host that are older than the protection of these facts, and so show no version.
const OLDER_HOST_FACTS: [&str; 2] = ["build_state", "test_state"];

impl RuntimeReference {
    /// The predicates of a policy by which this version or a newer one is recognized.
    pub fn signs(&self) -> impl Iterator<Item = Sign> {
        let is_sign = |name: &&str| {
            !OLDER_HOST_FACTS.contains(name) && !self.signs.iter().any(|sign| sign.name == *name)
        };
        let of_host = self.capabilities.host_witnesses.iter().copied().filter(is_sign);
        self.signs.iter().copied().chain(of_host.map(|name| Sign { name, arity: None }))
    }
}

/// A predicate by which a runtime is recognized, if a policy declares or defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// Its name.
    pub name: &'static str,
    /// Its number of arguments; `None`: any.
    pub arity: Option<u8>,
}

impl Sign {
    pub(super) const fn of(name: &'static str, arity: u8) -> Self {
        Self { name, arity: Some(arity) }
    }

    /// True if a predicate of this name with `arity` arguments is the sign. `None`: their number is not known.
    #[must_use]
    pub fn fits(self, arity: Option<usize>) -> bool {
        self.arity.is_none_or(|own| arity == Some(usize::from(own)))
    }
}
