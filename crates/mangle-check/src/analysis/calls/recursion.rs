//! Check for deferred predicates that call themselves.

use rustc_hash::FxHashSet;

use crate::analysis::{ProgramContext, ProgramFindings};
use mangle_engine::program::{PredicateId, graph::Edge};
use mangle_syntax::lint::{Finding, Rule, Span, rule};

pub(super) static DEFERRED_RECURSION: Rule = rule!("deferred-recursion.md");

/// Reports the calls that close a cycle, one per rule.
pub(super) fn check(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let program = context.program;
    let calls = |edge: &&Edge| {
        let deferred = |id| program.get(id).signature.deferred;
        !edge.negated && !edge.temporal && deferred(edge.from) && deferred(edge.to)
    };
    let mut edges: Vec<&Edge> = program.dependencies().recursive_edges(members).filter(calls).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    let mut seen = FxHashSet::default();
    for edge in edges {
        if !seen.insert((edge.file, edge.item)) {
            continue;
        }
        let Some(file) = program.files.get(edge.file as usize) else { continue };
        let Some(item) = file.items.get(edge.item as usize) else { continue };
        let predicate = program.get(edge.from);
        let message = format!(
            "deferred predicate `{}` calls itself{}",
            predicate.key.name,
            if edge.from == edge.to { "" } else { " indirectly" },
        );
        let mut finding = Finding::new(&DEFERRED_RECURSION, edge.range, message)
            .note("the engine mixes up the variables of nested calls and silently loses solutions")
            .help("use a recursive predicate that is not deferred");
        if let Some((file, statement, range)) = predicate.signature.declared {
            finding = finding.related(Span::new(file, statement, range), "declared here");
        }
        out.push(file.id, item.statement.id, finding);
    }
}
