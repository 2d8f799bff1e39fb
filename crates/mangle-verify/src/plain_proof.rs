//! Proofs in the words of the programs and of the property, without the names that a question adds.

use mangle_engine::kernel::{Ground, Proof};

use crate::goal_rules::{EXTENDED, GOAL};
use crate::program_pair::with_own_names;

/// A proof as its readers know the predicates: the goal is a solution, and predicates of another program have their own names.
pub(crate) fn plain_proof(mut proof: Proof) -> Proof {
    for node in &mut proof.nodes {
        let goal = format!("{GOAL}()");
        // In a package, the goal has the name of the package before it.
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
