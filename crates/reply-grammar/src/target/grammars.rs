//! Grammar targets: Backus-Naur form with repetitions for llama.cpp and XGrammar, Lark, and regular
//! expressions.

use std::fmt::Write as _;

use super::{Dialect, Order, Output, SchemaLimits, Target};
use crate::class::CharClass;
use crate::envelope::EnvelopeSet;
use crate::expr::{Expr, Rule};
use crate::pattern::{PatternStyle, pattern};

/// XGrammar grammars for vLLM and SGLang.
pub(super) static EBNF: Target = Target {
    name: "ebnf",
    readers: "XGrammar: vLLM, SGLang",
    extension: "ebnf",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write: write_ebnf,
};

const EBNF_STYLE: GrammarStyle = GrammarStyle { separator: '_', most_repetitions: 100_000 };

fn write_ebnf(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let text = EBNF_STYLE.write(&set.json(), origin);
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}

/// GBNF grammars for llama.cpp.
pub(super) static GBNF: Target = Target {
    name: "gbnf",
    readers: "llama.cpp",
    extension: "gbnf",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write: write_gbnf,
};

/// Names have no underscores, and llama.cpp rejects long repetitions.
const GBNF_STYLE: GrammarStyle = GrammarStyle { separator: '-', most_repetitions: 1_000 };

fn write_gbnf(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let text = GBNF_STYLE.write(&set.json(), origin);
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}

/// The style of a grammar.
#[derive(Debug, Clone, Copy)]
struct GrammarStyle {
    /// The separator of words in rule names.
    separator: char,
    /// The maximum count of one repetition.
    most_repetitions: u32,
}

impl GrammarStyle {
    /// The rules of an expression in reverse order: the root comes first.
    fn write(self, expr: &Expr, origin: &str) -> String {
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

fn quoted(text: &str) -> String {
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

/// Lark grammars for llguidance, vLLM and the custom tools of OpenAI. JSON strings are terminals.
pub(super) static LARK: Target = Target {
    name: "lark",
    readers: "llguidance, vLLM, custom tools of OpenAI",
    extension: "lark",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write: write_lark,
};

const LARK_STYLE: PatternStyle = PatternStyle { escapes_slash: true, is_unbounded: false };

fn write_lark(_: &Target, set: &EnvelopeSet, _: Dialect, origin: &str) -> Output {
    let mut text = format!("// {origin}\n");
    for rule in set.json().rules().iter().rev() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}", lark_name(rule), lark_alternatives(&rule.body));
    }
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}

fn lark_name(rule: &Rule) -> String {
    match rule.name.as_str() {
        "root" => "start".to_owned(),
        name if rule.is_terminal => name.to_uppercase(),
        name => name.to_owned(),
    }
}

fn lark_alternatives(expr: &Expr) -> String {
    match expr {
        Expr::Choice(parts) if has_rules(expr) => {
            parts.iter().map(lark_sequence).collect::<Vec<_>>().join(" | ")
        }
        _ => lark_sequence(expr),
    }
}

fn lark_sequence(expr: &Expr) -> String {
    match expr {
        Expr::Sequence(parts) if has_rules(expr) => lark_joined(parts),
        Expr::Repeat(part, least, most) if has_rules(expr) => {
            format!("{}{}", lark_item(part), lark_times(*least, *most))
        }
        _ => lark_item(expr),
    }
}

/// The parts of a sequence. Adjacent parts without rules are joined into one expression.
fn lark_joined(parts: &[Expr]) -> String {
    let mut items = Vec::new();
    let mut plain: Vec<Expr> = Vec::new();
    for part in parts {
        if has_rules(part) {
            items.extend(lark_flushed(&mut plain));
            items.push(lark_sequence(part));
        } else {
            plain.push(part.clone());
        }
    }
    items.extend(lark_flushed(&mut plain));
    items.join(" ")
}

fn lark_flushed(plain: &mut Vec<Expr>) -> Option<String> {
    (!plain.is_empty()).then(|| lark_item(&Expr::Sequence(std::mem::take(plain))))
}

fn lark_item(expr: &Expr) -> String {
    match expr {
        Expr::Rule(rule) => lark_name(rule),
        Expr::Literal(text) => quoted(text),
        Expr::Sequence(parts) if parts.iter().all(|part| matches!(part, Expr::Literal(_))) => {
            quoted(&expr.sample())
        }
        _ if has_rules(expr) => format!("({})", lark_alternatives(expr)),
        _ => format!("/{}/", pattern(expr, LARK_STYLE)),
    }
}

fn lark_times(least: u32, most: u32) -> String {
    match (least, most) {
        (0, 1) => "?".to_owned(),
        (1, 1) => String::new(),
        (least, most) => format!("{{{least},{most}}}"),
    }
}

fn has_rules(expr: &Expr) -> bool {
    !expr.rules().is_empty()
}

/// Regular expression of the whole envelope, for Outlines.
pub(super) static REGEX: Target = Target {
    name: "regex",
    readers: "Outlines",
    extension: "regex",
    dialects: &[Dialect::Raw],
    order: Order::Grammar,
    keywords: &[],
    limits: SchemaLimits::NONE,
    write: write_regex,
};

/// The file contains only the expression, so that programs can use it unchanged.
fn write_regex(_: &Target, set: &EnvelopeSet, _: Dialect, _: &str) -> Output {
    let text = pattern(&set.json(), PatternStyle::default()) + "\n";
    Output { text, dropped: Vec::new(), exceeded: Vec::new(), is_bounded: true }
}
