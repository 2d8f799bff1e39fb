//! Assist that replaces a premise with the body of the rule that defines its predicate.

use rustc_hash::{FxHashMap, FxHashSet};

use super::evaluation_order::{is_sound, is_stored};
use super::{Change, Context, names};
use crate::mention::{self, Entity, StatementPart};
use mangle_engine::program::{Predicate, Site};
use mangle_syntax::syntax::ast::{Atom, Clause, Item, Premise, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

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
    let mut taken: FxHashSet<Symbol> = names::variables(item).into_iter().collect();
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
                    true => names::variable(*name, &mut taken).as_str().to_owned(),
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
    for name in names::variables(rule.item) {
        renamed.entry(name).or_insert_with(|| names::variable(name, &mut taken).as_str().to_owned());
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
