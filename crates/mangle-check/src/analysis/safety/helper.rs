//! Fix for a negation with unbound columns: a helper rule without these columns.
//!
//! `!locked(D, _)` becomes `!has_locked(D)`, with a new rule `has_locked(D) :- locked(D, _).` next
//! to the clause. An existing helper with the same meaning is reused.

use std::hash::{Hash as _, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use super::Subject;
use crate::analysis::CheckContext;
use mangle_engine::program::{Difference, FileSummary, Predicate, Program, Site, UseKind};
use mangle_syntax::lint::{Applicability, Fix};
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Literal, Premise, Term};
use mangle_syntax::text::{Symbol, TextSize, text_len};

/// The fix for `literal`, the premise `index`. `keeps` selects the arguments of the helper. `None`
/// if a helper rule would change the meaning: built-ins, modes, temporal predicates, `_` inside
/// expressions.
pub(super) fn fix(
    subject: &Subject<'_>,
    index: u32,
    literal: &Literal,
    keeps: &dyn Fn(&Term) -> bool,
    applicability: Applicability,
) -> Option<Fix> {
    let signature = subject.signatures.premise(index)?;
    let predicate = subject.context.predicate(&literal.atom)?;
    let special =
        signature.temporal || signature.external || signature.deferred || !signature.modes.is_empty();
    if special || signature.origin().is_none() || has_inner_wildcard(&literal.atom) {
        return None;
    }
    let kept: Vec<bool> = literal.atom.args.iter().map(keeps).collect();
    let known = existing(subject.context, predicate, &kept);
    let name =
        known.map_or_else(|| fresh_name(subject.context, &literal.atom), |name| name.as_str().to_owned());
    let args = literal.atom.args.iter().zip(&kept).filter(|(_, kept)| **kept);
    let args: Vec<_> = args.map(|(term, _)| subject.context.slice(term.range)).collect();
    let call = format!("{name}({})", args.join(", "));
    let title = match known {
        Some(_) => format!("negate `{call}` instead"),
        None => format!("add the helper rule `{name}` and negate it instead"),
    };
    let fix = Fix::new(title, applicability).replace(literal.atom.range, call).replacing(literal.range);
    if known.is_some() {
        return Some(fix);
    }
    let (at, text) = placed(subject, &helper_text(&name, &literal.atom, &kept, signature.declared.is_some()));
    Some(fix.insert(at, text))
}

fn has_inner_wildcard(atom: &Atom) -> bool {
    let mut found = false;
    for term in atom.args.iter().filter(|term| !term.is_wildcard()) {
        term.walk(&mut |term| found |= term.is_wildcard());
    }
    found
}

/// An unused name: `has_p`, `has_p2` and so on.
fn fresh_name(context: &CheckContext<'_>, atom: &Atom) -> String {
    let stem = stem(atom.name.as_str());
    let numbered = (2..).map(|number: u32| format!("has_{stem}{number}"));
    let (package, program) = (context.file.package, context.program);
    let taken = |name: &str| {
        let qualified = package.map(|package| Symbol::new(&format!("{package}.{name}")));
        let names = [Some(Symbol::new(name)), qualified];
        names.into_iter().flatten().any(|name| program.named(name).next().is_some())
    };
    std::iter::once(format!("has_{stem}")).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// The part of a helper's name that derives from the predicate.
pub(super) fn stem(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The rule of the helper, preceded by a `Decl` if `declared`.
fn helper_text(name: &str, atom: &Atom, kept: &[bool], declared: bool) -> String {
    let mut head: Vec<String> = Vec::new();
    let mut body: Vec<String> = Vec::new();
    let variables: FxHashSet<Symbol> = atom.args.iter().filter_map(Term::variable).collect();
    let mut named: FxHashSet<Symbol> = FxHashSet::default();
    for (at, (term, kept)) in atom.args.iter().zip(kept).enumerate() {
        if !kept {
            body.push("_".to_owned());
            continue;
        }
        // Constants and repeated variables get a new name: the helper serves every use.
        let own = term.variable().filter(|symbol| named.insert(*symbol));
        let own = own.map(|symbol| symbol.as_str().to_owned());
        let variable = own.unwrap_or_else(|| fresh_argument(&variables, at));
        head.push(variable.clone());
        body.push(variable);
    }
    let (head, body) = (head.join(", "), body.join(", "));
    let bound = if head.is_empty() { " bound []" } else { "" };
    let declaration = if declared { format!("Decl {name}({head}){bound}.\n") } else { String::new() };
    format!("{declaration}{name}({head}) :- {}({body}).", atom.name.as_str())
}

/// A variable for the argument at `at` that is not in `variables`.
fn fresh_argument(variables: &FxHashSet<Symbol>, at: usize) -> String {
    let taken = |name: &str| variables.contains(&Symbol::new(name));
    let stem = format!("Arg{}", at + 1);
    let primed = (2..).map(|number: u32| format!("{stem}v{number}"));
    std::iter::once(stem.clone()).chain(primed).find(|name| !taken(name)).unwrap_or_default()
}

/// Places the helper before the clause, or after it if a comment above describes the clause.
fn placed(subject: &Subject<'_>, helper: &str) -> (TextSize, String) {
    let (file, item) = (subject.context.file, subject.context.item);
    match place_behind(file, item) {
        Some(at) => (at, format!("\n\n{helper}")),
        None => (TextSize::new(0), format!("{helper}\n\n")),
    }
}

/// The position of a helper after a clause, relative to its start. `None` unless a comment above
/// describes the clause and at most a comment follows on its line.
pub(crate) fn place_behind(file: &FileSummary, item: &Item) -> Option<TextSize> {
    let above = file.text.get(..usize::from(item.start)).unwrap_or("");
    let commented = above.strip_suffix('\n').is_some_and(|above| {
        above.lines().next_back().is_some_and(|line| line.trim_start().starts_with('#'))
    });
    let end = usize::from(item.start + item.statement.len);
    let rest = file.text.get(end..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let is_free = rest.trim().is_empty() || rest.trim_start().starts_with('#');
    (commented && is_free).then(|| item.statement.len + text_len(rest.trim_end()))
}

/// Name prefixes of helper predicates. Other predicates with the same meaning can change
/// independently.
const HELPER_PREFIXES: [&str; 4] = ["has_", "is_", "any_", "ever_"];

/// Maximum number of uses of a predicate to search for a helper. Most predicates have fewer.
const USES_SEARCHED: usize = 256;

/// The name of a helper of this package that is equivalent to the new one.
fn existing(context: &CheckContext<'_>, predicate: &Predicate, kept: &[bool]) -> Option<Symbol> {
    let same = candidates(context, predicate).find(|(_, clause)| is_equivalent_helper(clause, kept));
    same.map(|(_, clause)| clause.head.name.symbol)
}

/// The rules of this package that can be helpers: single rules of predicates with a helper's name.
fn candidates<'c>(
    context: &'c CheckContext<'_>,
    predicate: &'c Predicate,
) -> impl Iterator<Item = (&'c Item, &'c Clause)> {
    let (program, package) = (context.program, context.file.package);
    program.uses(predicate).take(USES_SEARCHED).filter_map(move |(Site { file, item, .. }, kind)| {
        let clause =
            item.statement.clause().filter(|_| kind == UseKind::Positive && file.package == package)?;
        let head = program.predicate_of(file, &clause.head)?;
        let fits = is_called_like_a_helper(clause.head.name.as_str())
            && !head.signature.temporal
            && head.signature.modes.is_empty()
            && !item.statement.damaged
            && program.clauses(head).take(2).count() == 1;
        fits.then_some((item, clause))
    })
}

fn is_called_like_a_helper(name: &str) -> bool {
    HELPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// True if a clause has the form `helper(kept variables) :- predicate(…).`
fn is_equivalent_helper(clause: &Clause, kept: &[bool]) -> bool {
    let [Premise::Literal(literal)] = clause.premises.as_slice() else { return false };
    if !clause.transforms.is_empty() || literal.is_negated() || literal.is_temporal() {
        return false;
    }
    let mut head = clause.head.args.iter().map(Term::variable);
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    for (term, kept) in literal.atom.args.iter().zip(kept) {
        let fits = match term.variable() {
            Some(symbol) if !seen.insert(symbol) => false,
            Some(symbol) => !kept || head.next() == Some(Some(symbol)),
            None => term.is_wildcard() && !kept,
        };
        if !fits {
            return false;
        }
    }
    let kept_args = literal.atom.args.iter().zip(kept).filter(|(_, kept)| **kept);
    let kept_variables: FxHashSet<Symbol> = kept_args.filter_map(|(term, _)| term.variable()).collect();
    let left_out = |symbol: Symbol| !kept_variables.contains(&symbol);
    head.next().is_none() && !clause.head.args.iter().filter_map(Term::variable).any(left_out)
}

/// A hash of everything outside of a clause that determines the helpers of its fixes.
pub(crate) fn helper_fingerprint(context: &CheckContext<'_>, clause: &Clause) -> u64 {
    let mut hasher = FxHasher::default();
    for literal in clause.literals().filter(|literal| literal.is_negated()) {
        fresh_name(context, &literal.atom).hash(&mut hasher);
        for (item, clause) in
            context.predicate(&literal.atom).into_iter().flat_map(|predicate| candidates(context, predicate))
        {
            (item.statement.id, clause.head.name.symbol).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Adds the names that a clause negates, in the form of [`with_other_helpers`].
pub(crate) fn negated_names(context: &CheckContext<'_>, clause: &Clause, names: &mut FxHashSet<Symbol>) {
    for literal in clause.literals().filter(|literal| literal.is_negated()) {
        names.insert(Symbol::new(&stem(literal.atom.name.as_str())));
        names.extend(context.predicate(&literal.atom).map(|predicate| predicate.key.name));
    }
}

/// The predicates whose helpers can differ after a change of `program`, including name stems of
/// helpers.
pub(crate) fn with_other_helpers(program: &Program, difference: &Difference) -> FxHashSet<Symbol> {
    let touched = || difference.touched.iter().map(|id| program.get(*id));
    let mut names = FxHashSet::default();
    let mut has_helpers = false;
    for helper in touched() {
        let name = helper.key.name.as_str();
        let name = name.rsplit('.').next().unwrap_or(name);
        if !is_called_like_a_helper(name) {
            continue;
        }
        has_helpers = true;
        if let Some(numbered) = name.strip_prefix("has_") {
            names
                .extend([numbered, numbered.trim_end_matches(|c: char| c.is_ascii_digit())].map(Symbol::new));
        }
        for site in program.clauses(helper).take(2) {
            let literals = site.item.statement.clause().into_iter().flat_map(Clause::literals);
            let used = literals.filter_map(|literal| program.predicate_of(site.file, &literal.atom));
            names.extend(used.map(|predicate| predicate.key.name));
        }
    }
    // A removed rule no longer lists its uses. If a predicate has many uses, the searched part can
    // change.
    let is_searched_in_part = |predicate: &&Predicate| program.uses(predicate).nth(USES_SEARCHED).is_some();
    let others = touched().filter(|predicate| has_helpers || is_searched_in_part(predicate));
    names.extend(others.map(|predicate| predicate.key.name));
    names
}
