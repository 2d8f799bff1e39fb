//! Bounded regular expressions over the decoded text of a string, or over JSON: construction, matching
//! by sets of end positions, and short examples that cover every alternative.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::class::CharClass;

/// A set of texts of bounded length.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// One text.
    Literal(String),
    /// One character.
    Class(CharClass),
    /// The concatenation of one text of each set.
    Sequence(Vec<Expr>),
    /// A text of any of the sets.
    Choice(Vec<Expr>),
    /// Repetitions of a set, with inclusive minimum and maximum.
    Repeat(Box<Expr>, u32, u32),
    /// A set with a name in grammars.
    Rule(Arc<Rule>),
}

/// A set of texts with a name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The name: lower-case words separated by `_`.
    pub name: String,
    /// The texts of the rule.
    pub body: Expr,
    /// True for an atomic part of JSON, for example a string: a terminal in grammars that have
    /// terminals.
    pub is_terminal: bool,
}

impl Expr {
    /// The literal texts of the expression. Each rule is visited once.
    #[must_use]
    pub fn literals(&self) -> Vec<&str> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![self], HashSet::new());
        while let Some(expr) = open.pop() {
            match expr {
                Self::Literal(text) => found.push(text.as_str()),
                Self::Class(_) => {}
                Self::Sequence(parts) | Self::Choice(parts) => open.extend(parts.iter().rev()),
                Self::Repeat(inner, ..) => open.push(inner),
                Self::Rule(rule) if seen.insert(Arc::as_ptr(rule)) => open.push(&rule.body),
                Self::Rule(_) => {}
            }
        }
        found
    }

    /// A set with one text.
    pub fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    /// A named set of atomic texts.
    pub fn terminal(name: impl Into<String>, body: Self) -> Self {
        Self::Rule(Arc::new(Rule { name: name.into(), body, is_terminal: true }))
    }

    /// A named set of texts with named parts.
    pub fn rule(name: impl Into<String>, body: Self) -> Self {
        Self::Rule(Arc::new(Rule { name: name.into(), body, is_terminal: false }))
    }

    /// Repeats the set `least` to `most` times.
    #[must_use]
    pub fn repeat(self, least: u32, most: u32) -> Self {
        Self::Repeat(Box::new(self), least, most)
    }

    /// The set, or the empty text.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeat(0, 1)
    }

    /// A choice. A single alternative is returned unchanged.
    #[must_use]
    pub fn choice(mut of: Vec<Self>) -> Self {
        match of.len() {
            1 => of.remove(0),
            _ => Self::Choice(of),
        }
    }

    /// The length of the longest text in bytes.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.measure(&str::len, &CharClass::longest)
    }

    /// The length of the longest text in characters.
    #[must_use]
    pub fn longest_chars(&self) -> usize {
        self.measure(&|text| text.chars().count(), &|_| 1)
    }

    fn measure(&self, text: &dyn Fn(&str) -> usize, class: &dyn Fn(&CharClass) -> usize) -> usize {
        let measure = |part: &Self| part.measure(text, class);
        match self {
            Self::Literal(literal) => text(literal),
            Self::Class(chars) => class(chars),
            Self::Sequence(parts) => parts.iter().map(measure).fold(0, usize::saturating_add),
            Self::Choice(parts) => parts.iter().map(measure).max().unwrap_or(0),
            Self::Repeat(part, _, most) => measure(part).saturating_mul(*most as usize),
            Self::Rule(rule) => measure(&rule.body),
        }
    }

    /// A text with the maximum number of characters. Unconstrained characters form English words.
    #[must_use]
    pub fn sample(&self) -> String {
        let mut out = String::new();
        self.write_sample(&mut out);
        out
    }

    fn write_sample(&self, out: &mut String) {
        match self {
            Self::Literal(text) => out.push_str(text),
            Self::Class(class) => out.push(filler(class, out)),
            Self::Sequence(parts) => parts.iter().for_each(|part| part.write_sample(out)),
            Self::Choice(parts) => {
                // Of equally long alternatives, the first one, which is the unescaped one.
                let longest = parts.iter().rev().max_by_key(|part| part.longest_chars());
                longest.into_iter().for_each(|part| part.write_sample(out));
            }
            Self::Repeat(part, _, most) => (0..*most).for_each(|_| part.write_sample(out)),
            Self::Rule(rule) => rule.body.write_sample(out),
        }
    }

    /// All rules of the expression, dependencies first, without duplicate names.
    #[must_use]
    pub fn rules(&self) -> Vec<Arc<Rule>> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect(&self, found: &mut Vec<Arc<Rule>>) {
        match self {
            Self::Literal(_) | Self::Class(_) => {}
            Self::Sequence(parts) | Self::Choice(parts) => parts.iter().for_each(|part| part.collect(found)),
            Self::Repeat(part, ..) => part.collect(found),
            Self::Rule(rule) => {
                if found.iter().all(|other| other.name != rule.name) {
                    rule.body.collect(found);
                    found.push(Arc::clone(rule));
                }
            }
        }
    }

    /// The texts as escaped in a JSON string, without quotes. Each text has exactly one spelling.
    #[must_use]
    pub fn in_json(&self) -> Self {
        let all = |parts: &[Self]| parts.iter().map(Self::in_json).collect();
        match self {
            Self::Literal(text) => Self::Literal(escaped(text)),
            Self::Class(class) => escaped_class(class),
            Self::Sequence(parts) => Self::Sequence(all(parts)),
            Self::Choice(parts) => Self::Choice(all(parts)),
            Self::Repeat(part, least, most) => part.in_json().repeat(*least, *most),
            Self::Rule(rule) => {
                let Rule { name, body, is_terminal } = &**rule;
                Self::Rule(Arc::new(Rule {
                    name: name.clone(),
                    body: body.in_json(),
                    is_terminal: *is_terminal,
                }))
            }
        }
    }
}

/// The source of unconstrained characters in samples.
const WORDS: &str = "the parser of the project reads every file twice and the second test fails again ";

/// The character of [`WORDS`] for this position of the sample. Fallback: another character of the
/// class.
fn filler(class: &CharClass, out: &str) -> char {
    let at = out.len() % WORDS.len();
    let next =
        WORDS.get(at..).into_iter().chain([WORDS]).flat_map(str::chars).find(|char| class.contains(*char));
    next.or_else(|| class.ranges().first().map(|(start, _)| *start)).unwrap_or_default()
}

/// Escapes a text for a JSON string.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match short_escape(char) {
            Some(letter) => out.extend(['\\', letter]),
            // Writing to a string cannot fail.
            None if char < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            None => out.push(char),
        }
    }
    out
}

/// The letter of the short JSON escape of a character, if any.
fn short_escape(char: char) -> Option<char> {
    ESCAPES.iter().find(|(plain, _)| *plain == char).map(|(_, letter)| *letter)
}

const ESCAPES: [(char, char); 5] = [('"', '"'), ('\\', '\\'), ('\n', 'n'), ('\t', 't'), ('\r', 'r')];

fn escaped_class(class: &CharClass) -> Expr {
    let held: Vec<_> = ESCAPES.iter().filter(|(plain, _)| class.contains(*plain)).collect();
    if held.is_empty() {
        return Expr::Class(class.clone());
    }
    let plain: String = held.iter().map(|(plain, _)| *plain).collect();
    let letters: String = held.iter().map(|(_, letter)| *letter).collect();
    let escape = Expr::Sequence(vec![Expr::literal("\\"), Expr::Class(CharClass::chars(&letters))]);
    match class.without(&plain) {
        rest if rest.ranges().is_empty() => escape,
        rest => Expr::Choice(vec![Expr::Class(rest), escape]),
    }
}

impl Expr {
    /// True if the set contains the text. Time: at most the length of the text for each node of the
    /// expression.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        self.ends(text, &BTreeSet::from([0])).contains(&text.len())
    }

    /// The end positions of matches that start at the given positions.
    fn ends(&self, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        let after = |start: &usize| text.get(*start..).unwrap_or_default();
        match self {
            _ if starts.is_empty() => BTreeSet::new(),
            Self::Literal(literal) => {
                let here = starts.iter().filter(|start| after(start).starts_with(literal.as_str()));
                here.map(|start| start + literal.len()).collect()
            }
            Self::Class(class) => {
                let next = starts.iter().filter_map(|start| Some((start, after(start).chars().next()?)));
                let fits = next.filter(|(_, char)| class.contains(*char));
                fits.map(|(start, char)| start + char.len_utf8()).collect()
            }
            Self::Sequence(parts) => {
                parts.iter().fold(starts.clone(), |starts, part| part.ends(text, &starts))
            }
            Self::Choice(parts) => parts.iter().flat_map(|part| part.ends(text, starts)).collect(),
            Self::Repeat(part, least, most) => ends_of_repetition(part, *least, *most, text, starts),
            Self::Rule(rule) => rule.body.ends(text, starts),
        }
    }
}

fn ends_of_repetition(
    part: &Expr,
    least: u32,
    most: u32,
    text: &str,
    starts: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut ends = if least == 0 { starts.clone() } else { BTreeSet::new() };
    let mut current = starts.clone();
    for count in 1..=most {
        current = part.ends(text, &current);
        if count >= least {
            // A position that was reached with fewer repetitions has already been continued.
            current.retain(|end| ends.insert(*end) || count <= least);
        }
        if current.is_empty() {
            break;
        }
    }
    ends
}

/// The maximum number of examples.
const MAX_EXAMPLES: usize = 2_000;

impl Expr {
    /// Short texts that cover every alternative, up to `MAX_EXAMPLES`. Rules that are `open` have a
    /// single text.
    #[must_use]
    pub fn examples(&self, open: &dyn Fn(&Rule) -> bool) -> Vec<String> {
        let mut found = match self {
            Self::Literal(text) => vec![text.clone()],
            Self::Class(class) => vec![filler(class, "").to_string()],
            Self::Sequence(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.examples(open)).collect();
                let count = parts.iter().map(Vec::len).max().unwrap_or(1);
                (0..count).map(|at| side_by_side(&parts, at)).collect()
            }
            Self::Choice(parts) => {
                let mut found = Vec::new();
                for part in parts.iter().take(MAX_EXAMPLES) {
                    if found.len() < MAX_EXAMPLES {
                        found.extend(part.examples(open));
                    }
                }
                found
            }
            Self::Repeat(_, _, 0) => vec![String::new()],
            Self::Repeat(part, least, _) => {
                let count = (*least).clamp(1, 100) as usize;
                let mut found: Vec<_> = part.examples(open).iter().map(|text| text.repeat(count)).collect();
                if *least == 0 {
                    found.push(String::new());
                }
                found
            }
            Self::Rule(rule) if open(rule) => vec![plain(&rule.body)],
            Self::Rule(rule) => rule.body.examples(open),
        };
        found.truncate(MAX_EXAMPLES);
        found
    }

    /// A text of the first alternatives without repetitions. If `has_optional`, includes optional
    /// parts.
    fn shortest(&self, has_optional: bool) -> String {
        match self {
            Self::Literal(text) => text.clone(),
            Self::Class(class) => filler(class, "").to_string(),
            Self::Sequence(parts) => parts.iter().map(|part| part.shortest(has_optional)).collect(),
            Self::Choice(parts) => parts.first().map(|part| part.shortest(has_optional)).unwrap_or_default(),
            Self::Repeat(part, 0, 1) if has_optional => part.shortest(has_optional),
            Self::Repeat(part, least, _) => part.shortest(has_optional).repeat((*least).min(100) as usize),
            Self::Rule(rule) => rule.body.shortest(has_optional),
        }
    }
}

/// The shortest text that contains an alphanumeric character, if possible.
fn plain(expr: &Expr) -> String {
    let shortest = expr.shortest(false);
    if shortest.contains(char::is_alphanumeric) { shortest } else { expr.shortest(true) }
}

/// Joins the elements at an index of several lists. Shorter lists are cycled.
fn side_by_side(parts: &[Vec<String>], at: usize) -> String {
    parts.iter().filter_map(|part| part.get(at.checked_rem(part.len())?)).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::CharClass;

    #[test]
    fn the_longest_text_is_counted_in_bytes_and_characters() {
        let any = Expr::Class(CharClass::chars("").complement());
        let both = Expr::Sequence(vec![any.repeat(0, 3), Expr::literal("é")]);
        assert_eq!((both.longest(), both.longest_chars()), (14, 4));
        let either = Expr::choice(vec![Expr::literal("ab"), both]);
        assert_eq!(either.longest(), 14);
        assert_eq!(either.sample(), "theé");
    }

    #[test]
    fn json_escapes_are_written_into_the_expression() {
        let quote = Expr::literal("a\"\\\n\u{1}").in_json();
        assert_eq!(quote, Expr::literal("a\\\"\\\\\\n\\u0001"));
        let Expr::Choice(parts) = Expr::Class(CharClass::chars("a\n")).in_json() else { panic!("no choice") };
        assert_eq!(parts[0], Expr::Class(CharClass::chars("a")));
        assert_eq!(parts[1].sample(), "\\n");
    }

    #[test]
    fn repetitions_are_counted() {
        let letters = Expr::Class(CharClass::chars("ab")).repeat(1, 3);
        let list = Expr::Sequence(vec![
            letters.clone(),
            Expr::Sequence(vec![Expr::literal(","), letters]).repeat(0, 2),
        ]);
        for text in ["a", "ab,b", "aba,a,bbb"] {
            assert!(list.accepts(text), "{text}");
        }
        for text in ["", "a,", "abab", "a,b,a,b", "c", "a,b "] {
            assert!(!list.accepts(text), "{text}");
        }
        let pairs = Expr::Choice(vec![Expr::literal("a"), Expr::literal("aa")]).repeat(2, 3);
        let accepted: Vec<_> = (0..8).filter(|count| pairs.accepts(&"a".repeat(*count))).collect();
        assert_eq!(accepted, [2, 3, 4, 5, 6]);
    }

    #[test]
    fn every_alternative_occurs() {
        let names = Expr::Choice(vec![Expr::literal("a"), Expr::literal("b"), Expr::literal("c")]);
        let list = Expr::Sequence(vec![names, Expr::Class(CharClass::chars("x")).optional()]);
        assert_eq!(list.examples(&|_| false), ["ax", "b", "cx"]);
        let rule = Expr::terminal("list", list);
        assert_eq!(rule.examples(&|_| true), ["a"]);
        assert_eq!(rule.clone().repeat(2, 3).examples(&|_| true), ["aa"]);
        let quoted = Expr::terminal("text", Expr::Sequence(vec![Expr::literal("\""), rule.optional()]));
        assert_eq!(quoted.examples(&|_| true), ["\"ax"]);
    }
}
