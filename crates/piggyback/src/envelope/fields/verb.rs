//! A verb of the taxonomy.

/// A verb of the taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verb {
    /// The name without slash.
    pub name: &'static str,
    /// The category without slash.
    pub category: &'static str,
    /// The shard that handles the verb, if any.
    pub shard: Option<&'static str>,
    /// The priority if several verbs match.
    pub priority: u32,
}
