//! The known differences between the engine and this repository.

use super::engine::{Outcome, Stage};
use super::ours::Ours;

/// True if a rule with severity error is about what the engine computes, aborts with or panics at, not about
/// something that it rejects.
pub fn is_about_evaluation((rule, headline): &(&str, String)) -> bool {
    let is_field = headline.starts_with("unknown field");
    ABOUT_EVALUATION.contains(rule)
        && !headline.contains("reject")
        && (is_field || !headline.starts_with("unknown"))
}

const ABOUT_EVALUATION: &[&str] = &[
    "annotation-on-comparison",
    "call-not-made",
    "compare-non-number",
    "count-never",
    "decl-builtin",
    "deferred-fact",
    "deferred-output-taken",
    "deferred-recursion",
    "deferred-variable-clash",
    "deferred-without-mode",
    "division-by-zero",
    "do-without-group-by",
    "eq-never",
    "expr-in-premise-unbound",
    "function-arity",
    "group-by-misplaced",
    "group-repeated-variable",
    "inclusion-undefined",
    "inequality-before-binding",
    "input-before-binding",
    "interval-duration",
    "interval-inverted",
    "let-order",
    "negated-var-unbound",
    "negation-after-temporal",
    "negation-reorder-hazard",
    "negation-wildcard",
    "newer-than-target",
    "reducer-arg-not-variable",
    "reducer-in-body",
    "reducer-in-let",
    "reducer-over-let",
    "reducer-type",
    "temporal-derived-premise",
    "temporal-eternal-premise",
    "temporal-group",
    "temporal-in-package",
    "temporal-negated",
    "type-premise-impossible",
    "unknown-function",
];

/// The name of the known difference that explains a program, if there is one.
pub fn explain(files: &[String], outcomes: &[Outcome], ours: &Ours) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.explains)(files, outcomes, ours)).map(|known| known.name)
}

struct Known {
    name: &'static str,
    explains: fn(&[String], &[Outcome], &Ours) -> bool,
}

const KNOWN: &[Known] = &[
    Known {
        name: "a negation that the engine ignores may name a predicate that does not exist",
        explains: |_, _, ours| {
            let is_ignored = |(rule, _): &(&str, String)| {
                matches!(*rule, "negated-var-unbound" | "negation-wildcard" | "negation-after-temporal")
            };
            ours.has_error("undefined-predicate") && ours.errors.iter().any(is_ignored)
        },
    },
    Known {
        name: "of equal keys an arbitrary one is kept",
        explains: |files, outcomes, _| {
            let makes_keys = |file: &String| {
                ["fn:collect_to_map", "fn:struct(", "fn:map("].iter().any(|name| file.contains(name))
            };
            outcomes.len() > 1 && files.iter().any(makes_keys)
        },
    },
    Known {
        name: "a rule that fails reads a derived temporal predicate too late in some orders, and a finding says so",
        explains: |_, _, ours| ours.stopped.is_some() && ours.has_error("temporal-derived-premise"),
    },
    Known {
        name: "a function that the engine does not have ends the evaluation",
        explains: |_, outcomes, ours| {
            (ours.has_error("unknown-function") || ours.has_error("newer-than-target"))
                && outcomes
                    .iter()
                    .all(|one| one.stage == Stage::Evaluation && one.message.contains("unknown function"))
        },
    },
    Known {
        name: "variables of a deferred predicate and its caller clash",
        explains: |_, _, ours| {
            ours.has_error("deferred-variable-clash") || ours.has_error("deferred-recursion")
        },
    },
];

impl Outcome {
    /// True if a limit of the engine ended the evaluation.
    pub fn is_limited(&self) -> bool {
        self.stage == Stage::Timeout
            || (self.stage == Stage::Evaluation
                && (self.message.contains("fact size limit") || self.message.contains("interval limit")))
    }
}
