//! Evaluates the built-in predicates and comparisons of two values. Compiled regular expressions
//! are cached per thread.

use std::cell::RefCell;
use std::rc::Rc;

use regex::Regex;
use rustc_hash::FxHashMap;

use super::failure::{Failure, SHOWN, duration, float, list, name, number, string, time};
use super::function::entry;
use super::values::{Datum, ValueId, Values};
use mangle_settings::gate_pattern;
use mangle_syntax::syntax::ast::Operator;

/// A built-in predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin(Test);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    /// `:lt`, `:le`, `:gt` or `:ge` for numbers, floats, times or durations.
    Compare(Kind, Order),
    WithinDistance,
    Filter,
    MatchPrefix,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
    MatchPair,
    MatchCons,
    MatchNil,
    MatchEntry,
    MatchField,
    ListMember,
    Intervals(Relation),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Float,
    Time,
    Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// The relation between two intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Before,
    After,
    Meets,
    Overlaps,
    During,
    Contains,
    Starts,
    Finishes,
    Equals,
}

impl Builtin {
    /// The predicate with this name, including the colon.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.strip_prefix(':')?;
        let order = |name: &str| {
            Some(match name {
                "lt" => Order::Less,
                "le" => Order::LessEqual,
                "gt" => Order::Greater,
                "ge" => Order::GreaterEqual,
                _ => return None,
            })
        };
        let test = match name.rsplit_once(':') {
            None if order(name).is_some() => Test::Compare(Kind::Number, order(name)?),
            Some(("float", rest)) => Test::Compare(Kind::Float, order(rest)?),
            Some(("time", rest)) => Test::Compare(Kind::Time, order(rest)?),
            Some(("duration", rest)) => Test::Compare(Kind::Duration, order(rest)?),
            Some(("interval", rest)) => Test::Intervals(relation(rest)?),
            _ => match name {
                "within_distance" => Test::WithinDistance,
                "filter" => Test::Filter,
                "match_prefix" => Test::MatchPrefix,
                "string:starts_with" => Test::StartsWith,
                "string:ends_with" => Test::EndsWith,
                "string:contains" => Test::Contains,
                "string:matches" => Test::Matches,
                "match_pair" => Test::MatchPair,
                "match_cons" => Test::MatchCons,
                "match_nil" => Test::MatchNil,
                "match_entry" => Test::MatchEntry,
                "match_field" => Test::MatchField,
                "list:member" => Test::ListMember,
                _ => return None,
            },
        };
        Some(Self(test))
    }

    /// Solves the predicate and returns the number of solutions. Zero if the predicate does not
    /// hold.
    ///
    /// `args` are the arguments, with `None` for variables without a value. For each solution, the
    /// values of the bound variables are pushed to `out`, from left to right.
    ///
    /// `:match_entry`, `:match_field` and `:list:member` accept an output that already has a value,
    /// and compare it.
    ///
    /// # Errors
    /// If the engine would stop:
    ///
    /// - the kind of a value is wrong;
    /// - an input has no value;
    /// - an output of `:match_pair` or `:match_cons` already has a value.
    pub fn solve(
        self,
        values: &mut Values,
        args: &[Option<ValueId>],
        out: &mut Vec<ValueId>,
    ) -> Result<usize, Failure> {
        let holds = match (self.0, args) {
            (Test::Compare(kind, order), [left, right]) => {
                order_holds(values, kind, order, given(*left)?, given(*right)?)?
            }
            (Test::WithinDistance, [left, right, limit]) => {
                within_distance(values, [given(*left)?, given(*right)?, given(*limit)?])?
            }
            (Test::Filter, [value]) => value.is_some_and(|value| is_true(values, value)),
            (Test::MatchPrefix, [name, prefix]) => match_prefix(values, given(*name)?, given(*prefix)?)?,
            (Test::StartsWith, [text, part]) => {
                text_test(values, given(*text)?, given(*part)?, |text, part| text.starts_with(part))?
            }
            (Test::EndsWith, [text, part]) => {
                text_test(values, given(*text)?, given(*part)?, |text, part| text.ends_with(part))?
            }
            (Test::Contains, [text, part]) => {
                text_test(values, given(*text)?, given(*part)?, |text, part| text.contains(part))?
            }
            (Test::Matches, [text, pattern]) => matches_pattern(values, given(*text)?, given(*pattern)?)?,
            (Test::MatchNil, [value]) => {
                matches!(values.get(given(*value)?), Datum::List(list) if list.is_empty())
            }
            (Test::MatchPair | Test::MatchCons, [value, first, second]) => {
                return take_apart(self.0, values, given(*value)?, [*first, *second], out);
            }
            (Test::MatchEntry | Test::MatchField, [value, key, found]) => {
                return look_up(self.0, values, given(*value)?, *key, *found, out);
            }
            (Test::ListMember, [member, all]) => return list_member(values, *member, given(*all)?, out),
            (Test::Intervals(relation), [left, right]) => {
                let (left, right) = (ends(values, given(*left)?)?, ends(values, given(*right)?)?);
                relation_holds(relation, left, right)
            }
            (_, args) => return Err(Failure::wrong(format!("it does not take {} arguments", args.len()))),
        };
        Ok(usize::from(holds))
    }
}

/// True if `left operator right` holds for two values.
///
/// # Errors
/// If the operator is `<`, `<=`, `>` or `>=` and a value is not an integer. The engine stops in
/// this case.
pub fn compare(values: &Values, operator: Operator, left: ValueId, right: ValueId) -> Result<bool, Failure> {
    let order = match operator {
        Operator::Equal => return Ok(left == right),
        Operator::NotEqual => return Ok(left != right),
        Operator::Less => Order::Less,
        Operator::LessEqual => Order::LessEqual,
        Operator::Greater => Order::Greater,
        Operator::GreaterEqual => Order::GreaterEqual,
    };
    order_holds(values, Kind::Number, order, left, right)
}

fn order_holds(
    values: &Values,
    kind: Kind,
    order: Order,
    left: ValueId,
    right: ValueId,
) -> Result<bool, Failure> {
    let read = match kind {
        Kind::Float => return Ok(float_order_holds(order, float(values, left)?, float(values, right)?)),
        Kind::Number => number,
        Kind::Time => time,
        Kind::Duration => duration,
    };
    let (left, right) = (read(values, left)?, read(values, right)?);
    Ok(match order {
        Order::Less => left < right,
        Order::LessEqual => left <= right,
        Order::Greater => left > right,
        Order::GreaterEqual => left >= right,
    })
}

/// Comparisons with NaN are false.
fn float_order_holds(order: Order, left: f64, right: f64) -> bool {
    match order {
        Order::Less => left < right,
        Order::LessEqual => left <= right,
        Order::Greater => left > right,
        Order::GreaterEqual => left >= right,
    }
}

/// The value of an input, or an error if it has none.
fn given(arg: Option<ValueId>) -> Result<ValueId, Failure> {
    arg.ok_or_else(|| Failure::wrong("a variable is unbound"))
}

fn is_true(values: &Values, value: ValueId) -> bool {
    matches!(values.get(value), Datum::Name(name) if &**name == "/true")
}

/// The difference wraps around. If its absolute value does not fit in 64 bits, the maximum is used.
fn within_distance(values: &Values, [left, right, limit]: [ValueId; 3]) -> Result<bool, Failure> {
    let difference = number(values, left)?.wrapping_sub(number(values, right)?);
    Ok(difference.saturating_abs() < number(values, limit)?)
}

fn match_prefix(values: &Values, value: ValueId, prefix: ValueId) -> Result<bool, Failure> {
    let prefix = name(values, prefix)?;
    let Datum::Name(name) = values.get(value) else { return Ok(false) };
    Ok(name.len() > prefix.len() && name.starts_with(prefix))
}

fn text_test(
    values: &Values,
    text: ValueId,
    part: ValueId,
    test: fn(&str, &str) -> bool,
) -> Result<bool, Failure> {
    let part = string(values, part)?;
    let Datum::String(text) = values.get(text) else { return Ok(false) };
    Ok(test(text, part))
}

/// The engine compiles the pattern before it checks the type of the text.
fn matches_pattern(values: &Values, text: ValueId, pattern: ValueId) -> Result<bool, Failure> {
    let source = string(values, pattern)?;
    let regex = compiled_pattern(source).map_err(|why| {
        let shown = values.short(pattern, SHOWN);
        Failure::wrong(format!("pattern {shown} does not compile: {why}"))
    })?;
    let Datum::String(text) = values.get(text) else { return Ok(false) };
    Ok(regex.is_match(text))
}

fn take_apart(
    test: Test,
    values: &mut Values,
    value: ValueId,
    outputs: [Option<ValueId>; 2],
    out: &mut Vec<ValueId>,
) -> Result<usize, Failure> {
    if outputs.iter().any(Option::is_some) {
        return Err(Failure::wrong("it takes apart into unbound variables"));
    }
    match (test, values.get(value)) {
        (Test::MatchPair, Datum::Pair(first, second)) => out.extend([*first, *second]),
        (Test::MatchCons, Datum::List(list)) => {
            let Some((&head, tail)) = list.split_first() else { return Ok(0) };
            let tail = tail.to_vec();
            let tail = values.list(&tail)?;
            out.extend([head, tail]);
        }
        _ => return Ok(0),
    }
    Ok(1)
}

/// The engine checks the key only if the map or struct is not empty.
fn look_up(
    test: Test,
    values: &Values,
    value: ValueId,
    key: Option<ValueId>,
    wanted: Option<ValueId>,
    out: &mut Vec<ValueId>,
) -> Result<usize, Failure> {
    let entries = match (test, values.get(value)) {
        (Test::MatchEntry, Datum::Map(entries)) | (Test::MatchField, Datum::Struct(entries)) => entries,
        _ => return Ok(0),
    };
    if entries.is_empty() {
        return Ok(0);
    }
    Ok(match (entry(entries, given(key)?), wanted) {
        (Some(found), None) => {
            out.push(found);
            1
        }
        (found, wanted) => usize::from(found.is_some() && found == wanted),
    })
}

fn list_member(
    values: &Values,
    member: Option<ValueId>,
    all: ValueId,
    out: &mut Vec<ValueId>,
) -> Result<usize, Failure> {
    match (member, values.get(all)) {
        (Some(member), _) => Ok(usize::from(list(values, all)?.contains(&member))),
        (None, Datum::List(elements)) => {
            out.extend_from_slice(elements);
            Ok(elements.len())
        }
        (None, _) => Ok(0),
    }
}

/// The ends of an interval. Both must be numbers, although the declared type is a pair of times.
fn ends(values: &Values, id: ValueId) -> Result<(i64, i64), Failure> {
    match values.get(id) {
        Datum::Pair(start, end) => Ok((number(values, *start)?, number(values, *end)?)),
        _ => Err(Failure::kind(values, id, "an interval, which is a pair of numbers")),
    }
}

fn relation(name: &str) -> Option<Relation> {
    Some(match name {
        "before" => Relation::Before,
        "after" => Relation::After,
        "meets" => Relation::Meets,
        "overlaps" => Relation::Overlaps,
        "during" => Relation::During,
        "contains" => Relation::Contains,
        "starts" => Relation::Starts,
        "finishes" => Relation::Finishes,
        "equals" => Relation::Equals,
        _ => return None,
    })
}

fn relation_holds(relation: Relation, left: (i64, i64), right: (i64, i64)) -> bool {
    match relation {
        Relation::Before => left.1 < right.0,
        Relation::After => right.1 < left.0,
        Relation::Meets => left.1 == right.0,
        Relation::Overlaps => left.1 >= right.0 && right.1 >= left.0,
        Relation::During => left.0 >= right.0 && left.1 <= right.1,
        Relation::Contains => right.0 >= left.0 && right.1 <= left.1,
        Relation::Starts => left.0 == right.0,
        Relation::Finishes => left.1 == right.1,
        Relation::Equals => left == right,
    }
}

/// The maximum number of cached patterns per thread. Programs have few patterns, but facts can
/// contain any number.
const MAX_PATTERNS: usize = 256;

thread_local! {
    static PATTERNS: RefCell<FxHashMap<Box<str>, Rc<Regex>>> = RefCell::default();
}

/// Compiles a pattern in Go syntax.
///
/// # Errors
/// If the pattern is invalid. For frequent mistakes, the text is the error message of the engine.
fn compiled_pattern(pattern: &str) -> Result<Rc<Regex>, String> {
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(known) = patterns.get(pattern) {
            return Ok(Rc::clone(known));
        }
        let compiled = Rc::new(gate_pattern(pattern).map_err(|error| fault(pattern, &error))?);
        if patterns.len() == MAX_PATTERNS {
            patterns.clear();
        }
        patterns.insert(pattern.into(), Rc::clone(&compiled));
        Ok(compiled)
    })
}

/// The error message for an invalid pattern.
fn fault(pattern: &str, error: &regex::Error) -> String {
    let text = error.to_string();
    let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let engine = match reason {
        "unclosed character class" => pattern
            .rfind('[')
            .and_then(|at| pattern.get(at..))
            .map(|rest| format!("missing closing ]: `{rest}`")),
        "unclosed group" => Some(format!("missing closing ): `{pattern}`")),
        "unopened group" => Some(format!("unexpected ): `{pattern}`")),
        _ => None,
    };
    match engine {
        Some(engine) => format!("error parsing regexp: {engine}"),
        None => reason.to_owned(),
    }
}
