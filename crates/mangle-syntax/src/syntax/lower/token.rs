//! Lowering of literals and variables, with checks for literals that the grammar accepts too
//! generously.

use tree_sitter::Node;

use super::super::ast::TermKind;
use super::super::kind::{SyntaxKind, kind_of};
use super::super::literal::{self, Piece};
use super::super::{rules, time};
use super::Lower;
use crate::lint::{Finding, Fix};
use crate::text::{Symbol, TextRange, TextSize};

impl<'t> Lower<'_, 't> {
    pub(super) fn variable(&mut self, node: Node<'t>, range: TextRange) -> TermKind {
        let word = self.source(node);
        if word == "_" {
            return TermKind::Wildcard;
        }
        if word.contains('_') {
            self.odd.underscored.push((word, range));
        } else if matches!(word, "Package" | "Use" | "Decl") {
            self.soft(super::atom::reserved(word, "variable", range));
        } else if let Some(meant) = self.capital_constant(word) {
            return self.foreign_constant(word, meant, range);
        }
        TermKind::Variable(Symbol::new(word))
    }

    pub(super) fn number(&mut self, node: Node<'t>) -> TermKind {
        let value = self.source(node).parse().ok();
        if value.is_none() {
            let finding =
                Finding::new(&rules::NUMBER_RANGE, self.range(node), "number does not fit in 64 bits");
            self.soft(finding.note("numbers range from -9223372036854775808 to 9223372036854775807"));
        }
        TermKind::Number(value)
    }

    pub(super) fn float(&mut self, node: Node<'t>) -> TermKind {
        let range = self.range(node);
        let written = self.source(node);
        let value = written.parse::<f64>().unwrap_or(f64::INFINITY);
        if !written.contains('.') {
            let spelt = written.replacen(['e', 'E'], ".0e", 1);
            let fix = Fix::safe(format!("write `{spelt}`")).replace(range, spelt.as_str());
            let message = format!("`{}` has an exponent but no fraction", super::shorten(written));
            let finding = Finding::new(&rules::EXPONENT_NEEDS_FRACTION, range, message);
            self.soft(finding.note("the engine reads a number followed by a word").fix(fix));
        } else if value.is_infinite() {
            let finding = Finding::new(&rules::NUMBER_RANGE, range, "float does not fit in 64 bits");
            self.soft(finding.note("the engine rejects it"));
        }
        TermKind::Float(value)
    }

    pub(super) fn string(&mut self, node: Node<'t>, bytes: bool) -> TermKind {
        let kind = if bytes { TermKind::Bytes } else { TermKind::String };
        if self.is_unterminated(node) {
            return kind;
        }
        let source = self.source(node);
        if source.contains('\\') {
            self.check_escapes(node, source, bytes);
        }
        kind
    }

    /// True if a string is unterminated. Multi-line strings have children, and the last child can
    /// stand for a missing quote.
    fn is_unterminated(&mut self, node: Node<'t>) -> bool {
        let last = node.child_count().checked_sub(1);
        let Some(last) = last.and_then(|last| node.child(last)) else { return false };
        if kind_of(last) != SyntaxKind::MissingQuote {
            return false;
        }
        let opening = self.opening_quote(node);
        let line = self.first_line(self.range(node));
        // Characters that usually close the clause were not meant to be in the string.
        let content = self.slice(line).trim_end_matches([')', ']', '}', '.', ',', ' ']);
        let end = line.start() + super::size(content.len());
        let backslashes = content.len() - content.trim_end_matches('\\').len();
        let mut finding = Finding::new(&rules::UNTERMINATED_STRING, opening, "string is never closed")
            .note("the engine reads everything up to the next such quote as text");
        // A quote after a backslash would also be text.
        if backslashes.is_multiple_of(2) {
            let quote = self.slice(opening).chars().next_back().unwrap_or('"');
            finding = finding.fix(Fix::guess("close the string on its first line").insert(end, quote));
        }
        self.hard(finding);
        true
    }

    fn opening_quote(&self, node: Node<'t>) -> TextRange {
        let prefix = if self.source(node).starts_with('b') { 2 } else { 1 };
        TextRange::at(self.range(node).start(), TextSize::new(prefix))
    }

    fn check_escapes(&mut self, node: Node<'t>, source: &str, bytes: bool) {
        let prefix = usize::from(bytes);
        let Some(content) = source.get(prefix..).and_then(literal::string_content) else { return };
        let start = self.range(node).start() + super::size(prefix + 1);
        for (at, piece) in literal::pieces(content, bytes) {
            if let Piece::Bad(escape) = piece {
                let range = TextRange::at(start + super::size(at), super::size(escape.len()));
                self.bad_escape(range, escape, content.get(at..).unwrap_or(""));
            }
        }
    }

    fn bad_escape(&mut self, range: TextRange, escape: &str, rest: &str) {
        let (message, note) = match escape {
            "\\x" => (
                "malformed escape `\\x`".to_owned(),
                "`\\x` requires two lower-case hex digits, below `80` in a string",
            ),
            "\\u" => (
                "malformed escape `\\u`".to_owned(),
                "`\\u{…}` requires four to six lower-case hex digits of a character",
            ),
            "\\\r" => (
                "backslash before a CRLF line end".to_owned(),
                "the engine accepts a backslash at the end of a line only before LF",
            ),
            _ => (format!("unknown escape `{escape}`"), "a backslash itself is written `\\\\`"),
        };
        let mut finding = Finding::new(&rules::BAD_ESCAPE, range, message).note(note);
        let lower: String = rest.chars().take(12).collect::<String>().to_lowercase();
        let digits = literal::pieces(&lower, false).next();
        if let (Some((_, Piece::Char(_))), true) = (digits, matches!(escape, "\\x" | "\\u")) {
            let len = if escape == "\\x" { 4 } else { lower.find('}').map_or(2, |at| at + 1) };
            let whole = TextRange::at(range.start(), super::size(len));
            let spelt = lower.get(..len).unwrap_or(&lower);
            finding = finding.fix(Fix::safe("write the digits in lower case").replace(whole, spelt));
        } else if !matches!(escape, "\\x" | "\\u" | "\\\r") {
            finding = finding.fix(Fix::guess("double the backslash").insert(range.start(), "\\"));
        }
        self.soft(finding);
    }

    /// Reports `X = 7d`, `p(2024-01-15)`.
    pub(super) fn time_literal_as_term(&mut self, node: Node<'t>) -> TermKind {
        let range = self.range(node);
        let written = self.source(node);
        let (what, call) = if kind_of(node) == SyntaxKind::Duration {
            ("duration", format!("fn:duration:parse(\"{}\")", time::go_duration(written)))
        } else {
            ("time", format!("fn:time:parse_rfc3339(\"{}\")", time::rfc3339(written)))
        };
        let fix = Fix::safe(format!("write `{call}`")).replace(range, call);
        let message = format!("{what} `{}` is outside of an interval", super::shorten(written));
        let finding = Finding::new(&rules::TEMPORAL_LITERAL_AS_TERM, range, message);
        self.soft(finding.note("the engine reads such a literal only inside of `@[…]`").fix(fix));
        TermKind::Broken
    }

    pub(super) fn timestamp(&mut self, node: Node<'t>) -> Option<i64> {
        let value = time::parse_timestamp(self.source(node));
        self.check_time(node, value, "date or time", "does not exist")
    }

    pub(super) fn duration(&mut self, node: Node<'t>) -> Option<i64> {
        let value = time::parse_duration(self.source(node));
        self.check_time(node, value, "duration", "exceeds 64 bits of nanoseconds")
    }

    fn check_time(&mut self, node: Node<'t>, value: Option<i64>, what: &str, why: &str) -> Option<i64> {
        if value.is_none() {
            let message = format!("{what} `{}` {why}", super::shorten(self.source(node)));
            let finding = Finding::new(&rules::TIME_RANGE, self.range(node), message);
            self.soft(finding.note("the engine rejects it"));
        }
        value
    }
}

/// Converts `my_var`, `_tmp`, `My_Var` to variables: `MyVar`, `Tmp`, `MyVar`.
pub(in crate::syntax) fn camel_case(word: &str) -> String {
    let parts = word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let mut name = String::with_capacity(word.len());
    for part in parts {
        let (first, rest) = part.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name } else { format!("V{name}") }
}

#[cfg(test)]
mod tests {
    use super::camel_case;

    #[test]
    fn variables_in_camel_case() {
        let names = ["my_var", "_tmp", "My_Var", "x", "_", "a:b.c", "_1"].map(camel_case);
        assert_eq!(names, ["MyVar", "Tmp", "MyVar", "X", "V", "ABC", "V1"]);
    }
}
