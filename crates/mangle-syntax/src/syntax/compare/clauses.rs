//! Comparison of heads and premises: each new clause must have all premises of its original clause.

use rustc_hash::FxHashMap;

use super::canonical::{CanonicalPremise, CanonicalWriter, SeenVariables};
use super::{Loss, Side, declared};
use crate::syntax::ast::Clause;
use crate::text::Symbol;

/// A clause in canonical form.
struct Form {
    premises: Vec<CanonicalPremise>,
    transforms: Vec<String>,
}

/// The clauses by head.
type ByHead = FxHashMap<String, Vec<Form>>;

/// Compares the clauses. Returns the predicates that have statements only after the change.
pub(super) fn compare(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<(Symbol, u16)>, Loss> {
    let mut gained = declarations(before, after)?;
    let mut known = SeenVariables::default();
    before.clauses().for_each(|(_, clause)| known.add(clause));
    let (mut old, mut new) = (ByHead::default(), ByHead::default());
    for (item, clause) in before.clauses() {
        let (head, form) = form(&CanonicalWriter::new(*before, item, clause), clause);
        old.entry(head).or_default().push(form);
    }
    for (item, clause) in after.clauses() {
        let (head, form) = form(&CanonicalWriter::after(*after, item, clause, &known), clause);
        if !old.contains_key(&head) {
            gained.push((clause.head.name.symbol, clause.head.arity()));
        }
        new.entry(head).or_default().push(form);
    }
    for (head, old) in &old {
        let Some(new) = new.get(head) else { return Err(Loss::Statement(head.clone())) };
        same_head(old, new)?;
    }
    Ok(gained)
}

/// The head and the parts of a clause.
fn form(writer: &CanonicalWriter<'_>, clause: &Clause) -> (String, Form) {
    let form = Form { premises: writer.premises(clause), transforms: writer.transforms(clause) };
    (writer.head(clause), form)
}

/// Compares the clauses of one head. Each new clause must correspond to an old clause, and each old
/// clause to a new one.
fn same_head(old: &[Form], new: &[Form]) -> Result<(), Loss> {
    for one in new {
        let losses: Vec<_> = old.iter().map(|old| lost(old, one, new)).collect();
        if losses.iter().all(Option::is_some) {
            return Err(losses.into_iter().flatten().next().unwrap_or(Loss::Premise(String::new())));
        }
    }
    for old in old {
        let losses: Vec<_> = new.iter().map(|one| lost(old, one, new)).collect();
        if losses.iter().all(Option::is_some) {
            return Err(losses.into_iter().flatten().next().unwrap_or(Loss::Premise(String::new())));
        }
    }
    Ok(())
}

/// The first part of `old` that `new` lacks. `new` is one of the clauses `all` of its head.
fn lost(old: &Form, new: &Form, all: &[Form]) -> Option<Loss> {
    let has = |form: &Form, text: &str| form.premises.iter().any(|premise| premise.text == text);
    let missing = old.premises.iter().filter(|premise| !has(new, &premise.text));
    for premise in missing {
        let elsewhere = || all.iter().any(|form| has(form, &premise.text));
        let instead =
            |other: &CanonicalPremise| other.is_negated == premise.is_negated && !has(old, &other.text);
        let replaced = || new.premises.iter().any(instead);
        if !(premise.is_declared && (elsewhere() || replaced())) {
            return Some(Loss::Premise(premise.text.clone()));
        }
    }
    let mut transforms = new.transforms.iter();
    // In order, because a transform uses the results of earlier ones.
    let gone = old.transforms.iter().find(|wanted| !transforms.any(|found| found == *wanted));
    gone.map(|transform| Loss::Transform(transform.clone()))
}

/// Compares packages and declarations by name. Repeated statements can disappear.
fn declarations(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<(Symbol, u16)>, Loss> {
    let of = |side: &Side<'_>| side.items.iter().filter_map(declared).collect::<Vec<_>>();
    let (old, new) = (of(before), of(after));
    for item in before.items {
        let Some(one) = declared(item) else { continue };
        let is_declared = before.is_declared(item.statement.range() + item.start);
        if !new.contains(&one) && !is_declared {
            return Err(Loss::Statement(format!("{} {}/{}", one.0, one.1, one.2)));
        }
    }
    let is_new = |one: &&(&str, Symbol, u16)| one.0 == "Decl" && !old.contains(one);
    Ok(new.iter().filter(is_new).map(|(_, name, arity)| (*name, *arity)).collect())
}
