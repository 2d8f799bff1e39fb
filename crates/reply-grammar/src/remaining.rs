//! Constraints of envelopes that grammars do not enforce, with the rules that check them.

use crate::argument::UnenforcedConstraint;
use crate::update::Updates;
use crate::value::{Member, Value};

/// A constraint that must be checked for each envelope of a grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remaining {
    /// The unenforced constraint, as a sentence without a period.
    pub what: String,
    /// The code of the rule that checks the constraint.
    pub rule: &'static str,
}

impl Remaining {
    pub(crate) fn new(what: impl Into<String>, rule: &'static str) -> Self {
        Self { what: what.into(), rule }
    }
}

/// The unenforced constraints of these fields.
const OF_FIELDS: [(&str, &str, &str); 10] = [
    ("mangle_updates", "an update may occur twice", "PB227"),
    ("mangle_updates", "updates may have no reasoning trace", "PB130"),
    ("surface_response", "the surface may repeat parts of the control packet", "PB138"),
    ("verb", "a category may not fit its verb", "PB133"),
    ("triggered", "a self-correction may have a hypothesis without being triggered, or none", "PB401"),
    ("memory_operations", "operations on one key may contradict each other", "PB309"),
    ("tool_requests", "ids of tool requests may be equal", "PB420"),
    ("tool_args", "keys of `tool_args` may be equal", "PB012"),
    ("tool_args", "arguments that a tool requires may be missing", "PB423"),
    ("helpful_facts", "context feedback may name predicates that do not exist", "PB441"),
];

/// The unenforced constraints of a set of envelopes.
pub(crate) fn unenforced_constraints(envelope: &Value, updates: &Updates) -> Vec<Remaining> {
    let mut names = Vec::new();
    collect(envelope, &mut names);
    let fields = OF_FIELDS.iter().filter(|(field, ..)| names.contains(field));
    let mut all: Vec<_> = fields.map(|(_, what, rule)| Remaining::new(*what, rule)).collect();
    all.extend(updates.gaps.iter().map(|(gap, predicate)| {
        let name = format!("`{}/{}`", predicate.name, predicate.arity);
        let what = match gap {
            UnenforcedConstraint::ManyNames => {
                format!("{name} may have names that its declaration does not list")
            }
            UnenforcedConstraint::Flips => {
                format!("the runtime stores some arguments of {name} as values of another kind")
            }
            UnenforcedConstraint::Parts => {
                format!("some values of the declared types of {name} are not generated")
            }
        };
        Remaining::new(what, gap.rule())
    }));
    all
}

/// Collects the names of all fields. Verbs that are split by category are omitted.
fn collect(value: &Value, names: &mut Vec<&'static str>) {
    match value {
        Value::Either(values) => {
            values.iter().for_each(|value| collect(value, names));
            names.retain(|name| *name != "verb");
        }
        Value::Object(members) => members.iter().for_each(|Member { name, value }| {
            names.push(name);
            collect(value, names);
        }),
        Value::List(_, _, 0) => {}
        Value::List(inner, ..) | Value::Nullable(inner) => collect(inner, names),
        _ => {}
    }
}
