//! Assist that extracts the selected premises into a new rule.

use rustc_hash::FxHashSet;

use super::evaluation_order::is_sound;
use super::{Change, Context, names};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Clause, Item, Premise, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

pub(super) fn extract(context: &Context<'_>) -> Option<Change> {
    if context.selection.is_empty() {
        return None;
    }
    let (item, clause) = context.clause()?;
    let selected = selected(context, item, clause)?;
    let (first, last) = (selected.first()?, selected.last()?);
    let range = TextRange::new(first.range().start(), last.range().end());
    let name = names::predicate(context, &format!("{}_part", clause.head.name.as_str()));
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
