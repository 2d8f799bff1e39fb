//! Assists on the premises of a rule: extract them into a new rule, inline a rule, and add a helper
//! rule for a negation with wildcard columns.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Change, Context};
use crate::mention::{self, Entity, StatementPart};
use mangle_check::analysis::{self, negation_helper};
use mangle_engine::program::binding::Bindings;
use mangle_engine::program::rewrite::{ClauseSignatures, NegationEffect, Rewriting};
use mangle_engine::program::{Predicate, Signature, Site};
use mangle_syntax::lint::Anchor;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Literal, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

/// Extracts the selected premises into a new rule.
pub(super) fn extract(context: &Context<'_>) -> Option<Change> {
    if context.selection.is_empty() {
        return None;
    }
    let (item, clause) = context.clause()?;
    let selected = selected(context, item, clause)?;
    let (first, last) = (selected.first()?, selected.last()?);
    let range = TextRange::new(first.range().start(), last.range().end());
    let name = unused_predicate(context, &format!("{}_part", clause.head.name.as_str()));
    let parameters = parameters(clause, selected, range);
    let call =
        format!("{name}({})", parameters.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "));
    let stop = if ends_with_name(last) { " ." } else { "." };
    let rule = format!("{call} :-\n    {}{stop}", context.slice(item, range).replace("\r\n", "\n"));
    let parsed = SourceFile::parse(rule.as_str().into());
    let [helper] = &parsed.items()[..] else { return None };
    let is_whole = !helper.statement.damaged;
    helper.statement.clause().filter(|clause| is_whole && is_sound(context, clause))?;
    let title = match selected.len() {
        1 => format!("Extract the premise into the rule `{name}`"),
        count => format!("Extract {count} premises into the rule `{name}`"),
    };
    Some(place_rule(context, item, Change::new(title).replace(range + item.start, call), &rule))
}

/// Inserts the rule after the clause, or before it if the last line of the clause contains other
/// text.
fn place_rule(context: &Context<'_>, item: &Item, change: Change, rule: &str) -> Change {
    let text = context.place.text();
    let end = item.start + item.statement.len;
    let rest = slice(text, TextRange::new(end, mangle_syntax::text::text_len(text)));
    if rest.lines().next().is_none_or(|line| line.trim().is_empty()) {
        change.insert(end, format!("\n\n{rule}"))
    } else {
        change.insert(item.start, format!("{rule}\n\n"))
    }
}

/// Returns the premises that the selection touches. `None` if a premise is only partly selected, or
/// if the premises cannot leave their clause.
fn selected<'a>(context: &Context<'_>, item: &Item, clause: &'a Clause) -> Option<&'a [Premise]> {
    let touches = |premise: &Premise| {
        (premise.range() + item.start).intersect(context.selection).is_some_and(|common| !common.is_empty())
    };
    let first = clause.premises.iter().position(touches)?;
    let last = clause.premises.iter().rposition(touches)?;
    let all = clause.premises.get(first..=last)?;
    let is_whole = |premise: &Premise| context.selection.contains_range(premise.range() + item.start);
    let is_inside = all.iter().all(is_whole)
        && TextRange::at(item.start, item.statement.len).contains_range(context.selection);
    let timeless = clause.interval.is_none() && clause.literals().all(|literal| !literal.is_temporal());
    (is_inside && timeless).then_some(all)
}

/// Returns the variables of the premises that the rest of the clause uses, in source order. Returns
/// all variables if the clause aggregates, because aggregation counts rows.
fn parameters(clause: &Clause, selected: &[Premise], range: TextRange) -> Vec<Symbol> {
    let mut rest: FxHashSet<Symbol> = FxHashSet::default();
    let mut needs = |name: Symbol| {
        rest.insert(name);
    };
    clause.head.args.iter().for_each(|term| term.variables(&mut |name, _| needs(name)));
    for premise in clause.premises.iter().filter(|premise| !range.contains_range(premise.range())) {
        of_premise(premise, &mut needs);
    }
    for statement in clause.transforms.iter().flat_map(|transform| &transform.statements) {
        statement.value.variables(&mut |name, _| needs(name));
    }
    let mut parameters: Vec<Symbol> = Vec::new();
    for premise in selected {
        of_premise(premise, &mut |name| {
            if (clause.aggregates() || rest.contains(&name)) && !parameters.contains(&name) {
                parameters.push(name);
            }
        });
    }
    parameters
}

fn of_premise(premise: &Premise, visit: &mut impl FnMut(Symbol)) {
    let mut all = |term: &mangle_syntax::syntax::ast::Term| term.variables(&mut |name, _| visit(name));
    match premise {
        Premise::Literal(literal) => literal.atom.args.iter().for_each(all),
        Premise::Comparison(comparison) => {
            all(&comparison.left);
            all(&comparison.right);
        }
        Premise::Broken(_, terms) => terms.iter().for_each(all),
    }
}

/// True if a following full stop would become part of the name.
fn ends_with_name(premise: &Premise) -> bool {
    matches!(premise, Premise::Comparison(comparison) if matches!(comparison.right.kind, TermKind::Name(_)))
}

/// Replaces a premise with the body of the rule that defines its predicate.
pub(super) fn inline(context: &Context<'_>) -> Option<Change> {
    let (item, clause) = context.clause()?;
    let mention = context.place.mention()?;
    let literal = clause.literal_at(mention.range.checked_sub(item.start)?)?;
    // Aggregation counts rows, and inlined variables would change their number.
    if literal.is_negated() || literal.is_temporal() || clause.aggregates() {
        return None;
    }
    let predicate = context.place.program().predicate_of(context.place.file, &literal.atom)?;
    let rule = only_rule(context, predicate)?;
    let definition = rule.item.statement.clause()?;
    if rule.item.statement.id == item.statement.id || !is_sound(context, definition) {
        return None;
    }
    let (renamed, mut premises) = unify(context, item, &literal.atom, &rule, definition)?;
    premises.push(body(&rule, definition, &renamed)?);
    let title = format!("Inline the rule of `{}`", predicate.key);
    Some(Change::new(title).replace(literal.range + item.start, premises.join(", ")))
}

/// Returns the only clause of a predicate if it is a plain, non-recursive rule.
fn only_rule<'a>(context: &Context<'a>, predicate: &'a Predicate) -> Option<Site<'a>> {
    let program = context.place.program();
    let mut clauses = program.clauses(predicate);
    let (Some(rule), None) = (clauses.next(), clauses.next()) else { return None };
    let signature = &predicate.signature;
    let is_plain = is_stored(signature) && !signature.host && !signature.extensional;
    let clause = rule.item.statement.clause().filter(|_| is_plain && !rule.item.statement.damaged)?;
    let is_rule = !clause.premises.is_empty() && clause.transforms.is_empty() && clause.interval.is_none();
    let own = |literal: &mangle_syntax::syntax::ast::Literal| {
        program.predicate_of(rule.file, &literal.atom).is_some_and(|found| found.key == predicate.key)
    };
    let fits = is_rule && !clause.literals().any(own) && rule.file.package == context.place.file.package;
    fits.then_some(rule)
}

/// Returns the new name of each rule variable in the calling clause, and the premises that replace
/// constants in the head of the rule.
fn unify(
    context: &Context<'_>,
    item: &Item,
    call: &Atom,
    rule: &Site<'_>,
    definition: &Clause,
) -> Option<(FxHashMap<Symbol, String>, Vec<String>)> {
    let mut taken: FxHashSet<Symbol> = distinct_variables(item).into_iter().collect();
    let mut renamed: FxHashMap<Symbol, String> = FxHashMap::default();
    let mut premises = Vec::new();
    for (head, given) in definition.head.args.iter().zip(&call.args) {
        let text = context.slice(item, given.range);
        match &head.kind {
            TermKind::Variable(name) if renamed.contains_key(name) => return None,
            TermKind::Variable(name) => {
                let is_simple =
                    given.variable().is_some() || (given.is_constant() && !is_compared(definition, *name));
                let new = match given.is_wildcard() {
                    true => unused_variable(*name, &mut taken).as_str().to_owned(),
                    false if is_simple => text.to_owned(),
                    false => return None,
                };
                renamed.insert(*name, new);
            }
            _ if head.is_constant() => {
                let constant = slice(rule.file.statement_text(rule.item), head.range);
                premises.extend(equation(given, text, constant)?);
            }
            _ => return None,
        }
    }
    for name in distinct_variables(rule.item) {
        renamed.entry(name).or_insert_with(|| unused_variable(name, &mut taken).as_str().to_owned());
    }
    Some((renamed, premises))
}

/// Returns the premise that makes a call argument equal to a constant of the head. `Some(None)` if
/// no premise is needed; `None` if the two never match.
fn equation(given: &Term, text: &str, constant: &str) -> Option<Option<String>> {
    match given.variable() {
        Some(name) => Some(Some(format!("{name} = {constant}"))),
        None if given.is_wildcard() || text == constant => Some(None),
        None => None,
    }
}

/// True if a variable occurs in a comparison. A constant there may be invalid.
fn is_compared(clause: &Clause, name: Symbol) -> bool {
    let mut found = false;
    for premise in &clause.premises {
        if let Premise::Comparison(comparison) = premise {
            let mut look = |other: Symbol, _: TextRange| found |= other == name;
            comparison.left.variables(&mut look);
            comparison.right.variables(&mut look);
        }
    }
    found
}

fn body(rule: &Site<'_>, definition: &Clause, renamed: &FxHashMap<Symbol, String>) -> Option<String> {
    let (first, last) = (definition.premises.first()?, definition.premises.last()?);
    let range = TextRange::new(first.range().start(), last.range().end()) + rule.item.start;
    let mut edits: Vec<(TextRange, &str)> = Vec::new();
    mention::each(rule.item, &mut |mention| {
        if let (Entity::Variable(name), StatementPart::Body | StatementPart::Negated) =
            (mention.entity, mention.part)
        {
            edits.extend(renamed.get(&name).map(|new| (mention.range - range.start(), new.as_str())));
        }
    });
    edits.sort_unstable_by_key(|(range, _)| range.start());
    let text = slice(&rule.file.text, range);
    mangle_syntax::text::apply(text, edits).map(|text| text.replace("\r\n", "\n"))
}

/// Adds a helper rule for a negation with wildcard columns, because the engine drops such negations:
/// `!locked(D, _)` becomes `!has_locked(D)`.
///
/// The edit equals the fix of the corresponding finding. The assist is also available if the finding
/// is silenced or disabled.
pub(super) fn extract_negation(context: &Context<'_>) -> Option<Change> {
    let (item, clause) = context.clause()?;
    let place = context.place;
    let at = place.offset.checked_sub(item.start)?;
    let index = clause.premises.iter().position(|premise| premise.range().contains_inclusive(at))?;
    let Some(Premise::Literal(literal)) = clause.premises.get(index) else { return None };
    if !literal.is_negated() || literal.is_temporal() {
        return None;
    }
    let inferred = OnceCell::new();
    let checked = analysis::CheckContext {
        program: place.program(),
        types: place.analysis.types(),
        file: place.file,
        item,
        text: place.file.statement_text(item),
        inferred: &inferred,
    };
    let fix = negation_helper(&checked, clause, u32::try_from(index).ok()?)?;
    let change = fix
        .edits
        .into_iter()
        .filter(|edit| edit.span.anchor == Anchor::Own)
        .fold(Change::new(fix.title), |change, edit| change.replace(edit.span.range + item.start, edit.text));
    Some(change)
}

/// True if the engine evaluates `clause` of the current file as written: every variable is bound
/// before its use, and no negation is dropped. Only premises of such clauses can be moved.
fn is_sound(context: &Context<'_>, clause: &Clause) -> bool {
    let place = context.place;
    let lookup = |atom: &_| Some(&place.program().predicate_of(place.file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let rewriting = Rewriting::new(clause, &signatures, place.program().embedding.capabilities());
    let bindings = Bindings::new(clause, &signatures, &rewriting);
    let kept = rewriting
        .negations
        .iter()
        .all(|negation| matches!(negation.fate, NegationEffect::Kept | NegationEffect::Repeated));
    kept && bindings.variables().iter().all(|variable| variable.bound.is_some() && variable.value.is_some())
        && clause.premises.iter().all(|premise| match premise {
            Premise::Literal(literal) => is_plain(context, literal),
            Premise::Comparison(_) => true,
            Premise::Broken(..) => false,
        })
}

/// True if an atom only reads stored facts, without temporal operators.
fn is_plain(context: &Context<'_>, literal: &Literal) -> bool {
    let place = context.place;
    let signature = place.program().predicate_of(place.file, &literal.atom).map(|found| &found.signature);
    !literal.is_temporal() && signature.is_none_or(is_stored)
}

/// True if the facts of a predicate are stored: not temporal, external, deferred, reflected or moded.
fn is_stored(signature: &Signature) -> bool {
    let special =
        signature.temporal || signature.external || signature.deferred || signature.reflects.is_some();
    !special && signature.modes.is_empty()
}

/// Returns `stem`, or `stem2`, `stem3`, … if the program already has a predicate with that name.
fn unused_predicate(context: &Context<'_>, stem: &str) -> String {
    let plain: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let (program, package) = (context.place.program(), context.place.file.package);
    let taken = |name: &str| {
        let qualified = package.map(|package| Symbol::new(&format!("{package}.{name}")));
        [Some(Symbol::new(name)), qualified]
            .into_iter()
            .flatten()
            .any(|name| program.named(name).next().is_some())
    };
    let numbered = (2..).map(|number: u32| format!("{plain}{number}"));
    std::iter::once(plain.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// Returns the distinct variables of a statement, in order of first occurrence.
fn distinct_variables(item: &Item) -> Vec<Symbol> {
    let (mut names, mut seen) = (Vec::new(), FxHashSet::default());
    mention::each(item, &mut |mention| {
        if let Entity::Variable(name) = mention.entity
            && seen.insert(name)
        {
            names.push(name);
        }
    });
    names
}

/// Returns `stem`, or `stem2`, `stem3`, … if `taken` contains it. Adds the result to `taken`.
fn unused_variable(stem: Symbol, taken: &mut FxHashSet<Symbol>) -> Symbol {
    let numbered = (2..).map(|number: u32| Symbol::new(&format!("{stem}{number}")));
    let free = std::iter::once(stem).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(stem);
    taken.insert(free);
    free
}
