//! Detection of vacuous answers, which depend on no fact of a world because the program contains
//! the facts.

use mangle_engine::kernel::CompiledProgram;
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_syntax::text::{FileId, Symbol};

use crate::cone;
use crate::program_pair::original_name;

/// The maximum number of predicates in a message.
const MAX_NAMES: usize = 4;

/// Returns the predicates with facts and without rules that a goal depends on.
pub(crate) fn constants(
    program: &Program,
    compiled: &CompiledProgram,
    goal: PredicateId,
) -> Vec<PredicateKey> {
    let cone = cone::Dependencies::new(compiled).cone(&[goal], &[]);
    let needed = program.predicates.iter().filter(|predicate| {
        program.id(predicate.key).is_some_and(|id| cone.needs(id.0))
            && program.rules(predicate).next().is_none()
            && program.clauses(predicate).next().is_some()
    });
    let mut keys: Vec<PredicateKey> = needed
        .map(|predicate| {
            let (name, _) = original_name(predicate.key.name.as_str());
            PredicateKey { name: Symbol::new(&name), ..predicate.key }
        })
        .collect();
    keys.sort_by_key(|key| (key.name.as_str(), key.arity));
    keys.dedup();
    keys
}

/// Formats the message of a vacuous answer: the predicates with facts, the files of the facts, and
/// a remedy.
pub(crate) fn message(
    program: &Program,
    name: &dyn Fn(FileId) -> String,
    constants: &[PredicateKey],
) -> String {
    let of = |key: &PredicateKey| {
        let predicate = program.get(program.id(*key)?);
        let files: Vec<_> = program.clauses(predicate).map(|site| site.file.id).collect();
        let mut names: Vec<String> = files.iter().map(|file| name(*file)).collect();
        names.sort();
        names.dedup();
        let noun = if files.len() == 1 { "fact" } else { "facts" };
        Some(format!("`{key}` has {} {noun} in {}", files.len(), names.join(", ")))
    };
    let mut known: Vec<String> = constants.iter().filter_map(of).collect();
    if known.is_empty() {
        return "vacuous: it depends on no input".to_owned();
    }
    let more = known.len().saturating_sub(MAX_NAMES);
    if more > 0 {
        known.truncate(MAX_NAMES);
        known.push(format!("{more} more"));
    }
    let keys: Vec<_> = constants.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    format!(
        "vacuous: it depends on no input, because the program has the facts: {}; leave these facts out of the program, \
         or add `# @inputs {}` with the predicates that others supply",
        known.join("; "),
        keys.join(", ")
    )
}
