//! Every function, reducer and built-in predicate of the tables, on values that fit and on values of other types.

use std::fmt::Write as _;

use mangle_engine::program::builtins;

use super::{Random, chance, pick};

/// Values of all types, as terms of a rule's body. What has no literal is computed.
const VALUES: &[(&str, &str)] = &[
    ("/number", "0"),
    ("/number", "1"),
    ("/number", "-7"),
    ("/number", "3"),
    ("/number", "9223372036854775807"),
    ("/float64", "1.5"),
    ("/float64", "-0.0"),
    ("/float64", "2.0"),
    ("/float64", "0.000000001"),
    ("/string", "\"\""),
    ("/string", "\"ab\""),
    ("/string", "\"1h30m\""),
    ("/string", "\"2026-01-31T12:00:00Z\""),
    ("/string", "\"2026-01-31T12:00:00\""),
    ("/string", "\"UTC\""),
    ("/string", "\"Europe/Paris\""),
    ("/string", "\"a\\u{fc}\\n\\\"\""),
    ("/name", "/a"),
    ("/name", "/a/b/c"),
    ("/name", "/true"),
    ("/name", "/day"),
    ("/name", "/week"),
    ("/name", "/hour"),
    ("/name", "/year"),
    ("/name", "/month"),
    ("/name", "/second"),
    ("/name", "/nanosecond"),
    ("/time", "fn:time:parse_rfc3339(\"2026-01-31T12:34:56.789Z\")"),
    ("/time", "fn:time:from_unix_nanos(-1)"),
    ("/duration", "fn:duration:parse(\"36h\")"),
    ("/duration", "fn:duration:from_nanos(-1500000001)"),
    (".Pair", "fn:pair(1, /a)"),
    (".Pair", "fn:pair(1, 5)"),
    (".Pair", "fn:pair(3, 9)"),
    (".Pair", "fn:pair(fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(5))"),
    (".Pair", "fn:pair(fn:time:from_unix_nanos(9), fn:time:from_unix_nanos(5))"),
    (".List", "[]"),
    (".List", "[1, 2, 3]"),
    (".List", "[1.5, 0.5]"),
    (".List", "[\"x\", /a]"),
    (".List", "[fn:time:from_unix_nanos(1), fn:time:from_unix_nanos(5)]"),
    (".List", "[fn:duration:from_nanos(1), fn:duration:from_nanos(5)]"),
    (".Map", "fn:map()"),
    (".Map", "[\"k\" : 1, \"l\" : 2]"),
    (".Struct", "{}"),
    (".Struct", "{/a : 1, /b : \"x\"}"),
    ("/bytes", "b\"\\xff\\x00\""),
];

pub(super) fn program(random: &mut Random) -> Vec<String> {
    let mut text = String::from("one(1).\n");
    match random.below(10) {
        0..5 => function(random, &mut text),
        5..9 => predicate(random, &mut text),
        _ => reducer(random, &mut text),
    }
    vec![text]
}

fn function(random: &mut Random, text: &mut String) {
    let function = &builtins::FUNCTIONS[random.below(builtins::FUNCTIONS.len())];
    if function.name == "fn:time:now" {
        return;
    }
    let count = count(random, function.parameters.len(), function.arity);
    let args: Vec<_> = (0..count).map(|at| value(random, function.parameters, at)).collect();
    let (defined, names) = defined(random, &args);
    let call = format!("{}({})", function.name, names.join(", "));
    let _ = match random.below(6) {
        0 => writeln!(text, "f({call})."),
        1 => writeln!(text, "f({call}) :- one(_){defined}."),
        2 => writeln!(text, "f(Y) :- one(_){defined} |> let Y = {call}."),
        _ => writeln!(text, "f(Y) :- one(_){defined}, Y = {call}."),
    };
}

fn predicate(random: &mut Random, text: &mut String) {
    let predicate = &builtins::PREDICATES[random.below(builtins::PREDICATES.len())];
    let mut args = Vec::new();
    let mut outputs = Vec::new();
    for parameter in predicate.parameters {
        if parameter.mode.binds() && !chance(random, 8) {
            let name = ["O", "P"][outputs.len().min(1)].to_owned();
            outputs.push(name.clone());
            args.push(name);
        } else {
            args.push(value(random, &[parameter.ty], 0));
        }
    }
    let (mut defined, mut names) = (String::new(), Vec::new());
    for arg in args {
        if outputs.contains(&arg) {
            names.push(arg);
            continue;
        }
        let (more, name) = self::defined(random, std::slice::from_ref(&arg));
        // Each value has a variable of its own.
        let own = format!("V{}", names.len());
        defined += &more.replace("V0", &own);
        names.extend(name.into_iter().map(|name| name.replace("V0", &own)));
    }
    let sign = if outputs.is_empty() && chance(random, 20) { "!" } else { "" };
    let head = if outputs.is_empty() { "1".to_owned() } else { outputs.join(", ") };
    let _ = writeln!(text, "f({head}) :- one(_){defined}, {sign}{}({}).", predicate.name, names.join(", "));
}

fn reducer(random: &mut Random, text: &mut String) {
    let reducers: Vec<_> = builtins::FUNCTIONS.iter().filter(|one| one.is_reducer()).collect();
    let reducer = reducers[random.below(reducers.len())];
    let parameter = reducer.parameters.first().copied().unwrap_or("/number");
    for _ in 0..1 + random.below(3) {
        let value = value(random, &[parameter], 0);
        let _ = writeln!(text, "v({value}, {}).", pick(random, &["/g", "/h"]));
    }
    let args = if reducer.parameters.is_empty() { "" } else { "X" };
    let args = if reducer.parameters.len() == 2 { "G, X" } else { args };
    let (keys, head) = if chance(random, 50) { ("G", "G, Y") } else { ("", "Y") };
    let _ =
        writeln!(text, "f({head}) :- v(X, G) |> do fn:group_by({keys}), let Y = {}({args}).", reducer.name);
}

/// The number of arguments, now and then a wrong one.
fn count(random: &mut Random, parameters: usize, arity: builtins::Arity) -> usize {
    let right = match arity {
        builtins::Arity::Exactly(count) => count,
        builtins::Arity::AtLeast(least) => least + random.below(3),
        builtins::Arity::Pairs => 2 * random.below(3),
    };
    if chance(random, 3) { (right + 1).max(parameters) } else { right }
}

/// A value for a parameter: mostly one of its type.
fn value(random: &mut Random, parameters: &[&str], at: usize) -> String {
    let wanted = parameters.get(at.min(parameters.len().saturating_sub(1))).copied().unwrap_or("/any");
    let fits: Vec<_> = VALUES.iter().filter(|(ty, _)| wanted.starts_with(ty)).collect();
    let (_, value) = if fits.is_empty() || chance(random, 25) {
        &VALUES[random.below(VALUES.len())]
    } else {
        fits[random.below(fits.len())]
    };
    (*value).to_owned()
}

/// Premises that give values to variables, and what stands for the values: variables or the values themselves.
fn defined(random: &mut Random, args: &[String]) -> (String, Vec<String>) {
    let (mut premises, mut names) = (String::new(), Vec::new());
    for (at, arg) in args.iter().enumerate() {
        if chance(random, 60) {
            let _ = write!(premises, ", V{at} = {arg}");
            names.push(format!("V{at}"));
        } else {
            names.push(arg.clone());
        }
    }
    (premises, names)
}
