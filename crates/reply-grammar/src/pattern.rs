//! Regular expression syntax that is common to ECMAScript, Rust and Python.

use std::fmt::Write as _;

use crate::class::CharClass;
use crate::expr::Expr;

/// The style of regular expressions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PatternStyle {
    /// True if slashes are escaped, as between the slashes of Lark.
    pub(crate) escapes_slash: bool,
    /// True if repetitions of characters are unbounded, for engines that support only simple
    /// patterns.
    pub(crate) is_unbounded: bool,
}

/// The regular expression of a set, without anchors.
pub(crate) fn pattern(expr: &Expr, style: PatternStyle) -> String {
    let mut out = String::new();
    write(expr, style, &mut out);
    out
}

fn write(expr: &Expr, style: PatternStyle, out: &mut String) {
    match expr {
        Expr::Literal(text) => text.chars().for_each(|char| literal(char, style, out)),
        Expr::Class(class) => brackets(class, style, out),
        Expr::Sequence(parts) => parts.iter().for_each(|part| match part {
            Expr::Choice(_) => group(part, style, out),
            Expr::Rule(rule) if matches!(rule.body, Expr::Choice(_)) => group(part, style, out),
            _ => write(part, style, out),
        }),
        Expr::Choice(parts) => {
            for (at, part) in parts.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "|" });
                write(part, style, out);
            }
        }
        Expr::Repeat(part, least, most) => {
            match **part {
                Expr::Class(_) => write(part, style, out),
                Expr::Literal(ref text) if text.chars().count() == 1 => write(part, style, out),
                _ => group(part, style, out),
            }
            out.push_str(&times(*least, *most, style));
        }
        Expr::Rule(rule) => write(&rule.body, style, out),
    }
}

fn group(expr: &Expr, style: PatternStyle, out: &mut String) {
    out.push('(');
    write(expr, style, out);
    out.push(')');
}

/// The repetition suffix.
fn times(least: u32, most: u32, style: PatternStyle) -> String {
    match (least, most) {
        (0, 1) => "?".to_owned(),
        (1, 1) => String::new(),
        (0, most) if style.is_unbounded && most > MAX_SIMPLE_BOUND => "*".to_owned(),
        (1, most) if style.is_unbounded && most > MAX_SIMPLE_BOUND => "+".to_owned(),
        (least, most) if least == most => format!("{{{least}}}"),
        (least, most) => format!("{{{least},{most}}}"),
    }
}

/// The maximum bound that simple patterns keep.
const MAX_SIMPLE_BOUND: u32 = 2;

fn literal(char: char, style: PatternStyle, out: &mut String) {
    match char {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' => {
            out.extend(['\\', char])
        }
        '/' if style.escapes_slash => out.push_str("\\/"),
        _ => member(char, out),
    }
}

/// A character class, in its shorter form.
fn brackets(class: &CharClass, style: PatternStyle, out: &mut String) {
    let is_negative = class.is_negative();
    let shown = if is_negative { class.complement() } else { class.clone() };
    out.push_str(if is_negative { "[^" } else { "[" });
    for (start, end) in shown.ranges() {
        in_class(*start, style, out);
        if u32::from(*end) > u32::from(*start) + 1 {
            out.push('-');
        }
        if end > start {
            in_class(*end, style, out);
        }
    }
    out.push(']');
}

fn in_class(char: char, style: PatternStyle, out: &mut String) {
    match char {
        '\\' | '[' | ']' | '^' | '-' => out.extend(['\\', char]),
        '/' if style.escapes_slash => out.push_str("\\/"),
        _ => member(char, out),
    }
}

/// Writes a character without a special meaning.
fn member(char: char, out: &mut String) {
    match u32::from(char) {
        0x0a => out.push_str("\\n"),
        0x09 => out.push_str("\\t"),
        // Writing to a string cannot fail.
        code @ (0..0x20 | 0x7f..=0xa0) => {
            let _ = write!(out, "\\x{code:02x}");
        }
        code @ (0x1680 | 0x2000..=0x206f | 0x3000) => {
            let _ = write!(out, "\\u{code:04x}");
        }
        _ => out.push(char),
    }
}
