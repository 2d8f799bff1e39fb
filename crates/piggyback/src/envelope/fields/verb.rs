//! A verb of the taxonomy.

/// A verb of the taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verb {
    /// It, without its slash.
    pub name: &'static str,
    /// Its category, without slash.
    pub category: &'static str,
    /// The shard that acts on it; none for some.
    pub shard: Option<&'static str>,
    /// How much it counts where several fit.
    pub priority: u32,
}
