//! The values of intents: categories, and the verbs of the default taxonomy.

use crate::envelope::atoms::{Declarations, Verb};

/// The categories, without slash.
pub const CATEGORIES: [&str; 3] = ["query", "mutation", "instruction"];

/// The default taxonomy.
#[rustfmt::skip] // One row a verb.
pub static VERBS: [Verb; 37] = [
    verb("review", "query", "reviewer", 100),
    verb("review_enhance", "query", "reviewer", 102),
    verb("security", "query", "reviewer", 105),
    verb("analyze", "query", "reviewer", 95),
    verb("audit", "query", "reviewer", 90),
    verb("lint", "query", "reviewer", 83),
    verb("explain", "query", "", 80),
    verb("explore", "query", "researcher", 75),
    verb("search", "query", "researcher", 85),
    verb("research", "query", "researcher", 75),
    verb("debug", "query", "coder", 92),
    verb("benchmark", "query", "tester", 80),
    verb("profile", "query", "tester", 78),
    verb("read", "query", "", 82),
    verb("stats", "query", "", 85),
    verb("help", "query", "", 60),
    verb("greet", "query", "", 50),
    verb("knowledge", "query", "", 70),
    verb("dream", "query", "", 85),
    verb("shadow", "query", "", 75),
    verb("fix", "mutation", "coder", 90),
    verb("refactor", "mutation", "coder", 88),
    verb("create", "mutation", "coder", 85),
    verb("write", "mutation", "coder", 70),
    verb("delete", "mutation", "coder", 85),
    verb("migrate", "mutation", "coder", 85),
    verb("optimize", "mutation", "coder", 86),
    verb("document", "mutation", "coder", 72),
    verb("scaffold", "mutation", "coder", 75),
    verb("format", "mutation", "coder", 70),
    verb("git", "mutation", "coder", 90),
    verb("campaign", "mutation", "coder", 95),
    verb("assault", "mutation", "", 99),
    verb("test", "mutation", "tester", 88),
    verb("init", "mutation", "researcher", 70),
    verb("generate_tool", "mutation", "tool_generator", 95),
    verb("configure", "instruction", "", 65),
];

const fn verb(name: &'static str, category: &'static str, shard: &'static str, priority: u32) -> Verb {
    Verb { name, category, shard: if shard.is_empty() { None } else { Some(shard) }, priority }
}

/// The verbs of a program: from its facts `verb_def(Verb, Category, Shard, Priority)`, or from the
/// default taxonomy.
#[derive(Debug, Clone, Copy)]
pub struct Taxonomy<'a> {
    /// The verbs that packets may use.
    pub verbs: &'a [Verb],
    /// True if the program defines the verbs.
    pub is_own: bool,
}

impl<'a> Taxonomy<'a> {
    /// Returns the taxonomy for a program with these declarations.
    #[must_use]
    pub fn new(declarations: Option<&'a Declarations>) -> Self {
        match declarations.map(Declarations::verbs).filter(|verbs| !verbs.is_empty()) {
            Some(verbs) => Self { verbs, is_own: true },
            None => Self { verbs: &VERBS, is_own: false },
        }
    }

    /// Returns the verbs with a name, without slash. A program may define a verb in several
    /// categories.
    pub fn named(self, name: &str) -> impl Iterator<Item = &'a Verb> {
        self.verbs.iter().filter(move |verb| verb.name == name)
    }
}
