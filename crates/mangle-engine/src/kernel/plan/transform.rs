//! Compiles transforms: `|> let …` and `|> do fn:group_by(…), let …`.

use rustc_hash::FxHashMap;

use super::body::Body;
use super::temporal::NO_INTERVAL;
use super::{AFTER_BODY, Aggregate, Let, Lookup, RelationId, RowArgs, RuleId, Slot, ValueSource};
use crate::kernel::{Failure, Reducer};
use crate::program::builtins;
use mangle_syntax::syntax::ast::{Clause, Premise, Term, Transform, TransformStatement};
use mangle_syntax::text::Symbol;

impl Body<'_> {
    /// Adds the statements of a `let` transform. If a variable is assigned twice, the first is
    /// used.
    pub(super) fn lets(&mut self, transform: &Transform) {
        for statement in &transform.statements {
            let Some(Some(source)) = self.value(&statement.value) else {
                return self.fail("a variable in this `let` is unbound");
            };
            if let Some(name) = statement.variable.as_ref().and_then(Term::variable)
                && self.lookup(name).is_none()
            {
                self.define(name, source);
            }
        }
    }

    /// The sources of the tuple of a head. `None` if the head is unreachable.
    pub(super) fn head(&mut self, args: &[Term]) -> Option<Box<[ValueSource]>> {
        let mut head = Vec::with_capacity(args.len());
        for term in args {
            match self.value(term)? {
                Some(source) => head.push(source),
                None => {
                    self.fail(match term.variable() {
                        Some(name) => format!("`{name}` in the head is unbound"),
                        None => "`_` in the head is unbound".to_owned(),
                    });
                    return None;
                }
            }
        }
        Some(head.into())
    }
}

/// The only premise of an aggregation, if it is a single plain atom. The aggregation then uses the
/// tuples of the relation directly.
pub(super) fn only_atom(clause: &Clause, premises: &[u32]) -> Option<u32> {
    let [only] = premises else { return None };
    match clause.premises.get(*only as usize)? {
        Premise::Literal(literal) if !literal.is_negated() && !literal.is_temporal() => Some(*only),
        _ => None,
    }
}

/// The variables of the rows of any other aggregation: variables in positive atoms and equalities.
pub(super) fn row_variables(clause: &Clause, premises: &[u32]) -> Vec<Symbol> {
    let mut names: Vec<Symbol> = Vec::new();
    let mut add = |name: Symbol| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for premise in premises.iter().filter_map(|&index| clause.premises.get(index as usize)) {
        match premise {
            Premise::Literal(literal) if !literal.is_negated() && !literal.is_temporal() => {
                literal.atom.args.iter().for_each(|term| term.variables(&mut |name, _| add(name)));
            }
            Premise::Comparison(comparison)
                if comparison.operator == mangle_syntax::syntax::ast::Operator::Equal =>
            {
                comparison.left.variables(&mut |name, _| add(name));
                comparison.right.variables(&mut |name, _| add(name));
            }
            _ => {}
        }
    }
    names
}

/// The lookup for rows that are tuples of a relation. Constants select rows, and variables name
/// columns.
///
/// A repeated variable takes its value from its first column. Its other columns are compared only
/// if `compares_repeated`. Applications, lists, maps and structs are not compared.
pub(super) fn rows_of(
    body: &mut Body<'_>,
    relation: RelationId,
    args: &[Term],
    compares_repeated: bool,
) -> Option<Lookup> {
    let (mut columns, mut key, mut binds) = (0, Vec::new(), Vec::new());
    let mut same: Vec<(u16, u16)> = Vec::new();
    for (at, term) in (0u16..).zip(args) {
        if let Some(name) = term.variable() {
            match body.lookup(name) {
                None => binds.push((at, body.bind(name))),
                Some(ValueSource::Slot(slot)) if compares_repeated => {
                    let first = binds.iter().find(|(_, bound)| *bound == slot);
                    same.extend(first.map(|(first, _)| (*first, at)));
                }
                Some(_) => {}
            }
        } else if !term.is_wildcard() && term.apply().is_none() {
            let source = body.value(term)?;
            columns |= 1u64.checked_shl(at.into()).unwrap_or(0);
            key.extend(source);
        }
    }
    let (key, binds) = (key.into(), binds.into());
    let (far, ends) = (Box::new([]), (None, None));
    Some(Lookup {
        relation,
        columns,
        key,
        binds,
        same: same.into(),
        far,
        when: None,
        ends,
        replaced_ends: None,
    })
}

/// Compiles the computations for the groups. `body` has the registers of the rows. `None` if the
/// engine derives nothing.
pub(super) fn aggregate(
    mut body: Body<'_>,
    rule: RuleId,
    clause: &Clause,
    rows: Lookup,
    target: RelationId,
    temporal: bool,
) -> Result<Option<Aggregate>, Failure> {
    let statements = clause.transforms.first().map_or(&[][..], |transform| &transform.statements);
    let Some((grouping, rest)) = statements.split_first() else { return Ok(None) };
    let Some(group_by) = grouping.value.apply().filter(|apply| apply.function.as_str() == "fn:group_by")
    else {
        return Ok(None);
    };
    let (of_rows, variables) = (body.known.clone(), body.variables());
    let mut keys = Vec::new();
    body.known = FxHashMap::default();
    body.premise = AFTER_BODY;
    for term in &group_by.args {
        let slot = term.variable().and_then(|name| Some((name, slot_of(&of_rows, name)?)));
        let (name, slot) = slot.ok_or_else(|| Failure::wrong("rows are grouped by variables of the body"))?;
        keys.push(slot);
        body.define(name, ValueSource::Slot(slot));
    }
    let mut lets = Vec::new();
    for statement in rest {
        lets.push(group_let(&mut body, &of_rows, statement)?);
    }
    let mut head = body.head(&clause.head.args).unwrap_or_default();
    if temporal {
        let ends = NO_INTERVAL.map(|bound| body.instant(bound));
        head = head.iter().copied().chain(ends).collect();
    }
    let finish = std::mem::take(&mut body.steps).into();
    let (keys, lets, slots) = (keys.into(), lets.into(), body.slots());
    Ok(Some(Aggregate { rule, rows, keys, lets, slots, target, head, variables, finish }))
}

fn slot_of(rows: &FxHashMap<Symbol, ValueSource>, name: Symbol) -> Option<Slot> {
    match rows.get(&name)? {
        ValueSource::Slot(slot) => Some(*slot),
        ValueSource::Value(_) => None,
    }
}

fn group_let(
    body: &mut Body<'_>,
    of_rows: &FxHashMap<Symbol, ValueSource>,
    statement: &TransformStatement,
) -> Result<Let, Failure> {
    let apply = statement.value.apply();
    // The engine identifies a reducer by its name and number of arguments.
    let fits =
        |name: &str, count: usize| builtins::function(name).is_some_and(|known| known.arity.accepts(count));
    let reducer = apply.and_then(|apply| {
        let name = apply.function.as_str();
        Some((apply, Reducer::from_name(name).filter(|_| fits(name, apply.args.len()))?))
    });
    let (source, found) = match reducer {
        Some((apply, reducer)) => {
            let args = row_args(body, of_rows, reducer, &apply.args)?;
            let slot = body.slot();
            (Some(ValueSource::Slot(slot)), Let::Reduce { slot, reducer, args })
        }
        None => {
            let source = body.value(&statement.value).flatten();
            (source, Let::Compute(std::mem::take(&mut body.steps).into()))
        }
    };
    let name = statement.variable.as_ref().and_then(Term::variable);
    if let (Some(name), Some(source)) = (name, source)
        && body.lookup(name).is_none()
    {
        body.define(name, source);
    }
    Ok(found)
}

/// Compiles the arguments of a reducer for the rows of a group.
///
/// The engine evaluates expressions only for reducers that skip failing rows. For other reducers,
/// it panics.
fn row_args(
    body: &mut Body<'_>,
    of_rows: &FxHashMap<Symbol, ValueSource>,
    reducer: Reducer,
    args: &[Term],
) -> Result<RowArgs, Failure> {
    if !reducer.skips_failing_rows() && args.iter().any(|term| term.variable().is_none()) {
        return Err(Failure::wrong("the engine panics: this reducer takes a variable and nothing else"));
    }
    let of_group = (
        std::mem::replace(&mut body.known, of_rows.clone()),
        std::mem::take(&mut body.steps),
        std::mem::take(&mut body.dead),
    );
    let sources = args.iter().map(|term| body.value(term).flatten()).collect();
    let steps = std::mem::take(&mut body.steps).into();
    (body.known, body.steps, body.dead) = of_group;
    Ok(RowArgs { steps, sources })
}
