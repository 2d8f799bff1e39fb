//! A fast parser for plain ground facts such as `p(/name, "text", 3).`, without rare syntax.
//!
//! Logs contain millions of such facts. Every accepted fact is also valid in the grammar and has
//! the same parts, which a property test checks. A rejected text may still be a fact, so the full
//! parser decides.

use smallvec::SmallVec;

use mangle_syntax::text::{TextRange, size};

/// Words that are never predicates.
const RESERVED: [&str; 8] = ["bound", "descr", "do", "inclusion", "let", "now", "opt", "temporal"];

/// The maximum number of digits of a float. Longer floats may be too large.
const MAX_DIGITS: usize = 40;

/// The kinds of constants in arguments of a plain fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ArgumentKind {
    /// A name, for example `/a`.
    Name,
    /// An integer, for example `1`.
    Number(i64),
    /// A float, for example `1.5`.
    Float,
    /// A string without escapes, for example `"a"` or `'a'`.
    String,
    /// A string with escapes.
    Escaped,
    /// A byte string, for example `b"a"`. Never part of a plain fact, as are the kinds below.
    Bytes,
    /// A variable or `_`.
    Variable,
    /// A function application, for example `fn:f(1)`.
    Function,
    /// A list, a map or a struct.
    Compound,
}

/// An argument of a plain fact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Argument {
    /// The kind of constant.
    pub kind: ArgumentKind,
    /// The byte range, including quotes.
    pub range: TextRange,
}

/// A plain ground fact.
#[derive(Debug, Clone, PartialEq)]
pub struct PlainFact<'t> {
    /// The name of the predicate, as written.
    pub predicate: &'t str,
    /// The byte range of the name.
    pub name: TextRange,
    /// The arguments.
    pub args: SmallVec<[Argument; 6]>,
    /// The byte range of predicate and arguments.
    pub range: TextRange,
    /// True if the fact ends with a period.
    pub has_period: bool,
}

/// Parses a text that is one plain ground fact with an optional final period and white space.
#[must_use]
pub fn read(text: &str) -> Option<PlainFact<'_>> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    cursor.space();
    let start = cursor.at;
    let name = cursor.predicate()?;
    let predicate = text.get(start..name)?;
    if RESERVED.contains(&predicate) {
        return None;
    }
    cursor.space();
    cursor.take(b'(')?;
    let mut args = SmallVec::new();
    cursor.space();
    while cursor.peek() != Some(b')') {
        args.push(cursor.argument()?);
        cursor.space();
        if cursor.take(b',').is_none() {
            break;
        }
        cursor.space();
    }
    cursor.take(b')')?;
    let end = cursor.at;
    cursor.space();
    let has_period = cursor.take(b'.').is_some();
    cursor.space();
    (cursor.at == text.len()).then(|| PlainFact {
        predicate,
        name: TextRange::new(size(start), size(name)),
        args,
        range: TextRange::new(size(start), size(end)),
        has_period,
    })
}

struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn space(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    }

    /// Skips matching bytes and returns their number.
    fn skip(&mut self, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let len = rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len());
        self.at += len;
        len
    }

    /// Skips a predicate and returns its end.
    fn predicate(&mut self) -> Option<usize> {
        self.peek().filter(u8::is_ascii_lowercase)?;
        self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Some(self.at)
    }

    fn argument(&mut self) -> Option<Argument> {
        let start = self.at;
        let kind = match self.peek()? {
            b'/' => self.name()?,
            quote @ (b'"' | b'\'') => self.string(quote)?,
            _ => self.number()?,
        };
        Some(Argument { kind, range: TextRange::new(size(start), size(self.at)) })
    }

    fn name(&mut self) -> Option<ArgumentKind> {
        while self.take(b'/').is_some() {
            let is_part =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%');
            if self.skip(is_part) == 0 {
                return None;
            }
        }
        Some(ArgumentKind::Name)
    }

    fn string(&mut self, quote: u8) -> Option<ArgumentKind> {
        self.at += 1;
        let mut kind = ArgumentKind::String;
        loop {
            // Control characters are rejected, because the engine does not accept some of them as
            // text.
            self.skip(|byte| byte >= b' ' && byte != quote && byte != b'\\');
            match self.peek()? {
                b'\\' => {
                    self.at += 1;
                    self.peek().filter(|byte| matches!(byte, b'n' | b't' | b'"' | b'\'' | b'\\'))?;
                    kind = ArgumentKind::Escaped;
                }
                byte if byte == quote => {
                    self.at += 1;
                    return Some(kind);
                }
                _ => return None,
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Option<ArgumentKind> {
        let start = self.at;
        let _ = self.take(b'-');
        let whole = self.skip(|byte| byte.is_ascii_digit());
        if self.take(b'.').is_some() {
            let fraction = self.skip(|byte| byte.is_ascii_digit());
            return (fraction > 0 && whole + fraction <= MAX_DIGITS).then_some(ArgumentKind::Float);
        }
        let digits = self.bytes.get(start..self.at)?;
        std::str::from_utf8(digits).ok()?.parse().ok().map(ArgumentKind::Number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::syntax::ast::{Item, TermKind};
    use mangle_syntax::syntax::literal::string_value;
    use mangle_syntax::text::slice;

    /// Returns the kind of an argument in the grammar.
    fn kind(kind: &TermKind, literal: &str) -> Option<ArgumentKind> {
        Some(match kind {
            TermKind::Name(_) => ArgumentKind::Name,
            TermKind::Number(number) => ArgumentKind::Number((*number)?),
            TermKind::Float(_) => ArgumentKind::Float,
            TermKind::String if literal.contains('\\') => ArgumentKind::Escaped,
            TermKind::String => ArgumentKind::String,
            _ => return None,
        })
    }

    /// Compares an accepted fact with the grammar. Returns true if the fact was accepted.
    fn agrees(text: &str) -> bool {
        let Some(plain) = read(text) else { return false };
        let full = if plain.has_period { text.to_owned() } else { format!("{text}.") };
        let source = SourceFile::parse(full.as_str().into());
        let [Item { start, statement, .. }] = &source.items()[..] else { panic!("{text:?}: no statement") };
        assert!(source.findings().is_empty(), "{text:?}: {:?}", source.findings());
        assert!(statement.findings.is_empty() && !statement.damaged, "{text:?}: {:?}", statement.findings);
        let head = &statement.clause().filter(|clause| clause.is_fact()).unwrap().head;
        assert_eq!(head.name.as_str(), plain.predicate);
        assert_eq!(head.name.range + *start, plain.name);
        assert_eq!(head.range + *start, plain.range, "{text:?}");
        let args = head.args.iter().map(|arg| {
            let range = arg.range + *start;
            Argument { kind: kind(&arg.kind, slice(text, range)).unwrap(), range }
        });
        assert_eq!(args.collect::<Vec<_>>(), plain.args.to_vec(), "{text:?}");
        for arg in &plain.args {
            let literal = slice(text, arg.range);
            match arg.kind {
                ArgumentKind::String => {
                    assert_eq!(string_value(literal).unwrap(), literal[1..literal.len() - 1])
                }
                ArgumentKind::Escaped => assert!(string_value(literal).is_some(), "{text:?}"),
                _ => {}
            }
        }
        true
    }

    #[test]
    fn plain_facts_are_read() {
        for text in [
            "p().",
            "task_status(\"t\", /done).",
            " p ( /a/b.c-d~1%2 , -3,'x',1.50 , .5, \"a\\\"b\\\\\", ) . ",
            "p(\"é # |>\")",
            "p(9223372036854775807)",
        ] {
            assert!(agrees(text), "{text}");
        }
    }

    #[test]
    fn what_is_rarer_is_left_to_the_parser() {
        for text in [
            "",
            "p",
            "P(1).",
            "let(1).",
            "a:b(1).",
            "p(X).",
            "p([1]).",
            "p(fn:f(1)).",
            "p(1). q(2).",
            "p(1)..",
            "p(1) # x",
            "p(/a//b).",
            "p(1d).",
            "p(1e3).",
            "p(1.e5).",
            "p(2026-01-02).",
            "p(99999999999999999999).",
            "p(b\"x\").",
            "p(`x`).",
            "p(\"\\x41\").",
            "p(\"a\nb\").",
            "p(,).",
            "p(1,,2).",
            "p(1 2).",
            "p(-).",
            "p(/).",
            "\u{feff}p(1).",
            "p(1).\u{a0}",
            "p(1)@[_].",
            "p(1) :- q(1).",
            "p(1",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    /// Generates facts and similar texts.
    fn nearly_facts() -> impl Strategy<Value = String> {
        let space = || {
            let odd = prop::sample::select(vec!["\n", "\t ", "\r\n", "\u{c}", "\u{a0}", "# x\n"]);
            prop_oneof![30 => Just(""), 6 => Just(" "), 1 => odd]
        };
        let term = prop_oneof![
            9 => r"(/[a-zA-Z0-9._~%-]{1,4}){1,3}",
            9 => r#""[a-z/.,()#:é🦀 ']{0,6}""#,
            2 => r#"["'](\\[nt"'\\xu0]|[a-z{}\n\r\t"']){0,5}["']"#,
            6 => r"-?[0-9]{1,4}",
            1 => r"-?[0-9]{17,21}",
            2 => r"-?[0-9]{0,3}\.[0-9]{0,3}",
            1 => r"[0-9]{1,2}(e[0-9]|d|ms|h|\.e1|\.[0-9]e[+-]?[0-9])",
            1 => r"[A-Z_a-z][a-zA-Z_]{0,3}",
            1 => r"(\[\]|\{\}|\[1, 2\]|fn:f\(1\)|b'x'|`x`|/|//|-|\.|2026-01-02)",
        ];
        let name = prop_oneof![
            20 => "[a-z][a-zA-Z0-9_]{0,6}",
            1 => r"[a-z:.][a-z:._]{0,4}",
            1 => prop::sample::select(RESERVED.to_vec()).prop_map(str::to_owned),
            1 => "(Decl|Use|Package|P|_p|not|fn|now_|opts)",
        ];
        let args = prop::collection::vec((space(), term, space()), 0..4);
        let odd = prop::sample::select(vec![" .", "..", ". ", ",", ").", ".)", ". q(1).", "@[now].", "?"]);
        let end = prop_oneof![6 => Just("."), 3 => Just(""), 1 => odd];
        let comma = prop_oneof![9 => Just(""), 2 => Just(","), 1 => Just(",,")];
        (space(), name, space(), args, comma, end).prop_map(|(before, name, behind, args, comma, end)| {
            let args: Vec<_> = args.iter().map(|(one, term, other)| format!("{one}{term}{other}")).collect();
            format!("{before}{name}{behind}({}{comma}){end}", args.join(","))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn what_is_accepted_is_what_the_grammar_reads(text in nearly_facts()) {
            agrees(&text);
        }

        #[test]
        fn damage_is_no_other_fact(text in nearly_facts(), at in 0usize..60, with in r#"[a-z0-9"'\\/.,() #\n-]{0,2}"#) {
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let rest = text[at..].chars().next().map_or(0, char::len_utf8);
            agrees(&format!("{}{with}{}", &text[..at], &text[at + rest..]));
        }
    }

    #[test]
    fn most_of_what_is_tried_is_accepted_often_enough() {
        use proptest::strategy::ValueTree;
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = nearly_facts();
        let accepted =
            (0..500).filter(|_| agrees(&strategy.new_tree(&mut runner).unwrap().current())).count();
        assert!(accepted > 50, "{accepted} of 500");
    }
}
