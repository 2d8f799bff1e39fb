//! Text pattern of a rule head, with holes for its variables: `Language {L} is {S}.`

use std::fmt;
use std::ops::Range;

use mangle_engine::program::FileSummary;
use mangle_syntax::syntax::ast::{Clause, Item, Premise, Term, TermKind};
use mangle_syntax::syntax::literal::string_value;
use mangle_syntax::text::slice;

/// The maximum depth of nested terms and variable definitions.
const MAX_DEPTH: usize = 16;

/// The minimum number of bytes that a fragment shares with fixed text to be significant.
const MIN_SHARED: usize = 3;

/// The text pattern of an argument of a rule head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct HeadPattern {
    pieces: Vec<Piece>,
}

/// The value of a variable in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariableMatch {
    pub(super) name: String,
    /// The value as it occurs in the text.
    pub(super) text: String,
    /// True if the text can end inside the value.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A variable or an expression.
    Hole(String),
}

impl HeadPattern {
    /// The pattern of an argument of the head of a clause.
    pub(super) fn from_item(file: &FileSummary, item: &Item, argument: usize) -> Option<Self> {
        let clause = item.statement.clause()?;
        let reader = Reader { clause, text: file.statement_text(item) };
        let mut pattern = Self::default();
        reader.term(clause.head.args.get(argument)?, &mut pattern, MAX_DEPTH);
        Some(pattern)
    }

    pub(super) fn is_variable(&self) -> bool {
        matches!(&self.pieces[..], [Piece::Hole(_)])
    }

    /// The number of bytes that a fragment of a line shares with the fixed text; 0 without
    /// similarity.
    pub(super) fn likeness(&self, fragment: &str) -> usize {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(shared(text, fragment)),
            Piece::Hole(_) => None,
        });
        texts.sum()
    }

    /// The values of the variables in a line or fragment. Uses the longest part of the pattern that
    /// matches.
    pub(super) fn holes(&self, text: &str) -> Vec<VariableMatch> {
        let count = self.pieces.len();
        let windows =
            (2..=count).rev().flat_map(|length| (0..=count - length).map(move |at| at..at + length));
        let mut held = windows.filter_map(|part| self.holes_within(part, text));
        held.next().unwrap_or_default()
    }

    /// The values of the variables if the text matches a part of the pattern. A variable at the
    /// edge of the part extends to the edge of the text and is possibly truncated.
    fn holes_within(&self, part: Range<usize>, text: &str) -> Option<Vec<VariableMatch>> {
        let pieces = self.pieces.get(part.clone())?;
        let (mut expression, mut names) = (String::new(), Vec::new());
        for (at, piece) in pieces.iter().enumerate() {
            let (is_first, is_last) = (at == 0, at + 1 == pieces.len());
            match piece {
                // Blanks at the edges of a fragment are often omitted.
                Piece::Text(text) if is_first => expression.push_str(&regex::escape(text.trim_start())),
                Piece::Text(text) if is_last => expression.push_str(&regex::escape(text.trim_end())),
                Piece::Text(text) => expression.push_str(&regex::escape(text)),
                Piece::Hole(name) => {
                    let is_cut = (is_first && part.start > 0) || (is_last && part.end < self.pieces.len());
                    names.push((name.clone(), is_cut));
                    expression.push_str(match (is_first, is_last) {
                        (true, _) => "^(.+?)",
                        (_, true) => "(.+)$",
                        _ => "(.+?)",
                    });
                }
            }
        }
        let found = regex::Regex::new(&expression).ok()?.captures(text)?;
        let values = found.iter().skip(1).flatten();
        let holes = names.into_iter().zip(values).map(|((name, is_cut), value)| VariableMatch {
            name,
            text: value.as_str().to_owned(),
            is_cut,
        });
        Some(holes.collect::<Vec<_>>()).filter(|holes| !holes.is_empty())
    }

    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }
}

impl fmt::Display for HeadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Hole(name) => write!(f, "{{{name}}}"),
        })
    }
}

/// The number of bytes that a fixed text and a fragment share. One contains the other, or the end
/// of one equals the start of the other.
fn shared(text: &str, fragment: &str) -> usize {
    if text.trim().is_empty() {
        return 0;
    }
    if fragment.contains(text.trim()) && text.trim().len() >= MIN_SHARED {
        return text.trim().len();
    }
    if text.contains(fragment) {
        return fragment.len();
    }
    let overlap = |one: &str, other: &str| {
        let ends = one.char_indices().map(|(at, _)| one.len() - at);
        ends.into_iter()
            .find(|length| one.get(one.len() - length..).is_some_and(|end| other.starts_with(end)))
    };
    let overlap = overlap(text, fragment).max(overlap(fragment, text)).unwrap_or(0);
    if overlap >= MIN_SHARED { overlap } else { 0 }
}

struct Reader<'c> {
    clause: &'c Clause,
    text: &'c str,
}

impl Reader<'_> {
    fn term(&self, term: &Term, pattern: &mut HeadPattern, depth: usize) {
        let written = slice(self.text, term.range);
        match &term.kind {
            TermKind::String => match string_value(written) {
                Some(text) => pattern.push_text(&text),
                None => pattern.push_text(written),
            },
            TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_) => pattern.push_text(written),
            TermKind::Variable(name) => match self.value_of(term).filter(|_| depth > 0) {
                Some(value) => self.term(value, pattern, depth - 1),
                None => pattern.pieces.push(Piece::Hole(name.as_str().to_owned())),
            },
            TermKind::Apply(apply) if depth > 0 => match (apply.function.as_str(), &apply.args[..]) {
                ("fn:string:concat" | "fn:string_concat", args) => {
                    args.iter().for_each(|arg| self.term(arg, pattern, depth - 1));
                }
                (name, [only]) if name.ends_with("to_string") => self.term(only, pattern, depth - 1),
                _ => pattern.pieces.push(Piece::Hole(written.to_owned())),
            },
            _ => pattern.pieces.push(Piece::Hole(written.to_owned())),
        }
    }

    /// The definition of a variable: the other side of an equality, or the right side of its `let`.
    fn value_of(&self, variable: &Term) -> Option<&Term> {
        let name = variable.variable()?;
        let is_it = |term: &Term| term.variable() == Some(name);
        let equal = self.clause.premises.iter().find_map(|premise| match premise {
            Premise::Comparison(compared) if compared.operator.as_str() == "=" => {
                let (left, right) = (&compared.left, &compared.right);
                let other = if is_it(left) {
                    Some(right)
                } else if is_it(right) {
                    Some(left)
                } else {
                    None
                };
                other.filter(|other| other.variable().is_none())
            }
            _ => None,
        });
        let lets = self.clause.transforms.iter().flat_map(|transform| &transform.statements);
        let mut lets = lets.filter(|statement| statement.variable.as_ref().is_some_and(is_it));
        equal.or_else(|| lets.next().map(|statement| &statement.value))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::FileId;

    fn pattern(clause: &str) -> HeadPattern {
        let file = FileSummary::new(FileId(0), &SourceFile::parse(clause.into()));
        HeadPattern::from_item(&file, &file.items[0], 1).unwrap()
    }

    #[test]
    fn variables_become_holes_and_fixed_texts_stay() {
        for (clause, expected) in [
            ("c(\"*\", \"Be brief.\").\n", "Be brief."),
            ("c(S, T) :- note(S, T).\n", "{T}"),
            ("c(\"*\", T) :- p(L), T = fn:string:concat(\"In \", L, \".\").\n", "In {L}."),
            (
                "c(S, T) :- p(S, N) |> let M = fn:number:to_string(N), let T = fn:string:concat(\"No \", M).\n",
                "No {N}",
            ),
            ("c(\"*\", T) :- p(A), T = fn:list:get(A, 0).\n", "{fn:list:get(A, 0)}"),
        ] {
            assert_eq!(pattern(clause).to_string(), expected, "{clause}");
        }
        assert!(pattern("c(S, T) :- note(S, T).\n").is_variable());
    }

    #[test]
    fn values_of_variables_are_read_off_a_line_and_its_parts() {
        let of = |text: &str| {
            let clause = "c(\"*\", T) :- p(L, S), T = fn:string:concat(\"In \", L, \" is \", S, \".\").\n";
            let all = pattern(clause).holes(text).into_iter();
            all.map(|hole| format!("{}={}{}", hole.name, hole.text, if hole.is_cut { "…" } else { "" }))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(of("In /go is /failing."), "L=/go S=/failing");
        assert_eq!(of("In /go is"), "L=/go");
        assert_eq!(of("In /go is /fai"), "L=/go S=/fai…");
        assert_eq!(of("go is /failing."), "L=go… S=/failing");
        assert_eq!(of("is /failing."), "S=/failing");
        assert_eq!(of("nothing"), "");
    }

    #[test]
    fn fragments_are_like_the_fixed_text_around_holes() {
        let of = |fragment| {
            pattern("c(\"*\", T) :- p(L), T = fn:string:concat(\"In \", L, \" we trust.\").\n")
                .likeness(fragment)
        };
        assert_eq!(of("In Go we trust."), 3 + 9);
        assert_eq!(of("trust"), 5);
        assert_eq!(of("Go we tr"), 6);
        assert_eq!(of("Nothing alike"), 0);
    }
}
