//! Checks of the parameters of a declared atom, which must be distinct variables.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{descriptors, is_synthetic};
use crate::analysis::wording::fix_or_help;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Declaration, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static DECL_PARAM_REPEATED: Rule = rule!("decl-param-repeated.md");

/// Reports repeated parameters.
pub(super) fn check(declaration: &Declaration, out: &mut Vec<Finding>) {
    // If `arg` atoms exist, the engine reports them as missing instead. `synthetic()` disables the
    // count.
    if is_synthetic(declaration) || descriptors(declaration, "arg").next().is_some() {
        return;
    }
    let mut seen: FxHashMap<Symbol, TextRange> = FxHashMap::default();
    let mentioned = mentioned(declaration);
    let mut fresh_names = FreshNames::new(declaration);
    for parameter in &declaration.atom.args {
        let Some(name) = name_of(parameter) else { continue };
        let Some(&first) = seen.get(&name) else {
            seen.insert(name, parameter.range);
            continue;
        };
        let message = format!("duplicate parameter `{name}` of `{}`", declaration.atom.name.as_str());
        let finding = Finding::new(&DECL_PARAM_REPEATED, parameter.range, message)
            .related(Span::here(first), "first occurrence")
            .note("the engine rejects a declaration with a repeated parameter");
        // The name can mean either column if the declaration uses it elsewhere.
        let fix = (!mentioned.contains(&name)).then(|| {
            let fresh = fresh_names.next(name);
            seen.insert(fresh, parameter.range);
            let fix = Fix::safe(format!("rename this parameter to `{fresh}`"));
            fix.replace(parameter.range, fresh.as_str())
        });
        out.push(fix_or_help(finding, fix, "rename one of the two parameters"));
    }
}

/// The name of a parameter, including `_`. `None` if the parameter is not a variable, which the
/// parser reports.
fn name_of(parameter: &Term) -> Option<Symbol> {
    match parameter.kind {
        TermKind::Variable(name) => Some(name),
        TermKind::Wildcard => Some(Symbol::new("_")),
        _ => None,
    }
}

/// The variables used by descriptors and inclusions.
fn mentioned(declaration: &Declaration) -> FxHashSet<Symbol> {
    let atoms = declaration.descriptors.iter().chain(&declaration.inclusion);
    let mut mentioned = FxHashSet::default();
    for arg in atoms.flat_map(|atom| &atom.args) {
        arg.variables(&mut |variable, _| {
            mentioned.insert(variable);
        });
    }
    mentioned
}

/// Generates unused parameter names: `ID2`, `ID3`, …
struct FreshNames {
    taken: FxHashSet<Symbol>,
    /// The last number used for each name.
    last: FxHashMap<Symbol, u32>,
}

impl FreshNames {
    fn new(declaration: &Declaration) -> Self {
        let taken = declaration.atom.args.iter().filter_map(name_of).collect();
        Self { taken, last: FxHashMap::default() }
    }

    /// A new name in place of `name`.
    fn next(&mut self, name: Symbol) -> Symbol {
        let stem = if name.as_str() == "_" { "Column" } else { name.as_str() };
        let last = self.last.entry(name).or_insert(1);
        loop {
            *last += 1;
            let fresh = Symbol::new(&format!("{stem}{last}"));
            if self.taken.insert(fresh) {
                return fresh;
            }
        }
    }
}
