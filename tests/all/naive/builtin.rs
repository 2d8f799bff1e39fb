//! Functions, built-in predicates and reducers over values that are trees. `None`: it fails.

use super::value::Value;

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss)]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(bits) => Some(f64::from_bits(*bits)),
        Value::Number(number) => Some(*number as f64),
        _ => None,
    }
}

fn name(value: &Value) -> Option<&str> {
    match value {
        Value::Name(text) => Some(text),
        _ => None,
    }
}

fn entries(args: &[Value]) -> Option<Vec<(Value, Value)>> {
    let pairs = args.chunks(2).map(|pair| Some((pair[0].clone(), pair.get(1)?.clone())));
    pairs.collect()
}

/// The value of a function.
pub fn apply(function: &str, args: &[Value]) -> Option<Value> {
    let numbers = || args.iter().map(number).collect::<Option<Vec<i64>>>();
    Some(match (function, args) {
        ("fn:plus", _) => Value::Number(numbers()?.into_iter().fold(0, i64::wrapping_add)),
        ("fn:mult", _) => Value::Number(numbers()?.into_iter().fold(1, i64::wrapping_mul)),
        ("fn:minus", _) => Value::Number(numbers()?.into_iter().reduce(i64::wrapping_sub)?),
        ("fn:div", [left, right]) => Value::Number(number(left)?.checked_div(number(right)?)?),
        ("fn:mod", [left, right]) => Value::Number(number(left)?.checked_rem(number(right)?)?),
        ("fn:float:plus", _) => {
            let all: Option<Vec<f64>> = args.iter().map(float).collect();
            Value::float(all?.iter().sum::<f64>() + 0.0)
        }
        ("fn:string:concat", _) => {
            let part = |arg: &Value| match arg {
                Value::Text(text) | Value::Name(text) => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            };
            Value::Text(args.iter().map(part).collect::<Option<String>>()?)
        }
        ("fn:number:to_string", [only]) => Value::Text(number(only)?.to_string()),
        ("fn:name:to_string", [only]) => Value::text(name(only)?),
        ("fn:name:root", [only]) => Value::Name(format!("/{}", name(only)?[1..].split('/').next()?)),
        ("fn:name:tip", [only]) => Value::Name(format!("/{}", name(only)?.rsplit('/').next()?)),
        ("fn:name:list", [only]) => {
            Value::List(name(only)?[1..].split('/').map(|part| Value::Name(format!("/{part}"))).collect())
        }
        ("fn:pair", [first, second]) => Value::Pair(first.clone().into(), second.clone().into()),
        ("fn:tuple", [before @ .., last]) => before
            .iter()
            .rev()
            .fold(last.clone(), |rest, first| Value::Pair(first.clone().into(), rest.into())),
        ("fn:list", _) => Value::List(args.to_vec()),
        ("fn:list:cons", [first, rest]) => {
            Value::List([std::slice::from_ref(first), rest.elements()?].concat())
        }
        ("fn:list:append", [before, last]) => {
            Value::List([before.elements()?, std::slice::from_ref(last)].concat())
        }
        ("fn:list:get", [all, index]) => all.elements()?.get(usize::try_from(number(index)?).ok()?)?.clone(),
        ("fn:list:len", [all]) => Value::Number(i64::try_from(all.elements()?.len()).ok()?),
        ("fn:list:contains", [all, one]) => Value::truth(all.elements()?.contains(one)),
        ("fn:map", _) => Value::map(entries(args)?),
        ("fn:struct", _) => Value::structure(entries(args)?),
        ("fn:struct:get", [Value::Struct(fields), wanted]) => {
            fields.iter().find(|(name, _)| name == wanted)?.1.clone()
        }
        ("fn:sum" | "fn:max" | "fn:min", [all]) => total(function, all.elements()?)?,
        _ => return None,
    })
}

fn total(function: &str, all: &[Value]) -> Option<Value> {
    let all = all.iter().map(number).collect::<Option<Vec<i64>>>()?;
    Some(Value::Number(match function {
        "fn:sum" => all.into_iter().fold(0, i64::wrapping_add),
        "fn:max" => all.into_iter().max().unwrap_or(i64::MIN),
        _ => all.into_iter().min().unwrap_or(i64::MAX),
    }))
}

/// The solutions of a built-in predicate: what its arguments without a value become, from left to right.
pub fn solve(predicate: &str, args: &[Option<Value>]) -> Option<Vec<Vec<Value>>> {
    let holds = |holds: bool| if holds { vec![Vec::new()] } else { Vec::new() };
    let texts = |test: fn(&str, &str) -> bool| match args {
        [Some(Value::Text(text)), Some(Value::Text(part))] => Some(holds(test(text, part))),
        [Some(_), Some(Value::Text(_))] => Some(Vec::new()),
        _ => None,
    };
    Some(match (predicate, args) {
        (":lt", [Some(left), Some(right)]) => holds(number(left)? < number(right)?),
        (":le", [Some(left), Some(right)]) => holds(number(left)? <= number(right)?),
        (":gt", [Some(left), Some(right)]) => holds(number(left)? > number(right)?),
        (":ge", [Some(left), Some(right)]) => holds(number(left)? >= number(right)?),
        (":within_distance", [Some(left), Some(right), Some(limit)]) => {
            holds(number(left)?.abs_diff(number(right)?) < u64::try_from(number(limit)?).unwrap_or(0))
        }
        (":match_prefix", [Some(value), Some(prefix)]) => {
            let prefix = name(prefix)?;
            holds(name(value).is_some_and(|name| name != prefix && name.starts_with(prefix)))
        }
        (":string:starts_with", _) => texts(|text, part| text.starts_with(part))?,
        (":string:ends_with", _) => texts(|text, part| text.ends_with(part))?,
        (":string:contains", _) => texts(|text, part| text.contains(part))?,
        (":match_pair", [Some(Value::Pair(first, second)), None, None]) => {
            vec![vec![(**first).clone(), (**second).clone()]]
        }
        (":match_pair" | ":match_cons", [Some(_), None, None]) => match &args[0] {
            Some(Value::List(all)) if !all.is_empty() && predicate == ":match_cons" => {
                vec![vec![all[0].clone(), Value::List(all[1..].to_vec())]]
            }
            _ => Vec::new(),
        },
        (":match_nil", [Some(value)]) => holds(value.elements().is_some_and(<[Value]>::is_empty)),
        (":match_entry", [Some(Value::Map(all)), Some(key), found])
        | (":match_field", [Some(Value::Struct(all)), Some(key), found]) => {
            match (all.iter().find(|(known, _)| known == key), found) {
                (Some((_, value)), None) => vec![vec![value.clone()]],
                (Some((_, value)), Some(wanted)) => holds(value == wanted),
                (None, _) => Vec::new(),
            }
        }
        (":match_entry" | ":match_field", [Some(_), ..]) => Vec::new(),
        (":list:member", [None, Some(all)]) => {
            all.elements().unwrap_or(&[]).iter().map(|one| vec![one.clone()]).collect()
        }
        (":list:member", [Some(one), Some(all)]) => holds(all.elements()?.contains(one)),
        (":filter", [Some(value)]) => holds(*value == Value::truth(true)),
        _ => return None,
    })
}

/// What a reducer makes of the rows of a group.
#[allow(clippy::cast_precision_loss)]
pub fn reduce(reducer: &str, rows: &[Vec<Value>]) -> Option<Value> {
    let first = || rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
    let tuples = || rows.iter().map(|row| apply("fn:tuple", row)).collect::<Option<Vec<_>>>();
    let floats = || rows.iter().map(|row| float(&row[0])).collect::<Option<Vec<_>>>();
    Some(match reducer {
        "fn:count" => Value::Number(i64::try_from(rows.len()).ok()?),
        "fn:sum" | "fn:max" | "fn:min" => total(reducer, &first())?,
        "fn:avg" => Value::float(floats()?.iter().sum::<f64>() / rows.len() as f64),
        "fn:float:sum" => Value::float(floats()?.iter().sum::<f64>() + 0.0),
        "fn:float:max" => Value::float(floats()?.into_iter().fold(f64::MIN, f64::max)),
        "fn:float:min" => Value::float(floats()?.into_iter().fold(f64::MAX, f64::min)),
        "fn:collect" => Value::bag(tuples()?),
        "fn:collect_distinct" => {
            let mut all = tuples()?;
            all.sort();
            all.dedup();
            Value::Bag(all)
        }
        "fn:collect_to_map" => {
            let mut all: Vec<_> = rows.iter().map(|row| (row[0].clone(), row[1].clone())).collect();
            all.sort();
            all.dedup_by(|one, other| one.0 == other.0);
            Value::map(all)
        }
        _ => return None,
    })
}

/// The reducers.
pub const REDUCERS: &[&str] = &[
    "fn:count",
    "fn:sum",
    "fn:max",
    "fn:min",
    "fn:avg",
    "fn:float:sum",
    "fn:float:max",
    "fn:float:min",
    "fn:collect",
    "fn:collect_distinct",
    "fn:collect_to_map",
];

/// Whether this is the name of a reducer.
pub fn is_reducer(name: &str) -> bool {
    REDUCERS.contains(&name)
}
