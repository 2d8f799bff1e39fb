//! Properties of a policy in a test file: claims about all possible sets of facts (worlds), or
//! about at least one.
//!
//! ```mangle
//! # @never name: nothing dangerous without an approval
//! #   permitted(Action), dangerous_action(Action), !approved(Action)
//! # @possible permitted(/run_build)
//! ```
//!
//! A property is a comment with a key, and the comments below it up to the next key or the end of
//! the comments. It contains a condition: premises as in the body of a rule, alternatives, and
//! extensions that they should or should not have.

mod read;
mod text;

pub use read::{Properties, RESTRICTIONS, is_property_key};
pub use text::PropertyText;

use mangle_engine::program::PredicateKey;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextRange, shorten, size};

/// A property of a policy. Ranges are relative to the start of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The kind of claim.
    pub kind: PropertyKind,
    /// The name, or the text of the claim if it has no name.
    pub name: String,
    /// The comment that starts the property.
    pub header: TextRange,
    /// The claim, or its parse error.
    pub claim: Result<Claim, PropertyError>,
    /// Restrictions that apply only to this property.
    pub restrictions: Restrictions,
}

impl Property {
    /// True if the property compares the program with another one.
    #[must_use]
    pub fn compares(&self) -> bool {
        matches!(self.kind, PropertyKind::Equivalent | PropertyKind::Implies)
    }
}

/// The kind of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// No world has a solution.
    Never,
    /// In each world, each solution has the required extension.
    Always,
    /// Some world has a solution.
    Possible,
    /// A rule fires in some world.
    Live,
    /// In each world, this program and another one derive the same facts.
    Equivalent,
    /// In each world, another program derives every fact that this program derives.
    Implies,
}

impl PropertyKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Never, Self::Always, Self::Possible, Self::Live, Self::Equivalent, Self::Implies];

    /// The word, without `@`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Possible => "possible",
            Self::Live => "live",
            Self::Equivalent => "equivalent",
            Self::Implies => "implies",
        }
    }

    /// Parses a kind.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// True if a world that is found satisfies the property; false if it violates the property.
    #[must_use]
    pub fn is_existential(self) -> bool {
        matches!(self, Self::Possible | Self::Live)
    }
}

/// The claim of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// A condition on one world.
    Condition(Condition),
    /// `P/N FILE:LINE`.
    Rule {
        /// The predicate that the rule defines.
        predicate: PredicateKey,
        /// A suffix of the path of its file.
        file: String,
        /// The line of the rule, starting at 1.
        line: usize,
    },
    /// `ATOM with PATH`.
    Comparison {
        /// The facts to compare.
        atom: Piece,
        /// The path of the other program, relative to the folder of the file.
        path: String,
        /// True if this program must also derive every fact of the other program.
        is_equivalence: bool,
    },
}

/// A parse error of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyError {
    /// The range of the error.
    pub range: TextRange,
    /// The message, as a sentence without its period.
    pub message: String,
}

/// Restrictions of the worlds of a property, or of all properties of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Conditions that exclude worlds: a world with a solution of one of them is skipped.
    pub assumptions: Vec<Result<Condition, PropertyError>>,
    /// The predicates that a world can have facts of.
    pub inputs: Vec<Inputs>,
    /// Maximum number of facts in a world.
    pub facts: Option<usize>,
    /// Restrictions with parse errors.
    pub errors: Vec<PropertyError>,
}

/// The value of `@inputs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inputs {
    /// These predicates instead of the default ones.
    Only(Vec<PredicateKey>),
    /// These predicates in addition to the default ones.
    Also(Vec<PredicateKey>),
    /// The predicates that a consumer accepts.
    Consumer(String),
}

/// `BODY or BODY …`, with an optional connective and its alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The bodies. A solution of any body is a solution of the condition.
    pub bodies: Vec<Piece>,
    /// The connective and the alternatives after it.
    pub connective: Option<(Connective, Vec<Piece>)>,
}

/// The word after the bodies of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    /// Excludes solutions that extend to one of the alternatives.
    Unless,
    /// Requires that each solution extends to one of the alternatives.
    Then,
}

/// A part of a comment, with comment characters replaced by spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The range in the file.
    pub range: TextRange,
    /// The text, with the same length as the range.
    pub text: String,
}

/// A separator between the parts of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Or,
    Unless,
    Then,
    Arrow,
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// Returns an error if a part is missing, or if there are too many parts.
    pub fn read(whole: &Piece) -> Result<Self, PropertyError> {
        let error = |range: TextRange, message: &str| PropertyError { range, message: message.to_owned() };
        let separators = separators(&whole.text);
        let main: Vec<_> = separators.iter().filter(|(_, _, kind)| *kind != Separator::Or).collect();
        let (before, connective) = match main.as_slice() {
            [] => (whole.clone(), None),
            [(start, end, kind)] => {
                let (left, right) = (whole.part(0, *start), whole.part(*end, whole.text.len()));
                match kind {
                    Separator::Unless => (left, Some((Connective::Unless, right))),
                    Separator::Then | Separator::Or => (left, Some((Connective::Then, right))),
                    // `HEAD :- BODY`.
                    Separator::Arrow => (right, Some((Connective::Then, left))),
                }
            }
            [_, (start, end, _), ..] => {
                let range = whole.part(*start, *end).range;
                return Err(error(range, "a condition has one of `unless`, `then` and `:-`, and only once"));
            }
        };
        let bodies = alternatives(&before)?;
        let connective = match connective {
            Some((kind, piece)) => Some((kind, alternatives(&piece)?)),
            None => None,
        };
        Ok(Self { bodies, connective })
    }
}

impl Piece {
    /// The bytes from `start` to `end`, trimmed.
    fn part(&self, start: usize, end: usize) -> Self {
        let text = self.text.get(start..end).unwrap_or_default();
        let start = start + (text.len() - text.trim_start().len());
        let text = text.trim();
        Self {
            range: TextRange::at(self.range.start() + size(start), size(text.len())),
            text: text.to_owned(),
        }
    }
}

/// Converts a text to one list of premises. Separators become commas, and offsets stay the same.
fn premises(text: &str) -> String {
    let mut out = text.to_owned();
    for (start, end, _) in separators(text) {
        out.replace_range(start..end, &format!(",{}", " ".repeat(end - start - 1)));
    }
    out
}

/// The parts between `or`s.
fn alternatives(piece: &Piece) -> Result<Vec<Piece>, PropertyError> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (from, to, kind) in separators(&piece.text) {
        if kind == Separator::Or {
            parts.push(piece.part(start, from));
            start = to;
        }
    }
    parts.push(piece.part(start, piece.text.len()));
    let end = |part: &mut Piece| {
        let len = part.text.trim_end_matches('.').trim_end().len();
        *part = part.part(0, len);
    };
    parts.iter_mut().for_each(end);
    if let Some(empty) = parts.iter().find(|part| part.text.is_empty()) {
        let range = if empty.range.is_empty() { piece.range } else { empty.range };
        return Err(PropertyError { range, message: "premises are missing here".to_owned() });
    }
    parts.iter().try_for_each(|part| parsed(part).map(drop))?;
    Ok(parts)
}

/// Parses a part of a condition as the body of a rule.
///
/// # Errors
/// Returns an error if the part is not a list of premises.
pub fn parsed(piece: &Piece) -> Result<SourceFile, PropertyError> {
    let source = SourceFile::parse(format!("verify_part() :- {} .\n", piece.text).as_str().into());
    let is_rule = matches!(&source.items()[..], [item] if !item.statement.damaged
        && item.statement.clause().is_some_and(|clause| clause.transforms.is_empty()));
    if is_rule {
        return Ok(source);
    }
    let message = format!("`{}` {NO_PREMISES}", shorten(&piece.text, 60));
    Err(PropertyError { range: piece.range, message })
}

/// The end of the message about a part that is not a list of premises.
pub(crate) const NO_PREMISES: &str = "is not a list of premises";

/// The separators outside of strings and brackets, with start and end offsets.
fn separators(text: &str) -> Vec<(usize, usize, Separator)> {
    let (mut found, mut depth) = (Vec::new(), 0usize);
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' | '\'' | '`' => {
                while let Some((_, inner)) = chars.next() {
                    if inner == '\\' && char != '`' {
                        chars.next();
                    } else if inner == char {
                        break;
                    }
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && text.get(at..).is_some_and(|rest| rest.starts_with(":-")) => {
                chars.next();
                found.push((at, at + 2, Separator::Arrow));
            }
            _ if is_word(char) => {
                let mut end = at + char.len_utf8();
                while let Some((next, inner)) = chars.peek().copied().filter(|(_, inner)| is_word(*inner)) {
                    end = next + inner.len_utf8();
                    chars.next();
                }
                let kind = match text.get(at..end) {
                    Some("or") => Some(Separator::Or),
                    Some("unless") => Some(Separator::Unless),
                    Some("then") => Some(Separator::Then),
                    _ => None,
                };
                let is_called = text.get(end..).is_some_and(|rest| rest.starts_with('('));
                found.extend(kind.filter(|_| depth == 0 && !is_called).map(|kind| (at, end, kind)));
            }
            _ => {}
        }
    }
    found
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '/' | ':' | '.')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn shown(text: &str) -> String {
        let piece = Piece { range: TextRange::at(size(10), size(text.len())), text: text.to_owned() };
        let list = |pieces: &[Piece]| {
            let each = pieces.iter().map(|piece| {
                let start = usize::from(piece.range.start()) - 10;
                assert_eq!(&text[start..start + piece.text.len()], piece.text);
                piece.text.clone()
            });
            each.collect::<Vec<_>>().join(" | ")
        };
        match Condition::read(&piece) {
            Ok(Condition { bodies, connective: None }) => list(&bodies),
            Ok(Condition { bodies, connective: Some((kind, others)) }) => {
                format!("{} {kind:?} {}", list(&bodies), list(&others))
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn conditions_are_taken_apart() {
        assert_eq!(shown("p(X), !q(X)"), "p(X), !q(X)");
        assert_eq!(shown("p(X) or q(X), r(X)"), "p(X) | q(X), r(X)");
        assert_eq!(shown("p(X) unless q(X) or r(X)."), "p(X) Unless q(X) | r(X)");
        assert_eq!(shown("p(X)\n  then q(X)"), "p(X) Then q(X)");
        assert_eq!(shown("h(X) :- p(X), X > 1"), "p(X), X > 1 Then h(X)");
    }

    #[test]
    fn words_in_strings_names_and_brackets_are_no_separators() {
        assert_eq!(shown("p(\"a or b\", /or, [/or])"), "p(\"a or b\", /or, [/or])");
        assert_eq!(shown("or(X), p(\"\\\" then \")"), "or(X), p(\"\\\" then \")");
        assert_eq!(shown("p(fn:list:get(X)), a:or(X)"), "p(fn:list:get(X)), a:or(X)");
    }

    #[test]
    fn missing_and_repeated_parts_are_reported() {
        assert_eq!(shown("p(X) unless"), "premises are missing here");
        assert_eq!(shown("or p(X)"), "premises are missing here");
        let twice = "a condition has one of `unless`, `then` and `:-`, and only once";
        assert_eq!(shown("p(X) unless q(X) then r(X)"), twice);
    }
}
