//! Mangle source in properties, for editor features: bodies as lists of premises, and names of
//! predicates.

use mangle_engine::program::{FileSummary, PredicateKey, key_of};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{TextRange, TextSize, size, text_len};

use super::PropertyKind;
use super::read::{block, without_marks, without_never};
use super::{Piece, premises};
use crate::policy_test::comments::name_and_arity;
use crate::policy_test::comments::{Comment, comments};

/// The Mangle source in the properties of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PropertyText {
    /// The bodies, each as one list of premises. Separators are replaced by commas, and comment
    /// characters by spaces.
    pub bodies: Vec<Piece>,
    /// The predicates written with their arity, and the ranges of their names.
    pub names: Vec<(PredicateKey, TextRange)>,
}

impl PropertyText {
    /// Reads the comments of a test file.
    #[must_use]
    pub fn read(file: &FileSummary) -> Self {
        let mut text = Self::default();
        for comment in comments(file) {
            match comment.key {
                "inputs" => text.names.extend(names(&comment)),
                "live" => text.names.extend(names(&comment).into_iter().take(1)),
                _ => text.bodies.extend(body(file, &comment).filter(|piece| !piece.text.is_empty())),
            }
        }
        text
    }

    /// The predicates in bodies and lists, with the ranges of their names.
    #[must_use]
    pub fn predicates(&self) -> Vec<(PredicateKey, TextRange)> {
        self.bodies.iter().flat_map(in_body).chain(self.names.iter().copied()).collect()
    }

    /// The body that contains an offset, complete or not, as a list of premises.
    #[must_use]
    pub fn body_at(file: &FileSummary, offset: TextSize) -> Option<Piece> {
        let is_behind = |comment: &Comment<'_>| comment.range.start() < offset;
        let comment = comments(file).into_iter().rfind(is_behind)?;
        let piece = body(file, &comment)?;
        let lines = file.text.get(usize::from(piece.range.end())..).unwrap_or_default();
        let line_end = piece.range.end() + size(lines.find('\n').unwrap_or(lines.len()));
        (piece.range.start() <= offset && offset <= line_end).then_some(piece)
    }
}

fn body(file: &FileSummary, comment: &Comment<'_>) -> Option<Piece> {
    let kind = PropertyKind::parse(comment.key);
    if kind == Some(PropertyKind::Live) || (kind.is_none() && comment.key != "assume") {
        return None;
    }
    let (_, range) = match kind {
        Some(_) => block(file, comment),
        None => block(file, &without_never(comment)?),
    };
    let text = without_marks(file.text.get(usize::from(range.start())..usize::from(range.end()))?);
    let text = match kind {
        Some(PropertyKind::Equivalent | PropertyKind::Implies) => {
            text.rsplit_once(" with ").map_or(text.as_str(), |(atom, _)| atom).to_owned()
        }
        _ => premises(&text),
    };
    let piece = Piece { range: TextRange::at(range.start(), text_len(&text)), text };
    let len = piece.text.len();
    Some(piece.part(0, len))
}

/// The predicates in a body, without built-ins.
fn in_body(body: &Piece) -> Vec<(PredicateKey, TextRange)> {
    const HEAD: &str = "e() :- ";
    let source = SourceFile::parse(format!("{HEAD}{} .", body.text).as_str().into());
    let [item] = &source.items()[..] else { return Vec::new() };
    let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) else { return Vec::new() };
    let atoms = clause.literals().map(|literal| &literal.atom).filter(|atom| !atom.is_builtin());
    let place = |range: TextRange| {
        let start = usize::from(item.start + range.start()).saturating_sub(HEAD.len());
        TextRange::at(body.range.start() + size(start), range.len())
    };
    atoms.map(|atom| (key_of(atom), place(atom.name.range))).collect()
}

/// The words of a comment that are predicates with their arity.
fn names(comment: &Comment<'_>) -> Vec<(PredicateKey, TextRange)> {
    let mut found = Vec::new();
    let mut start = comment.value_range.start();
    for word in comment.value.split_inclusive([',', ' ', '\t']) {
        let name = word.trim_end_matches([',', ' ', '\t']);
        if let Some(key) = name_and_arity(name) {
            found.push((key, TextRange::at(start, text_len(key.name.as_str()))));
        }
        start += text_len(word);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::PropertyText;
    use mangle_engine::program::FileSummary;
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::{FileId, TextSize};

    fn file(text: &str) -> FileSummary {
        FileSummary::new(FileId(0), &SourceFile::parse(text.into()))
    }

    #[test]
    fn bodies_are_lists_of_premises() {
        let file = file(
            "# @always name: reasons\n#   h(X) then q(X) or r(X)\n# @assume never p(X), X != /a\n# @implies p(_) with ../old\n\
             # @inputs + pkg.p/2, q/3\n# @live p/1 a.mg:4\n",
        );
        let found = PropertyText::read(&file);
        let bodies: Vec<_> = found.bodies.iter().map(|body| body.text.as_str()).collect();
        assert_eq!(bodies, ["h(X) ,    q(X) ,  r(X)", "p(X), X != /a", "p(_)"]);
        for body in &found.bodies {
            let there = mangle_syntax::text::slice(&file.text, body.range);
            assert_eq!(there.len(), body.text.len());
            assert_eq!(there.chars().next(), body.text.chars().next());
        }
        let names: Vec<_> = found.names.iter().map(|(key, _)| key.to_string()).collect();
        assert_eq!(names, ["pkg.p/2", "q/3", "p/1"]);
        assert_eq!(mangle_syntax::text::slice(&file.text, found.names[1].1), "q");
    }

    #[test]
    fn the_body_around_a_cursor_may_be_unfinished() {
        let text = "# @never name: x\n#   p(X), \np(1).\n# @never \n";
        let file = file(text);
        let at = |offset: usize| {
            let offset = TextSize::new(u32::try_from(offset).unwrap_or_default());
            PropertyText::body_at(&file, offset).map(|body| body.text)
        };
        assert_eq!(at(text.find("), ").unwrap_or_default() + 3).as_deref(), Some("p(X),"));
        assert_eq!(at(text.len() - 1).as_deref(), Some(""));
        assert_eq!(at(text.find("p(1)").unwrap_or_default() + 1), None);
    }
}
