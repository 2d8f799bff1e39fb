//! Sets of JSON values of bounded length.

use crate::class::CharClass;
use crate::expr::{Expr, escaped};
use crate::term::digits;

/// A set of JSON values.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An object with all of these members, in this order.
    Object(Vec<Member>),
    /// One of these objects.
    Either(Vec<Value>),
    /// A list, with inclusive minimum and maximum of its length.
    List(Box<Value>, u32, u32),
    /// A string with a text of a set. The name is the name of the set in grammars.
    Text(&'static str, Expr),
    /// One of these strings.
    Words(Vec<String>),
    /// A multiple of 0.01 from this number of hundredths to 1, without trailing zeros.
    Hundredths(u8),
    /// A non-negative integer with at most this number of digits.
    Count(u32),
    /// `true` or `false`.
    Flag,
    /// A value, or `null`.
    Nullable(Box<Value>),
    /// An object with at most this number of members. The keys are texts of a set.
    Map(Expr, Box<Value>, u32),
    /// A value of any of these sets, which contain no objects.
    Scalar(Vec<Value>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key.
    pub name: &'static str,
    /// The allowed values.
    pub value: Value,
}

impl Value {
    /// The JSON texts of the set without white space. `name` is the name of the rule.
    #[must_use]
    pub fn json(&self, name: &str) -> Expr {
        match self {
            Self::Object(members) => Expr::rule(name, object(members, "")),
            Self::Either(objects) => Expr::rule(name, either(objects)),
            Self::List(element, least, most) => {
                Expr::rule(name, brackets(["[", "]"], &element.json(&element_name(name)), *least, *most))
            }
            Self::Text(name, text) => Expr::terminal(*name, quoted(text.in_json())),
            Self::Words(words) => {
                let words = words.iter().map(|word| Expr::Literal(format!("\"{}\"", escaped(word))));
                Expr::terminal(name, Expr::choice(words.collect()))
            }
            Self::Hundredths(least) => Expr::terminal(name, hundredths(*least)),
            Self::Count(digits) => count(*digits),
            Self::Flag => {
                Expr::terminal("flag", Expr::Choice(vec![Expr::literal("true"), Expr::literal("false")]))
            }
            Self::Nullable(value) => {
                Expr::rule(name, Expr::Choice(vec![value.json(&element_name(name)), Expr::literal("null")]))
            }
            Self::Map(key, value, most) => {
                let key = Expr::terminal("argument", quoted(key.in_json()));
                let pair = Expr::Sequence(vec![key, Expr::literal(":"), value.json("argument_value")]);
                Expr::rule(name, brackets(["{", "}"], &pair, 0, *most))
            }
            Self::Scalar(values) => {
                let of = values.iter().map(|value| value.json("number")).collect();
                Expr::rule(name, Expr::Choice(of))
            }
        }
    }
}

/// The rule name for elements of a list, for example `tool_request` for `tool_requests`.
fn element_name(list: &str) -> String {
    match list.strip_suffix('s') {
        Some(one) => one.to_owned(),
        None => format!("{list}_value"),
    }
}

/// Alternatives with numbered rules, since fields with the same name differ.
fn either(objects: &[Value]) -> Expr {
    let alternative = |(at, value): (usize, &Value)| match value {
        Value::Object(members) => object(members, &format!("_{at}")),
        other => other.json("value"),
    };
    Expr::choice((1..).zip(objects).map(alternative).collect())
}

/// An object. `suffix` is appended to the rule names of its members.
fn object(members: &[Member], suffix: &str) -> Expr {
    let mut parts = Vec::new();
    for (at, member) in members.iter().enumerate() {
        let before = if at == 0 { "{" } else { "," };
        parts.push(Expr::Literal(format!("{before}\"{}\":", member.name)));
        parts.push(member.value.json(&format!("{}{suffix}", member.name)));
    }
    parts.push(Expr::literal(if members.is_empty() { "{}" } else { "}" }));
    Expr::Sequence(parts)
}

/// Elements separated by commas, in brackets.
fn brackets([open, close]: [&str; 2], element: &Expr, least: u32, most: u32) -> Expr {
    if most == 0 {
        return Expr::Literal(format!("{open}{close}"));
    }
    let more = Expr::Sequence(vec![Expr::literal(","), element.clone()]);
    let mut elements = vec![element.clone()];
    if most > 1 {
        elements.push(more.repeat(least.saturating_sub(1), most - 1));
    }
    let elements = Expr::Sequence(elements);
    let elements = if least == 0 { elements.optional() } else { elements };
    Expr::Sequence(vec![Expr::literal(open), elements, Expr::literal(close)])
}

fn quoted(text: Expr) -> Expr {
    Expr::Sequence(vec![Expr::literal("\""), text, Expr::literal("\"")])
}

fn hundredths(least: u8) -> Expr {
    let (first, last) = (Expr::Class(digits()), Expr::Class(CharClass::from_ranges(&['1'..='9'])));
    let decimals = Expr::Choice(vec![Expr::Sequence(vec![first, last.clone()]), last]);
    let mut numbers = vec![Expr::Sequence(vec![Expr::literal("0."), decimals]), Expr::literal("1")];
    if least == 0 {
        numbers.insert(0, Expr::literal("0"));
    }
    Expr::Choice(numbers)
}

fn count(most: u32) -> Expr {
    let first = Expr::Class(CharClass::from_ranges(&['1'..='9']));
    let rest = Expr::Class(digits()).repeat(0, most.saturating_sub(1));
    Expr::terminal("count", Expr::Choice(vec![Expr::literal("0"), Expr::Sequence(vec![first, rest])]))
}
