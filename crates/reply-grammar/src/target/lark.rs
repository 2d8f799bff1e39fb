//! Lark grammars for llguidance, vLLM and the custom tools of OpenAI. JSON strings are terminals.

use std::fmt::Write as _;

use super::rules::quoted;
use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::envelope::EnvelopeSet;
use crate::expr::{Expr, Rule};
use crate::pattern::{PatternStyle, pattern};

pub(super) static TARGET: Target = Target {
    name: "lark",
    readers: "llguidance, vLLM, custom tools of OpenAI",
    extension: "lark",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write,
};

const STYLE: PatternStyle = PatternStyle { escapes_slash: true, is_unbounded: false };

fn write(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let mut text = format!("// {origin}\n");
    for rule in set.json().rules().iter().rev() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}", name(rule), alternatives(&rule.body));
    }
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}

fn name(rule: &Rule) -> String {
    match rule.name.as_str() {
        "root" => "start".to_owned(),
        name if rule.is_terminal => name.to_uppercase(),
        name => name.to_owned(),
    }
}

fn alternatives(expr: &Expr) -> String {
    match expr {
        Expr::Choice(parts) if has_rules(expr) => parts.iter().map(sequence).collect::<Vec<_>>().join(" | "),
        _ => sequence(expr),
    }
}

fn sequence(expr: &Expr) -> String {
    match expr {
        Expr::Sequence(parts) if has_rules(expr) => joined(parts),
        Expr::Repeat(part, least, most) if has_rules(expr) => {
            format!("{}{}", item(part), times(*least, *most))
        }
        _ => item(expr),
    }
}

/// The parts of a sequence. Adjacent parts without rules are joined into one expression.
fn joined(parts: &[Expr]) -> String {
    let mut items = Vec::new();
    let mut plain: Vec<Expr> = Vec::new();
    for part in parts {
        if has_rules(part) {
            items.extend(flushed(&mut plain));
            items.push(sequence(part));
        } else {
            plain.push(part.clone());
        }
    }
    items.extend(flushed(&mut plain));
    items.join(" ")
}

fn flushed(plain: &mut Vec<Expr>) -> Option<String> {
    (!plain.is_empty()).then(|| item(&Expr::Sequence(std::mem::take(plain))))
}

fn item(expr: &Expr) -> String {
    match expr {
        Expr::Rule(rule) => name(rule),
        Expr::Literal(text) => quoted(text),
        Expr::Sequence(parts) if parts.iter().all(|part| matches!(part, Expr::Literal(_))) => {
            quoted(&expr.sample())
        }
        _ if has_rules(expr) => format!("({})", alternatives(expr)),
        _ => format!("/{}/", pattern(expr, STYLE)),
    }
}

fn times(least: u32, most: u32) -> String {
    match (least, most) {
        (0, 1) => "?".to_owned(),
        (1, 1) => String::new(),
        (least, most) => format!("{{{least},{most}}}"),
    }
}

fn has_rules(expr: &Expr) -> bool {
    !expr.rules().is_empty()
}
