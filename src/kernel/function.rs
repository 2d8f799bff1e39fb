//! The built-in functions on values.
//!
//! A function that fails stops the whole run of the engine. Functions that read the clock or need
//! a zone database have no value here.

use super::Value;
use crate::program::builtins;
use crate::syntax::time;

/// Why a function has no value. The text completes "this stops the engine: …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

type Outcome = Result<Option<Value>, Failure>;

/// Applies a built-in function, `fn:` included in its name, to values. `Ok(None)` when the value is
/// not known before the program runs, or the function is not a built-in.
///
/// # Errors
/// When the engine would stop.
pub fn apply(function: &str, args: Vec<Value>) -> Outcome {
    let name = function.strip_prefix("fn:").unwrap_or(function);
    match name {
        "plus" | "minus" | "mult" | "div" | "mod" => integers(name, &args).map(Value::Number).map(Some),
        "float:plus" | "float:mult" | "float:div" | "sqrt" => floats(name, &args).map(Value::Float).map(Some),
        "list" => known(Value::List(args)),
        "map" => known(Value::Map(pairs(args)?)),
        "struct" => known(Value::Struct(pairs(args)?)),
        "pair" | "tuple" => tuple(args),
        "list:get" | "list:len" | "list:append" | "list:cons" | "list:contains" => list(name, args),
        "struct:get" => struct_get(&args),
        "map:get" => map_get(&args),
        "string:concat" => concat(&args),
        "string:replace" => replace(&args),
        "number:to_string" | "float64:to_string" | "name:to_string" => to_string(name, &args),
        "name:root" | "name:tip" | "name:list" => name_part(name, &args),
        "duration:parse" => parse_duration(&args),
        "time:parse_rfc3339" => parse_rfc3339(&args),
        "some" | "pick_any" | "count" | "avg" | "collect" | "collect_distinct" | "collect_to_map" => {
            Err(Failure(format!("`{function}` has no value outside an aggregation")))
        }
        _ if is_list_reducer(name) => reduce(name, &args),
        _ => check_kinds(function, &args).map(|()| None),
    }
}

/// The functions of times and durations take exactly the kinds of value that they are listed with.
fn check_kinds(function: &str, args: &[Value]) -> Result<(), Failure> {
    let parameters = builtins::function(function).map_or(&[][..], |function| function.parameters);
    for (parameter, arg) in parameters.iter().zip(args) {
        let (fits, wanted) = match *parameter {
            "/time" => (matches!(arg, Value::Time(_)), "a time"),
            "/duration" => (matches!(arg, Value::Duration(_)), "a duration"),
            "/string" => (matches!(arg, Value::String(_)), "a string"),
            "/name" => (matches!(arg, Value::Name(_)), "a name"),
            "/number" => (matches!(arg, Value::Number(_)), "a number"),
            "/float64" => (matches!(arg, Value::Float(_) | Value::Number(_)), "a number"),
            ".Pair</time, /time>" => (matches!(arg, Value::Pair(_)), "an interval"),
            _ => continue,
        };
        if !fits {
            return Err(wrong_kind(wanted, Some(arg)));
        }
    }
    Ok(())
}

fn known(value: Value) -> Outcome {
    Ok(Some(value))
}

fn integers(name: &str, args: &[Value]) -> Result<i64, Failure> {
    let numbers = args.iter().map(number).collect::<Result<Vec<_>, _>>();
    match name {
        "plus" => Ok(numbers?.into_iter().fold(0, i64::wrapping_add)),
        "mult" => Ok(numbers?.into_iter().fold(1, i64::wrapping_mul)),
        "minus" => match numbers?.as_slice() {
            [] => Err(no_arguments(name)),
            [only] => Ok(only.wrapping_neg()),
            [first, rest @ ..] => Ok(rest.iter().fold(*first, |left, right| left.wrapping_sub(*right))),
        },
        "mod" => match numbers?.as_slice() {
            [_, 0] => Err(division_by_zero()),
            [left, right] => Ok(left.wrapping_rem(*right)),
            _ => Err(no_arguments(name)),
        },
        _ => divide(args),
    }
}

/// Truncating division from left to right, which looks at nothing behind a quotient of zero.
fn divide(args: &[Value]) -> Result<i64, Failure> {
    let (first, rest) = args.split_first().ok_or_else(|| no_arguments("div"))?;
    let mut quotient = number(first)?;
    if rest.is_empty() {
        return match quotient {
            0 => Err(division_by_zero()),
            1 => Ok(1),
            _ => Ok(0),
        };
    }
    for divisor in rest {
        let divisor = number(divisor)?;
        if divisor == 0 {
            return Err(division_by_zero());
        }
        quotient = quotient.wrapping_div(divisor);
        if quotient == 0 {
            break;
        }
    }
    Ok(quotient)
}

fn floats(name: &str, args: &[Value]) -> Result<f64, Failure> {
    let numbers = args.iter().map(float).collect::<Result<Vec<_>, _>>()?;
    match (name, numbers.as_slice()) {
        ("float:plus", _) => Ok(numbers.iter().sum()),
        ("float:mult", _) => Ok(numbers.iter().product()),
        ("sqrt", [only]) => Ok(only.sqrt()),
        (_, []) => Err(no_arguments(name)),
        (_, [only]) => quotient(1.0, *only),
        (_, [first, rest @ ..]) => rest.iter().try_fold(*first, |left, right| quotient(left, *right)),
    }
}

fn quotient(left: f64, right: f64) -> Result<f64, Failure> {
    if right == 0.0 { Err(division_by_zero()) } else { Ok(left / right) }
}

fn pairs(args: Vec<Value>) -> Result<Vec<(Value, Value)>, Failure> {
    let mut entries = Vec::with_capacity(args.len() / 2);
    let mut args = args.into_iter();
    while let Some(key) = args.next() {
        let value = args.next().ok_or_else(|| Failure("a key has no value".to_owned()))?;
        entries.push((key, value));
    }
    Ok(entries)
}

/// One value is itself, two are a pair, more are pairs nested to the right.
fn tuple(args: Vec<Value>) -> Outcome {
    let mut args = args.into_iter().rev();
    let last = args.next().ok_or_else(|| no_arguments("tuple"))?;
    known(args.fold(last, |right, left| Value::Pair(Box::new((left, right)))))
}

fn list(name: &str, args: Vec<Value>) -> Outcome {
    match (name, <[Value; 2]>::try_from(args)) {
        ("list:cons", Ok([head, Value::List(mut tail)])) => {
            tail.insert(0, head);
            known(Value::List(tail))
        }
        ("list:append", Ok([Value::List(mut list), last])) => {
            list.push(last);
            known(Value::List(list))
        }
        ("list:contains", Ok([Value::List(list), value])) => {
            let truth = if list.contains(&value) { "/true" } else { "/false" };
            known(Value::Name(truth.into()))
        }
        ("list:get", Ok([list, index])) => element(&list, number(&index)?),
        ("list:len", Err(args)) => match args.as_slice() {
            [Value::List(list)] => known(Value::Number(i64::try_from(list.len()).unwrap_or(i64::MAX))),
            _ => Err(wrong_kind("a list", args.first())),
        },
        (_, Ok([first, second])) => {
            let wrong = if name == "list:cons" { second } else { first };
            Err(wrong_kind("a list", Some(&wrong)))
        }
        (_, Err(args)) => Err(wrong_kind("a list", args.first())),
    }
}

fn element(list: &Value, index: i64) -> Outcome {
    let values: &[Value] = if let Value::List(values) = list { values } else { &[] };
    let found = usize::try_from(index).ok().and_then(|index| values.get(index));
    match found {
        Some(value) => known(value.clone()),
        None => {
            Err(Failure(format!("index {index} is out of range, the list has {} elements", values.len())))
        }
    }
}

fn struct_get(args: &[Value]) -> Outcome {
    let [Value::Struct(fields), wanted] = args else {
        return Err(wrong_kind("a struct", args.first()));
    };
    match fields.iter().find(|(field, _)| field == wanted) {
        Some((_, value)) => known(value.clone()),
        None => Err(Failure(format!("the struct has no field {wanted}"))),
    }
}

/// The first entry with the key; anything but a map has no keys.
fn map_get(args: &[Value]) -> Outcome {
    let [map, wanted] = args else { return Err(wrong_kind("a map", args.first())) };
    let entries: &[(Value, Value)] = if let Value::Map(entries) = map { entries } else { &[] };
    match entries.iter().find(|(key, _)| key == wanted) {
        Some((_, value)) => known(value.clone()),
        None => Err(Failure(format!("there is no key {wanted} in {}", map.kind()))),
    }
}

fn concat(args: &[Value]) -> Outcome {
    let mut text = String::new();
    for arg in args {
        match arg {
            Value::String(part) | Value::Name(part) => text.push_str(part),
            Value::Number(number) => text.push_str(&number.to_string()),
            Value::Float(float) => text.push_str(&float.to_string()),
            other => return Err(Failure(format!("{} has no text to join", other.kind()))),
        }
    }
    known(Value::String(text.into()))
}

fn replace(args: &[Value]) -> Outcome {
    let [Value::String(text), Value::String(old), Value::String(new), Value::Number(count)] = args else {
        return Err(Failure("it takes three strings and a number".to_owned()));
    };
    let replaced = match usize::try_from(*count) {
        Ok(count) => text.replacen(&**old, new, count),
        Err(_) => text.replace(&**old, new),
    };
    known(Value::String(replaced.into()))
}

fn to_string(name: &str, args: &[Value]) -> Outcome {
    match (name, args) {
        ("number:to_string", [Value::Number(number)]) => known(Value::String(number.to_string().into())),
        ("float64:to_string", [Value::Float(float)]) => known(Value::String(float.to_string().into())),
        ("name:to_string", [Value::Name(name)]) => known(Value::String(name.clone())),
        ("number:to_string", _) => Err(wrong_kind("a number", args.first())),
        ("float64:to_string", _) => Err(wrong_kind("a float", args.first())),
        _ => Err(wrong_kind("a name", args.first())),
    }
}

fn name_part(function: &str, args: &[Value]) -> Outcome {
    let [Value::Name(name)] = args else { return Err(wrong_kind("a name", args.first())) };
    let segments = name.split('/').skip(1).map(|segment| Value::Name(format!("/{segment}").into()));
    let mut segments: Vec<_> = segments.collect();
    Ok(match function {
        "name:list" => Some(Value::List(segments)),
        "name:tip" => segments.pop(),
        _ => segments.into_iter().next(),
    })
}

/// `1h30m`, `-1.5h`, `500ms`: checked for its shape only, since its value matters to no check.
fn parse_duration(args: &[Value]) -> Outcome {
    let [Value::String(text)] = args else { return Err(wrong_kind("a string", args.first())) };
    let wrong = || Failure(format!("{text:?} is no duration; `1h30m`, `500ms` and `-1.5h` are"));
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(None);
    }
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let digits = rest.get(..number).unwrap_or("");
        let has_digit = digits.contains(|c: char| c.is_ascii_digit());
        let behind = rest.get(number..).unwrap_or("");
        let unit =
            ["ms", "us", "µs", "μs", "ns", "h", "m", "s"].into_iter().find(|unit| behind.starts_with(unit));
        let Some(unit) = unit.filter(|_| has_digit && digits.matches('.').count() <= 1) else {
            return Err(wrong());
        };
        rest = behind.get(unit.len()..).unwrap_or("");
    }
    Ok(None)
}

/// `2024-05-01T08:30:00Z`, with a fraction of the second or an offset such as `+02:00` instead of `Z`.
fn parse_rfc3339(args: &[Value]) -> Outcome {
    let [Value::String(text)] = args else { return Err(wrong_kind("a string", args.first())) };
    match instant(text) {
        Some(nanos) => known(Value::Time(nanos)),
        None => Err(Failure(format!("{text:?} is no instant; `2024-05-01T08:30:00Z` is one"))),
    }
}

fn instant(text: &str) -> Option<i64> {
    let (local, offset) = match text.strip_suffix('Z') {
        Some(local) => (local, 0),
        None => {
            let at = text.len().checked_sub(6)?;
            (text.get(..at)?, offset_minutes(text.get(at..)?)?)
        }
    };
    // A date alone, which the brackets of a premise take, is too little here.
    local.contains('T').then(|| time::parse_timestamp(local))?.map(|nanos| {
        const MINUTE: i64 = 60_000_000_000;
        nanos.wrapping_sub(offset * MINUTE)
    })
}

/// `+02:00` in minutes.
fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, clock) = match text.strip_prefix('+') {
        Some(clock) => (1, clock),
        None => (-1, text.strip_prefix('-')?),
    };
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str, limit: i64| {
        let number = digits.parse::<i64>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
        (number < limit).then_some(number)
    };
    Some(sign * (number(hours, 25)? * 60 + number(minutes, 60)?))
}

fn is_list_reducer(name: &str) -> bool {
    let (family, operation) = name.rsplit_once(':').unwrap_or(("", name));
    match operation {
        "max" | "min" => matches!(family, "" | "float" | "duration" | "time"),
        "sum" => matches!(family, "" | "float" | "duration"),
        _ => false,
    }
}

/// `fn:sum([1, 2])` and its kin on one list, all of whose elements must be of the family's kind.
fn reduce(name: &str, args: &[Value]) -> Outcome {
    let [Value::List(values)] = args else { return Err(wrong_kind("a list", args.first())) };
    let family = name.rsplit_once(':').map_or("", |(family, _)| family);
    let fits = |value: &&Value| match family {
        "float" => matches!(value, Value::Float(_)),
        "duration" => matches!(value, Value::Duration(_)),
        "time" => matches!(value, Value::Time(_)),
        _ => matches!(value, Value::Number(_)),
    };
    let expected = match family {
        "float" => "floats",
        "duration" => "durations",
        "time" => "times",
        _ => "numbers",
    };
    match values.iter().find(|value| !fits(value)) {
        Some(odd) => Err(Failure(format!("it takes {expected}, and {odd} is {}", odd.kind()))),
        None => Ok(None),
    }
}

fn number(value: &Value) -> Result<i64, Failure> {
    match value {
        Value::Number(number) => Ok(*number),
        other => Err(wrong_kind("a number", Some(other))),
    }
}

#[allow(clippy::cast_precision_loss)] // the engine loses it as well
fn float(value: &Value) -> Result<f64, Failure> {
    match value {
        Value::Float(float) => Ok(*float),
        Value::Number(number) => Ok(*number as f64),
        other => Err(wrong_kind("a number", Some(other))),
    }
}

fn wrong_kind(wanted: &str, found: Option<&Value>) -> Failure {
    match found {
        Some(value) => Failure(format!("it takes {wanted}, and {value} is {}", value.kind())),
        None => Failure(format!("it takes {wanted}")),
    }
}

fn no_arguments(name: &str) -> Failure {
    Failure(format!("`fn:{name}` lacks an argument"))
}

fn division_by_zero() -> Failure {
    Failure("division by zero".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[i64]) -> Vec<Value> {
        numbers.iter().copied().map(Value::Number).collect()
    }

    #[track_caller]
    fn check(function: &str, args: &[i64], expected: Result<i64, &str>) {
        let found = apply(function, numbers(args));
        let expected =
            expected.map(|number| Some(Value::Number(number))).map_err(|text| Failure(text.to_owned()));
        assert_eq!(found, expected, "{function} {args:?}");
    }

    #[test]
    fn integer_arithmetic_is_the_engines() {
        check("fn:plus", &[], Ok(0));
        check("fn:plus", &[i64::MAX, 1], Ok(i64::MIN));
        check("fn:minus", &[5], Ok(-5));
        check("fn:div", &[-7, 2], Ok(-3));
        check("fn:div", &[-1], Ok(0));
        check("fn:div", &[1, 2, 0], Ok(0));
        check("fn:div", &[4, 0], Err("division by zero"));
        check("fn:mod", &[-7, 3], Ok(-1));
        check("fn:mod", &[7, 0], Err("division by zero"));
    }

    #[test]
    fn lists_and_structs() {
        let list = Value::List(numbers(&[7, 8]));
        assert_eq!(apply("fn:list:get", vec![list.clone(), Value::Number(1)]), Ok(Some(Value::Number(8))));
        assert!(apply("fn:list:get", vec![list.clone(), Value::Number(2)]).is_err());
        assert_eq!(apply("fn:list:len", vec![list]), Ok(Some(Value::Number(2))));
        let entry = (Value::Name("/a".into()), Value::Number(3));
        let get = |field: &str| {
            apply("fn:struct:get", vec![Value::Struct(vec![entry.clone()]), Value::Name(field.into())])
        };
        assert_eq!(get("/a"), Ok(Some(Value::Number(3))));
        assert!(get("/b").is_err());
    }

    #[test]
    fn durations_by_their_shape() {
        let parse = |text: &str| apply("fn:duration:parse", vec![Value::String(text.into())]);
        for good in ["1h30m", "-1.5h", "500ms", "0", "2us"] {
            assert_eq!(parse(good), Ok(None), "{good}");
        }
        for bad in ["", "7d", "h", "1", "1.2.3s", "soon"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn instants() {
        let parse = |text: &str| apply("fn:time:parse_rfc3339", vec![Value::String(text.into())]);
        let noon = Ok(Some(Value::Time(1_709_208_000_000_000_000)));
        assert_eq!(parse("2024-02-29T12:00:00Z"), noon);
        assert_eq!(parse("2024-02-29T13:30:00+01:30"), noon);
        assert!(parse("2024-02-29T12:00:00.5Z").is_ok());
        for bad in
            ["soon", "2024-02-29", "2024-02-29T12:00:00", "2023-02-29T12:00:00Z", "2024-02-29T24:00:00Z"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn kinds_of_times_and_maps() {
        let five = || vec![Value::Number(5)];
        assert!(apply("fn:time:year", five()).is_err());
        assert!(apply("fn:duration:hours", five()).is_err());
        assert_eq!(apply("fn:duration:from_hours", five()), Ok(None));
        let map = || Value::Map(vec![(Value::Name("/a".into()), Value::Number(5))]);
        let get = |key: &str| apply("fn:map:get", vec![map(), Value::Name(key.into())]);
        assert_eq!(get("/a"), Ok(Some(Value::Number(5))));
        assert!(get("/b").is_err());
    }

    #[test]
    fn reducers_over_a_list() {
        assert_eq!(apply("fn:sum", vec![Value::List(numbers(&[1, 2]))]), Ok(None));
        assert!(apply("fn:float:sum", vec![Value::List(numbers(&[1, 2]))]).is_err());
    }
}
