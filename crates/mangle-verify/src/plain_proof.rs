//! Proofs with the predicate names of the programs and the property, without internal names.

use mangle_engine::kernel::{Ground, Proof};

use crate::goal_rules::{EXTENDED, GOAL};
use crate::program_pair::with_own_names;

/// Replaces internal names in a proof: the goal becomes `solution`, and predicates of the other
/// program get their original names.
pub(crate) fn plain_proof(mut proof: Proof) -> Proof {
    for node in &mut proof.nodes {
        let goal = format!("{GOAL}()");
        // In a package, the goal is prefixed with the name of the package.
        node.fact = match node.fact.ends_with(&goal) {
            true => "solution".to_owned(),
            false => with_own_names(&node.fact),
        };
        for step in &mut node.steps {
            match &mut step.ground {
                Ground::Absent(pattern) if pattern.starts_with(&format!("{GOAL}{EXTENDED}")) => {
                    *pattern = "solution of what follows".to_owned();
                }
                Ground::Absent(text) | Ground::Dropped(text) | Ground::Holds(text) => {
                    *text = with_own_names(text);
                }
                Ground::Fact(_) | Ground::Rows { .. } => {}
            }
        }
    }
    proof
}
