//! The parameters in a declared atom: distinct variables.

use rustc_hash::FxHashMap;

use super::{descriptors, is_synthetic};
use crate::lint::{Finding, Fix, FixKind, Group, Rule, Severity, Span};
use crate::syntax::ast::{Declaration, Term, TermKind};
use crate::text::{Symbol, TextRange};

pub(super) static DECL_PARAM_REPEATED: Rule = Rule {
    code: "MG103",
    name: "decl-param-repeated",
    group: Group::Declarations,
    severity: Some(Severity::Error),
    summary: "A parameter of a `Decl` stands there twice",
    rationale: "Parameters name the columns. When one is repeated, `_` included, the engine counts fewer \
                parameters than arguments and rejects the program, with a message about missing `arg` atoms.",
    bad: "Decl parcel(ID, ID) bound [/name, /number].\nparcel(/p/one, 3).\n",
    good: "Decl parcel(ID, Weight) bound [/name, /number].\nparcel(/p/one, 3).\n",
    fix: FixKind::Safe,
};

/// Reports each parameter that stands there before.
pub(super) fn check(declaration: &Declaration, out: &mut Vec<Finding>) {
    // Where there are `arg` atoms the reference misses those instead, and `synthetic()` switches
    // the count off.
    if is_synthetic(declaration) || descriptors(declaration, "arg").next().is_some() {
        return;
    }
    let mut seen: FxHashMap<Symbol, TextRange> = FxHashMap::default();
    for parameter in &declaration.atom.args {
        let Some(name) = name_of(parameter) else { continue };
        let Some(&first) = seen.get(&name) else {
            seen.insert(name, parameter.range);
            continue;
        };
        let message = format!(
            "The parameter `{name}` of `{}` stands here a second time. Each column needs a name of its own; \
             the engine rejects this declaration.",
            declaration.atom.name.as_str()
        );
        let mut finding = Finding::new(&DECL_PARAM_REPEATED, parameter.range, message)
            .related(Span::here(first), "the first one");
        // Elsewhere in the declaration the name could mean either column.
        if !is_mentioned(name, declaration) {
            let fresh = fresh_name(name, declaration, &seen);
            let fix = Fix::safe(format!("Call this column `{fresh}`"));
            finding = finding.fix(fix.replace(parameter.range, fresh.as_str()));
            seen.insert(fresh, parameter.range);
        }
        out.push(finding);
    }
}

/// The word of a parameter, `_` included; `None` when it is no variable, which the parser reports.
fn name_of(parameter: &Term) -> Option<Symbol> {
    match parameter.kind {
        TermKind::Variable(name) => Some(name),
        TermKind::Wildcard => Some(Symbol::new("_")),
        _ => None,
    }
}

fn is_mentioned(name: Symbol, declaration: &Declaration) -> bool {
    let atoms = declaration.descriptors.iter().chain(&declaration.inclusion);
    let mut mentioned = false;
    for arg in atoms.flat_map(|atom| &atom.args) {
        arg.variables(&mut |variable, _| mentioned |= variable == name);
    }
    mentioned
}

/// `ID2`, `ID3`, …: a name that no parameter has.
fn fresh_name(name: Symbol, declaration: &Declaration, seen: &FxHashMap<Symbol, TextRange>) -> Symbol {
    let stem = if name.as_str() == "_" { "Column" } else { name.as_str() };
    let taken = |fresh: &Symbol| {
        seen.contains_key(fresh) || declaration.atom.args.iter().any(|arg| name_of(arg) == Some(*fresh))
    };
    let mut names = (2u32..).map(|number| Symbol::new(&format!("{stem}{number}")));
    names.find(|fresh| !taken(fresh)).unwrap_or(name)
}
