//! Grammars in Backus-Naur form with repetitions, for llama.cpp and XGrammar.

use std::fmt::Write as _;

use crate::class::CharClass;
use crate::expr::Expr;

/// The style of a grammar.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrammarStyle {
    /// The separator of words in rule names.
    pub(super) separator: char,
    /// The maximum count of one repetition.
    pub(super) most_repetitions: u32,
}

impl GrammarStyle {
    /// The rules of an expression in reverse order: the root comes first.
    pub(super) fn write(self, expr: &Expr, origin: &str) -> String {
        let mut out = format!("# {origin}\n");
        for rule in expr.rules().iter().rev() {
            let name = self.name(&rule.name);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{name} ::= {}", self.alternatives(&rule.body));
        }
        out
    }

    fn name(self, rule: &str) -> String {
        rule.replace('_', &self.separator.to_string())
    }

    fn alternatives(self, expr: &Expr) -> String {
        match expr {
            Expr::Choice(parts) => {
                parts.iter().map(|part| self.sequence(part)).collect::<Vec<_>>().join(" | ")
            }
            _ => self.sequence(expr),
        }
    }

    fn sequence(self, expr: &Expr) -> String {
        match expr {
            Expr::Sequence(parts) => self.joined(parts),
            Expr::Repeat(part, least, most) => self.repeated(part, *least, *most),
            _ => self.item(expr),
        }
    }

    /// The parts of a sequence. Adjacent literals are joined.
    fn joined(self, parts: &[Expr]) -> String {
        let mut items: Vec<String> = Vec::new();
        let mut text = String::new();
        for part in parts {
            if let Expr::Literal(literal) = part {
                text.push_str(literal);
                continue;
            }
            if !text.is_empty() {
                items.push(quoted(&std::mem::take(&mut text)));
            }
            items.push(self.sequence(part));
        }
        if !text.is_empty() {
            items.push(quoted(&text));
        }
        items.join(" ")
    }

    fn item(self, expr: &Expr) -> String {
        match expr {
            Expr::Literal(text) => quoted(text),
            Expr::Class(class) => brackets(class),
            Expr::Rule(rule) => self.name(&rule.name),
            _ => format!("({})", self.alternatives(expr)),
        }
    }

    /// A repetition, split into several if its count exceeds the maximum.
    fn repeated(self, part: &Expr, least: u32, most: u32) -> String {
        let item = self.item(part);
        let (mut items, mut open, mut needed) = (Vec::new(), most, least);
        while open > 0 {
            let most = open.min(self.most_repetitions);
            let least = needed.min(most);
            items.push(format!("{item}{}", times(least, most)));
            open -= most;
            needed -= least;
        }
        items.join(" ")
    }
}

fn times(least: u32, most: u32) -> String {
    match (least, most) {
        (0, 1) => "?".to_owned(),
        (1, 1) => String::new(),
        (least, most) if least == most => format!("{{{least}}}"),
        (least, most) => format!("{{{least},{most}}}"),
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// A character class. A hyphen is last, so that it has no special meaning.
fn brackets(class: &CharClass) -> String {
    let is_negative = class.is_negative();
    let shown = if is_negative { class.complement() } else { class.clone() };
    let mut out = String::from(if is_negative { "[^" } else { "[" });
    let mut has_hyphen = false;
    for (start, end) in shown.ranges() {
        match (*start, *end) {
            ('-', '-') => has_hyphen = true,
            ('-', end) => {
                has_hyphen = true;
                range('.', end, &mut out);
            }
            (start, end) => range(start, end, &mut out),
        }
    }
    out.push_str(if has_hyphen { "-]" } else { "]" });
    out
}

fn range(start: char, end: char, out: &mut String) {
    member(start, out);
    if end > start {
        out.push('-');
        member(end, out);
    }
}

fn member(char: char, out: &mut String) {
    match u32::from(char) {
        0x0a => out.push_str("\\n"),
        0x09 => out.push_str("\\t"),
        code @ (0..0x20 | 0x7f..0xa1) => {
            let _ = write!(out, "\\x{code:02X}");
        }
        code @ (0x1680 | 0x2000..0x2070 | 0x3000) => {
            let _ = write!(out, "\\u{code:04X}");
        }
        _ if "\\[]\"^".contains(char) => out.extend(['\\', char]),
        _ => out.push(char),
    }
}
