//! Checks of joins: orders of premises that build rows only to discard them, and Cartesian products.

use smallvec::SmallVec;

use crate::analysis::CheckContext;
use crate::analysis::wording::{code, fix_or_help};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Literal, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) static JOIN_ORDER: Rule = rule!("join-order.md");

type Symbols = SmallVec<[Symbol; 8]>;

/// The positive atoms of a body with variables, and their connected components.
struct Parts<'c> {
    atoms: Vec<Atom<'c>>,
}

struct Atom<'c> {
    literal: &'c Literal,
    variables: Symbols,
    /// The smallest index of a connected atom.
    part: usize,
}

impl<'c> Parts<'c> {
    /// The atoms of `clause`, without connections.
    fn new(clause: &'c Clause) -> Self {
        let looked_up = |literal: &&Literal| !literal.is_negated() && !literal.atom.is_builtin();
        let atoms =
            clause.literals().filter(looked_up).map(|literal| variables_of(&literal.atom.args, literal));
        let mut atoms: Vec<_> = atoms.filter(|atom| !atom.variables.is_empty()).collect();
        for (at, atom) in atoms.iter_mut().enumerate() {
            atom.part = at;
        }
        Self { atoms }
    }

    /// Connects atoms that share a variable, directly or through other parts of the body.
    fn link_all(&mut self, clause: &Clause) {
        for at in 0..self.atoms.len() {
            let variables = self.atoms.get(at).map(|atom| atom.variables.clone()).unwrap_or_default();
            self.link(&variables);
        }
        for premise in &clause.premises {
            let mut variables = Symbols::new();
            match premise {
                Premise::Literal(literal) => collect(&literal.atom.args, &mut variables),
                Premise::Comparison(comparison) => {
                    collect([&comparison.left, &comparison.right], &mut variables);
                }
                Premise::Broken(_, terms) => collect(terms, &mut variables),
            }
            self.link(&variables);
        }
        // A value that depends on both atoms is a reason for both atoms.
        for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
            let mut variables = Symbols::new();
            collect([&statement.value], &mut variables);
            self.link(&variables);
        }
    }

    /// Connects all atoms with one of `variables`.
    fn link(&mut self, variables: &[Symbol]) {
        let touched = |atom: &&Atom<'_>| atom.variables.iter().any(|variable| variables.contains(variable));
        let parts: SmallVec<[usize; 4]> = self.atoms.iter().filter(touched).map(|atom| atom.part).collect();
        let Some(&first) = parts.iter().min() else { return };
        for atom in self.atoms.iter_mut().filter(|atom| parts.contains(&atom.part)) {
            atom.part = first;
        }
    }

    /// Two unconnected atoms that both have a variable of the head: the head needs the pairs.
    fn unconnected_head_atoms(&self, clause: &Clause) -> Option<(&'c Literal, &'c Literal)> {
        let mut head = Symbols::new();
        collect(&clause.head.args, &mut head);
        let mut wanted =
            self.atoms.iter().filter(|atom| atom.variables.iter().any(|variable| head.contains(variable)));
        let first = wanted.next()?;
        let second = wanted.find(|atom| atom.part != first.part)?;
        Some((first.literal, second.literal))
    }
}

fn variables_of<'c>(args: &[Term], literal: &'c Literal) -> Atom<'c> {
    let mut variables = Symbols::new();
    collect(args, &mut variables);
    Atom { literal, variables, part: 0 }
}

fn collect<'t>(terms: impl IntoIterator<Item = &'t Term>, into: &mut Symbols) {
    for term in terms {
        term.variables(&mut |symbol, _| {
            if !into.contains(&symbol) {
                into.push(symbol);
            }
        });
    }
}

/// Reports premise orders that build rows only to discard them in a later premise.
pub(super) fn check_order(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let parts = Parts::new(clause);
    let mut bound = Symbols::new();
    for (at, atom) in parts.atoms.iter().enumerate() {
        let joins = |atom: &Atom<'_>| atom.variables.iter().any(|variable| bound.contains(variable));
        if at > 0 && !joins(atom) && !narrowed(atom) {
            let later = parts.atoms.get(at + 1..).unwrap_or_default();
            let shares =
                |later: &Atom<'_>| later.variables.iter().any(|variable| atom.variables.contains(variable));
            if let Some(later) = later.iter().find(|later| joins(later) && shares(later)) {
                out.push(finding(context, clause, atom.literal, later.literal));
                return;
            }
        }
        bound.extend(atom.variables.iter().copied());
        bind_equalities(clause, atom.literal.range, &mut bound);
    }
}

/// True if a constant selects few rows.
fn narrowed(atom: &Atom<'_>) -> bool {
    atom.literal.atom.args.iter().any(Term::is_constant)
}

/// Marks variables of comparisons before the end of `until` as bound.
fn bind_equalities(clause: &Clause, until: TextRange, bound: &mut Symbols) {
    for premise in &clause.premises {
        if premise.range().start() > until.end() {
            break;
        }
        if let Premise::Comparison(comparison) = premise {
            collect([&comparison.left, &comparison.right], bound);
        }
    }
}

fn finding(context: &CheckContext<'_>, clause: &Clause, early: &Literal, late: &Literal) -> Finding {
    let [first, second] = [early, late].map(|literal| code(context.slice(literal.range), 32));
    let message = format!("{first} shares no variable with earlier premises");
    let finding = Finding::new(&JOIN_ORDER, early.range, message)
        .related(Span::here(late.range), "connects the premises")
        .note("the engine pairs all earlier solutions with all facts of this premise");
    fix_or_help(finding, fix(context, clause, early, late), &format!("move {second} before it"))
}

/// Moves the later premise before the earlier one. `None` if the edit would move a comment.
fn fix(context: &CheckContext<'_>, clause: &Clause, early: &Literal, late: &Literal) -> Option<Fix> {
    let at = clause.premises.iter().position(|premise| premise.range() == late.range)?;
    let before = clause.premises.get(at.checked_sub(1)?)?.range();
    let removed = TextRange::new(before.end(), late.range.end());
    let gap = context.slice(TextRange::new(before.end(), late.range.start()));
    let moved = context.slice(late.range).replace("\r\n", "\n");
    if gap.contains('#') || moved.contains('#') {
        return None;
    }
    let separator = gap.replace("\r\n", "\n");
    let title = format!("move {} before it", code(context.slice(late.range), 32));
    // Keep the whitespace after the comma.
    let separator = separator.split_once(',').map_or(" ", |(_, space)| space);
    Some(Fix::guess(title).insert(early.range.start(), format!("{moved},{separator}")).replace(removed, ""))
}

pub(super) static CARTESIAN_PRODUCT: Rule = rule!("cartesian-product.md");

/// Reports bodies with unconnected parts, which produce a Cartesian product.
pub(super) fn check_product(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let mut parts = Parts::new(clause);
    parts.link_all(clause);
    let Some((first, second)) = parts.unconnected_head_atoms(clause) else { return };
    let [one, other] = [first, second].map(|literal| code(context.slice(literal.range), 24));
    let finding =
        Finding::new(&CARTESIAN_PRODUCT, second.range, format!("{one} and {other} share no variable"))
            .related(Span::here(first.range), "other premise")
            .note("the engine pairs every fact of the one with every fact of the other");
    out.push(finding);
}
