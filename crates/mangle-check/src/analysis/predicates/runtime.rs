//! Predicates that the agent runtime declares and fills while it assembles prompts. Policies that
//! are checked without its schemas use them without a declaration.

/// The predicates with arity and runtime `Decl`.
const PREDICATES: [(&str, usize, &str); 4] = [
    ("active_shard", 2, "Decl active_shard(ShardID, ShardType) bound [/string, /name]."),
    ("compile_context", 2, "Decl compile_context(Dimension, Value)."),
    ("context_budget", 2, "Decl context_budget(ShardID, Tokens) bound [/string, /number]."),
    ("user_intent", 5, "Decl user_intent(ID, Category, Verb, Target, Constraint)."),
];

/// The runtime `Decl` of a predicate with this name and arity.
pub(super) fn declaration(name: &str, count: usize) -> Option<&'static str> {
    let found = PREDICATES.iter().find(|(known, arity, _)| (*known, *arity) == (name, count));
    found.map(|(_, _, declaration)| *declaration)
}
