//! Input predicates of worlds, and their selection: from the property, the test file or the settings.
//! Default: predicates whose facts come from outside of the program.

use mangle_check::policy_test::property::{Inputs, Restrictions};
use mangle_engine::kernel::ValueId;
use mangle_engine::program::{Predicate, PredicateId, PredicateKey, Program};
use mangle_engine::types::{Rows, Type};
use mangle_syntax::text::Symbol;

use crate::program_pair::{original_name, renamed_key};

/// An input predicate, or one alternative of its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The predicates that share the facts of the input: one, or one in each of two compared
    /// programs.
    pub predicates: Vec<PredicateId>,
    /// The possible values of each column, in order of preference.
    pub columns: Vec<Vec<ValueId>>,
    /// For each column, the numbers of its groups of exchangeable values.
    pub(crate) groups: Vec<Vec<usize>>,
}

/// An input predicate with its declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputPredicate {
    /// The predicates that share the facts of the input: one, or one in each of two compared
    /// programs.
    pub predicates: Vec<PredicateId>,
    /// The types of the arguments, one row per alternative of the declaration.
    pub rows: Vec<Vec<Type>>,
}

/// Returns the predicates of a program whose facts a consumer accepts, by its name. The error is a
/// message.
pub type Consumer<'c> = dyn Fn(&Program, &str) -> Result<Vec<PredicateKey>, String> + 'c;

/// Returns the names of the input predicates.
///
/// `always` replaces the default inputs unless it is empty. `consumer` returns the predicates that
/// a consumer of replies accepts.
///
/// # Errors
/// Returns an error if a named predicate does not exist.
pub(crate) fn input_predicates(
    program: &Program,
    always: &[PredicateKey],
    consumer: &Consumer<'_>,
    restrictions: [&Restrictions; 2],
) -> Result<Vec<PredicateKey>, String> {
    let mut keys = if always.is_empty() { usual_inputs(program) } else { always.to_vec() };
    for inputs in restrictions.into_iter().flat_map(|found| &found.inputs) {
        match inputs {
            Inputs::Only(only) => keys = only.clone(),
            Inputs::Also(more) => keys.extend(more.iter().copied()),
            Inputs::Consumer(name) => keys = consumer(program, name)?,
        }
    }
    keys.sort_by_key(|key| (key.name.as_str(), key.arity));
    keys.dedup();
    match keys.iter().find(|key| holders(program, **key).is_empty()) {
        Some(unknown) => Err(format!("unknown predicate `{unknown}`")),
        None => Ok(keys),
    }
}

/// Returns the predicates whose facts come from outside of the program.
fn usual_inputs(program: &Program) -> Vec<PredicateKey> {
    let is_input = |predicate: &&Predicate| {
        let signature = &predicate.signature;
        let is_given = signature.extensional || signature.external || signature.host;
        !signature.deferred && signature.reflects.is_none() && (is_given || signature.defined.is_none())
    };
    let uses_or_declares = |predicate: &&Predicate| {
        predicate.signature.declared.is_some()
            || predicate.signature.host
            || program.uses(predicate).next().is_some()
    };
    let name = |predicate: &Predicate| {
        let (name, _) = original_name(predicate.key.name.as_str());
        PredicateKey { name: Symbol::new(&name), ..predicate.key }
    };
    program.predicates.iter().filter(is_input).filter(uses_or_declares).map(name).collect()
}

/// Returns the predicates with this name: one, or one in each of two programs.
pub(crate) fn holders(program: &Program, key: PredicateKey) -> Vec<PredicateId> {
    [key, renamed_key(key)].into_iter().filter_map(|key| program.id(key)).collect()
}

/// Returns an input with its declared types. The first of two declarations is used.
pub(crate) fn input(program: &Program, key: PredicateKey) -> InputPredicate {
    let predicates = holders(program, key);
    let arity = usize::from(key.arity);
    let declared = predicates.iter().find_map(|id| {
        let predicate = program.get(*id);
        program.declaration(predicate).filter(|_| !predicate.signature.synthetic)
    });
    let rows = declared.map(Rows::declared).map_or_else(Vec::new, |rows| rows.alternatives.to_vec());
    let rows: Vec<Vec<Type>> = rows.into_iter().filter(|row| row.len() == arity).collect();
    let rows = if rows.is_empty() { vec![vec![Type::Any; arity]] } else { rows };
    InputPredicate { predicates, rows }
}
