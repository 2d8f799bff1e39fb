//! Parser of properties and restrictions in the comments of a test file.

use super::{
    Claim, Condition, Connective, Inputs, Piece, Property, PropertyError, PropertyKind, Restrictions,
};
use crate::policy_test::comments::name_and_arity;
use crate::policy_test::comments::{Comment, comments};
use mangle_engine::program::{FileSummary, PredicateKey};
use mangle_syntax::text::{TextRange, TextSize, size, text_len};

/// The keys of comments that restrict properties.
pub const RESTRICTIONS: [&str; 3] = ["assume", "inputs", "scope"];

/// Maximum number of facts in a scope.
const MAX_FACTS: usize = 12;

/// True if a key starts a property or a restriction.
#[must_use]
pub fn is_property_key(key: &str) -> bool {
    PropertyKind::parse(key).is_some() || RESTRICTIONS.contains(&key)
}

/// The properties of a test file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// The properties, in the order of the file.
    pub all: Vec<Property>,
    /// Restrictions that apply to all properties.
    pub restrictions: Restrictions,
}

impl Properties {
    /// Reads the properties of a file.
    #[must_use]
    pub fn read(file: &FileSummary) -> Self {
        let mut properties = Self::default();
        for comment in comments(file) {
            if let Some(kind) = PropertyKind::parse(comment.key) {
                properties.all.push(property(file, kind, &comment));
            } else if RESTRICTIONS.contains(&comment.key) {
                let last = properties.all.last_mut().map(|property| &mut property.restrictions);
                last.unwrap_or(&mut properties.restrictions).add(file, &comment);
            }
        }
        properties
    }

    /// Parses a property from an option of a command, for example `never BODY`.
    ///
    /// # Errors
    /// Returns an error if the first word is not a kind of property.
    pub fn of_text(text: &str) -> Result<Property, String> {
        let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let kind = PropertyKind::parse(word.trim_start_matches('@')).ok_or_else(|| {
            let kinds = PropertyKind::ALL.map(|kind| format!("`{}`", kind.as_str())).join(", ");
            format!("`{word}` is not a kind of property; the kinds are {kinds}")
        })?;
        let body = Piece { range: TextRange::up_to(text_len(rest)), text: rest.to_owned() };
        let body = body.part(0, rest.len());
        let (name, header) = (body.text.clone(), TextRange::up_to(text_len(text)));
        let (claim, restrictions) = (claim(kind, &body), Restrictions::default());
        Ok(Property { kind, name, header, claim, restrictions })
    }

    /// All parse errors.
    pub fn errors(&self) -> impl Iterator<Item = &PropertyError> {
        let own = self.all.iter().filter_map(|property| property.claim.as_ref().err());
        let inner = self.all.iter().flat_map(|property| property.restrictions.all_errors());
        own.chain(inner).chain(self.restrictions.all_errors())
    }
}

fn property(file: &FileSummary, kind: PropertyKind, comment: &Comment<'_>) -> Property {
    let (name, body) = named(file, comment);
    let shown = body.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let claim = claim(kind, &body);
    let name = name.unwrap_or(shown);
    Property { kind, name, header: comment.range, claim, restrictions: Restrictions::default() }
}

/// The name after `name:`, and the body: the rest of the line if there is no name, and the comments
/// below.
fn named(file: &FileSummary, comment: &Comment<'_>) -> (Option<String>, Piece) {
    let (name, range) = block(file, comment);
    let text = file.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default();
    let piece = Piece { range, text: without_marks(text) };
    let len = piece.text.len();
    (name, piece.part(0, len))
}

/// The name after `name:`, and the range of the body.
pub(super) fn block(file: &FileSummary, comment: &Comment<'_>) -> (Option<String>, TextRange) {
    let name = comment.value.strip_prefix("name:").map(|name| name.trim().to_owned());
    let start = if name.is_some() { comment.range.end() } else { comment.value_range.start() };
    (name, TextRange::new(start, end_of_block(file, comment.range.end())))
}

/// The end of the comments without a key that follow a line.
fn end_of_block(file: &FileSummary, line_end: TextSize) -> TextSize {
    let mut end = line_end;
    let rest = file.text.get(usize::from(line_end)..).unwrap_or_default();
    let mut start = line_end;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        let next = start + text_len(line);
        if number > 0 {
            let text = line.trim();
            let inner = text.trim_start_matches('#').trim_start();
            if !text.starts_with('#') || inner.starts_with('@') {
                break;
            }
            end = start + size(line.trim_end().len());
        }
        start = next;
    }
    end
}

/// Replaces the comment characters of a text with spaces.
pub(super) fn without_marks(text: &str) -> String {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    let blank = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        let marks = line.get(indent..).map_or(0, |rest| rest.len() - rest.trim_start_matches('#').len());
        format!("{}{}", " ".repeat(indent + marks), line.get(indent + marks..).unwrap_or_default())
    };
    lines.fold(first, |text, line| text + &blank(line))
}

/// Parses the claim of a property.
fn claim(kind: PropertyKind, body: &Piece) -> Result<Claim, PropertyError> {
    let error = |message: &str| PropertyError { range: body.range, message: message.to_owned() };
    let word = kind.as_str();
    if body.text.is_empty() {
        return Err(error(&format!("`@{word}` has no body")));
    }
    match kind {
        PropertyKind::Live => rule(body).ok_or_else(|| {
            error("`@live` requires a predicate with its arity and a line, as in `open/1 doors.mg:4`")
        }),
        PropertyKind::Equivalent | PropertyKind::Implies => comparison(
            body,
            kind == PropertyKind::Equivalent,
        )
        .ok_or_else(|| {
            error(&format!(
                "`@{word}` requires an atom and the path of another program, as in `open(Door) with ../doors`"
            ))
        }),
        PropertyKind::Never | PropertyKind::Always | PropertyKind::Possible => {
            let condition = Condition::read(body)?;
            let connective = condition.connective.as_ref().map(|(kind, _)| *kind);
            match (kind, connective) {
                (PropertyKind::Always, Some(Connective::Then)) => {}
                (PropertyKind::Always, _) => {
                    return Err(error("`@always` requires `BODY then HEAD` or `HEAD :- BODY`"));
                }
                (_, Some(Connective::Then)) => {
                    return Err(error(&format!("`@{word}` has no `then` and no `:-`")));
                }
                _ => {}
            }
            Ok(Claim::Condition(condition))
        }
    }
}

/// Parses `P/N FILE:LINE`.
fn rule(body: &Piece) -> Option<Claim> {
    let (predicate, place) = body.text.split_once(char::is_whitespace)?;
    let (file, line) = place.trim().rsplit_once(':')?;
    let line = line.trim().parse().ok()?;
    Some(Claim::Rule { predicate: name_and_arity(predicate)?, file: file.trim().to_owned(), line })
}

/// Parses `ATOM with PATH`.
fn comparison(body: &Piece, both_ways: bool) -> Option<Claim> {
    let (atom, path) = body.text.rsplit_once(" with ")?;
    let (atom, path) = (body.part(0, atom.len()), path.trim().to_owned());
    (!atom.text.is_empty() && !path.is_empty()).then_some(Claim::Comparison {
        atom,
        path,
        is_equivalence: both_ways,
    })
}

impl Restrictions {
    /// All parse errors of the restrictions.
    pub fn all_errors(&self) -> impl Iterator<Item = &PropertyError> {
        let assumptions = self.assumptions.iter().filter_map(|found| found.as_ref().err());
        assumptions.chain(&self.errors)
    }

    fn add(&mut self, file: &FileSummary, comment: &Comment<'_>) {
        let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
        let error = |message: &str| PropertyError { range, message: message.to_owned() };
        let added = match comment.key {
            "assume" => {
                self.assumptions.push(assumption(file, comment));
                Ok(())
            }
            "scope" => scope(comment.value).map(|facts| self.facts = Some(facts)).ok_or_else(|| {
                error(&format!(
                    "`@scope` requires a number of facts up to {MAX_FACTS}, as in `@scope facts 3`"
                ))
            }),
            _ => inputs(comment.value).map(|inputs| self.inputs.push(inputs)).ok_or_else(|| {
                error("`@inputs` requires predicates with their arity, as in `@inputs door/1, key/2`")
            }),
        };
        self.errors.extend(added.err());
    }
}

/// Returns the comment of an assumption with its value after the word `never`.
pub(super) fn without_never<'f>(comment: &Comment<'f>) -> Option<Comment<'f>> {
    let rest = comment.value.strip_prefix("never")?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let value = rest.trim_start();
    let start = comment.value_range.end() - text_len(value);
    Some(Comment { value, value_range: TextRange::new(start, comment.value_range.end()), ..*comment })
}

fn assumption(file: &FileSummary, comment: &Comment<'_>) -> Result<Condition, PropertyError> {
    let range = if comment.value.is_empty() { comment.range } else { comment.value_range };
    let form = || PropertyError { range, message: "`@assume` requires `never BODY`".to_owned() };
    let (_, body) = named(file, &without_never(comment).ok_or_else(form)?);
    if body.text.is_empty() {
        return Err(form());
    }
    let condition = Condition::read(&body)?;
    match condition.connective {
        Some((Connective::Then, _)) => Err(form()),
        _ => Ok(condition),
    }
}

fn scope(value: &str) -> Option<usize> {
    let facts = value.strip_prefix("facts")?.trim().parse().ok()?;
    (facts <= MAX_FACTS).then_some(facts)
}

fn inputs(value: &str) -> Option<Inputs> {
    if let Some(name) = value.strip_prefix("consumer ") {
        return Some(Inputs::Consumer(name.trim().to_owned())).filter(|_| !name.trim().is_empty());
    }
    let (is_more, list) = match value.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let keys: Option<Vec<PredicateKey>> = list.split(',').map(|key| name_and_arity(key.trim())).collect();
    keys.map(|keys| if is_more { Inputs::Also(keys) } else { Inputs::Only(keys) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::FileId;

    fn read(text: &str) -> Properties {
        Properties::read(&FileSummary::new(FileId(0), &SourceFile::parse(text.into())))
    }

    #[test]
    fn bodies_are_on_the_line_or_below() {
        let properties = read(
            "# @never name: two doors\n#   open(X),\n#   open(Y), X != Y\n# @possible open(/a)\np(1).\n# @always\n# has(X) :- open(X)\n",
        );
        let names: Vec<_> = properties.all.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["two doors", "open(/a)", "has(X) :- open(X)"]);
        let Ok(Claim::Condition(condition)) = &properties.all[0].claim else { panic!() };
        assert_eq!(condition.bodies[0].text, "open(X),\n    open(Y), X != Y");
    }

    #[test]
    fn restrictions_belong_to_the_file_or_to_a_property() {
        let properties = read("# @scope facts 3\n# @never p(X)\n# @assume never q(X)\n# @inputs + q/1\n");
        assert_eq!(properties.restrictions.facts, Some(3));
        let own = &properties.all[0].restrictions;
        assert_eq!((own.assumptions.len(), own.inputs.len()), (1, 1));
        assert_eq!(properties.errors().count(), 0);
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let errors =
            |text: &str| -> Vec<String> { read(text).errors().map(|error| error.message.clone()).collect() };
        assert_eq!(errors("# @never\n"), ["`@never` has no body"]);
        assert_eq!(errors("# @always p(X)\n"), ["`@always` requires `BODY then HEAD` or `HEAD :- BODY`"]);
        assert_eq!(errors("# @never p(X) then q(X)\n"), ["`@never` has no `then` and no `:-`"]);
        assert_eq!(errors("# @assume p(X)\n"), ["`@assume` requires `never BODY`"]);
        assert_eq!(errors("# @scope 3\n").len(), 1);
        assert_eq!(errors("# @inputs p\n").len(), 1);
        assert_eq!(errors("# @live p/1 doors.mg\n").len(), 1);
        assert_eq!(errors("# @equivalent p(X) with ../doors\n").len(), 0);
        assert_eq!(errors("# @implies p(X)\n").len(), 1);
    }
}
