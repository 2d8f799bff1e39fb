//! Premises with a leading colon: is there such a built-in, and has it all its arguments.

use mangle_engine::program::builtins;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::syntax::ast::Literal;

/// `:starts_with(S, "a")`
pub(super) static UNKNOWN_BUILTIN_PREDICATE: Rule = Rule {
    code: "MG304",
    name: "unknown-builtin-predicate",
    group: Group::Predicates,
    severity: Some(Severity::Error),
    summary: "A predicate with a leading colon that the engine does not have.",
    rationale: "Names with a leading colon belong to the engine; a program cannot define one. The \
        engine rejects an unknown one with a message about a mode that names neither the predicate \
        nor the place.",
    bad: "truck(\"T1-north\").\nnorthern(T) :- truck(T), :ends_with(T, \"-north\").\n",
    good: "truck(\"T1-north\").\nnorthern(T) :- truck(T), :string:ends_with(T, \"-north\").\n",
    fix: FixKind::Unsafe,
};

/// `:lt(X)`
pub(super) static BUILTIN_ARITY: Rule = Rule {
    code: "MG305",
    name: "builtin-arity",
    group: Group::Predicates,
    severity: Some(Severity::Error),
    summary: "A built-in predicate with too few or too many arguments.",
    rationale: "The engine rejects the program. Its message complains about an empty mode and does \
        not say which built-in or which line it means.",
    bad: "route([/depot, /harbour]).\nfirst(S) :- route(R), :match_cons(R, S).\n",
    good: "route([/depot, /harbour]).\nfirst(S) :- route(R), :match_cons(R, S, _).\n",
    fix: FixKind::None,
};

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
