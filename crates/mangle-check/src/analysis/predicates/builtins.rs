//! Premises with a leading colon: is there such a built-in, and has it all its arguments.

use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::Literal;

/// `:starts_with(S, "a")`
pub(super) static UNKNOWN_BUILTIN_PREDICATE: Rule = rule!("unknown-builtin-predicate.md");

/// `:lt(X)`
pub(super) static BUILTIN_ARITY: Rule = rule!("builtin-arity.md");

/// Checks a premise; silent unless its name starts with a colon.
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
            let message = format!("`{name}` takes {wanted}, not {}.", atom.args.len());
            findings.push(Finding::new(&BUILTIN_ARITY, atom.range, message));
        }
        Some(_) => {}
    }
}

fn unknown(literal: &Literal) -> Finding {
    let name = literal.atom.name;
    let finding = |message| Finding::new(&UNKNOWN_BUILTIN_PREDICATE, name.range, message);
    let missing = format!("There is no built-in predicate `{name}`", name = name.symbol);
    if let Some(meant) = builtins::similar_predicate(name.as_str()) {
        let fix = super::functions::rename(name, meant.name);
        return finding(format!("{missing}; `{}` is probably meant.", meant.name)).fix(fix);
    }
    match builtins::correction(name.as_str()).map(|known| known.advice) {
        Some(advice) if !advice.is_empty() => finding(format!("{missing}: {advice}.")),
        _ => finding(format!("{missing}. Names with a leading colon are the engine's alone.")),
    }
}
