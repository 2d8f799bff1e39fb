//! Checks of premises with a leading colon: unknown built-in predicates and wrong arity.

use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::Literal;

/// For example `:starts_with(S, "a")`.
pub(super) static UNKNOWN_BUILTIN_PREDICATE: Rule = rule!("unknown-builtin-predicate.md");

/// For example `:lt(X)`.
pub(super) static BUILTIN_ARITY: Rule = rule!("builtin-arity.md");

/// Checks a premise if its name starts with a colon.
pub(super) fn check(literal: &Literal, findings: &mut Vec<Finding>) {
    let atom = &literal.atom;
    if !atom.is_builtin() {
        return;
    }
    let name = atom.name.as_str();
    match builtins::predicate(name) {
        None => findings.push(unknown(literal)),
        Some(known) if known.arity() != atom.args.len() => {
            let wanted = builtins::Arity::Exactly(known.arity());
            let message = format!("`{name}` takes {wanted}, found {}", atom.args.len());
            let finding = Finding::new(&BUILTIN_ARITY, atom.range, message);
            findings.push(finding.note("the engine rejects the program"));
        }
        Some(_) => {}
    }
}

fn unknown(literal: &Literal) -> Finding {
    let name = literal.atom.name;
    let message = format!("unknown built-in predicate `{}`", name.symbol);
    let finding =
        Finding::new(&UNKNOWN_BUILTIN_PREDICATE, name.range, message).note("the engine rejects the program");
    if let Some(meant) = builtins::similar_predicate(name.as_str()) {
        return finding.fix(super::functions::rename(name, meant.name));
    }
    match builtins::correction(name.as_str()).map(|known| known.advice) {
        Some(advice) if !advice.is_empty() => finding.help(advice),
        _ => finding.note("names with a leading colon are reserved for built-ins"),
    }
}
