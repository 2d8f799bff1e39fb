//! Declarations of the rules about grammars and schemas of replies: `PB801` to `PB807`.

use mangle_syntax::lint::{rule, rules};

rules! {
    SCHEMA_PATTERN = rule!("schema-pattern.md"),
    SCHEMA_DRIFT = rule!("schema-drift.md"),
    PRED_OMITTED = rule!("pred-omitted.md"),
    CONSTRAINT_DROPPED = rule!("constraint-dropped.md"),
    SCHEMA_BROKEN = rule!("schema-broken.md"),
    GRAMMAR_GAP = rule!("grammar-gap.md"),
    GRAMMAR_UNCHECKED = rule!("grammar-unchecked.md"),
}
