//! Parser of suppression directives: `mangle-ls: ignore NAME[, NAME] -- reason`. The parser is
//! independent of the comment syntax of the host language.

use crate::Registry;
use mangle_syntax::lint::Rule;
use mangle_syntax::syntax::format::directive as formatting;
use mangle_syntax::text::{TextRange, TextSize, size, text_len};

/// The first word of every suppression directive.
pub(super) const MARK: &str = "mangle-ls";

/// The verbs after the mark. The last verb is a directive for the formatter.
pub(super) const VERBS: [&str; 3] = ["ignore", "ignore-file", formatting::VERB];

/// A parsed directive.
#[derive(Debug)]
pub(super) struct Directive {
    /// True if the directive applies to the whole file.
    pub(super) whole_file: bool,
    /// The named rules.
    pub(super) names: Vec<RuleReference>,
    /// The range from the first name to the last. If there are no names, an empty range at their
    /// position.
    pub(super) list: TextRange,
    /// The syntax error, if any.
    pub(super) fault: Option<Fault>,
}

/// A rule name in a directive.
#[derive(Debug)]
pub(super) struct RuleReference {
    /// The range of the name.
    pub(super) range: TextRange,
    /// The rule. `None` if the name is unknown.
    pub(super) rule: Option<&'static Rule>,
}

/// A syntax error of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A missing colon after `mangle-ls`, with its position.
    Colon(TextSize),
    /// A word that is not one of [`VERBS`].
    Verb(TextRange),
    /// An unknown word after `format`.
    Format(TextRange),
    /// A missing name.
    Nameless,
    /// A further word after a name: another name after a missing comma.
    Comma(TextRange),
    /// A further word after a name: the reason without a leading `--`.
    Reason(TextRange),
}

/// Parses a comment text that starts with [`MARK`], located at `start`. `None` for prose that only
/// mentions the tool.
pub(super) fn read(text: &str, start: TextSize, registry: &Registry) -> Option<Directive> {
    let mut reader = Reader { text, registry, at: MARK.len(), start };
    let colon = text.get(reader.at..)?.starts_with(':');
    let behind_mark = reader.at;
    reader.at += usize::from(colon);
    let word = reader.word();
    let verb = VERBS.iter().position(|verb| reader.slice(word) == *verb);
    let mut fault = match (colon, verb) {
        // A sentence that starts with the name of the tool.
        (false, None) => return None,
        (false, Some(verb))
            if VERBS.get(verb) == Some(&formatting::VERB) && reader.clone().format().is_some() =>
        {
            return None;
        }
        (false, Some(_)) => Some(Fault::Colon(reader.offset(behind_mark))),
        (true, None) => Some(Fault::Verb(word)),
        (true, Some(_)) => None,
    };
    let Some(verb) = verb else {
        return Some(Directive { whole_file: false, names: Vec::new(), list: word, fault });
    };
    if VERBS.get(verb) == Some(&formatting::VERB) {
        let fault = fault.or_else(|| reader.format());
        return fault.map(|fault| Directive {
            whole_file: false,
            names: Vec::new(),
            list: word,
            fault: Some(fault),
        });
    }
    let (names, list, of_names) = reader.names();
    fault = fault.or(of_names);
    Some(Directive { whole_file: verb == 1, names, list, fault })
}

#[derive(Clone)]
struct Reader<'t> {
    text: &'t str,
    registry: &'t Registry,
    /// The current offset.
    at: usize,
    /// The position of the text in the file.
    start: TextSize,
}

impl Reader<'_> {
    fn offset(&self, at: usize) -> TextSize {
        self.start + size(at)
    }

    fn slice(&self, range: TextRange) -> &str {
        mangle_syntax::text::slice(self.text, range - self.start)
    }

    /// The next word, up to white space.
    fn word(&mut self) -> TextRange {
        let rest = self.text.get(self.at..).unwrap_or("");
        let from = self.at + (rest.len() - rest.trim_start().len());
        let word = rest.split_whitespace().next().unwrap_or("");
        self.at = from + word.len();
        TextRange::at(self.offset(from), text_len(word))
    }

    /// Parses the words after `format` and returns the error, if any.
    fn format(&mut self) -> Option<Fault> {
        let word = self.word();
        let is_known = formatting::WORDS.iter().any(|(known, _)| self.slice(word) == *known);
        let reason = self.word();
        let rest = self.slice(reason);
        match is_known {
            false => Some(Fault::Format(word)),
            true if rest.is_empty() || rest.starts_with("--") => None,
            true => Some(Fault::Reason(reason)),
        }
    }

    /// Parses the names up to `--`. Returns the names, their range, and the error, if any.
    fn names(&self) -> (Vec<RuleReference>, TextRange, Option<Fault>) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let list = rest.get(..reason(rest)).unwrap_or(rest);
        let (mut names, mut fault) = (Vec::new(), None);
        let mut at = self.at;
        for part in list.split(',') {
            let mut words = words(part).map(|(from, word)| {
                (TextRange::at(self.offset(at + from), text_len(word)), self.registry.find(word))
            });
            if let Some((range, rule)) = words.next() {
                names.push(RuleReference { range, rule });
            }
            if let Some((first, rule)) = words.next() {
                let all = words.fold(first, |all, (range, _)| all.cover(range));
                fault = fault.or(Some(match rule {
                    Some(_) => Fault::Comma(first),
                    None => Fault::Reason(all),
                }));
                names.extend(rule.map(|rule| RuleReference { range: first, rule: Some(rule) }));
            }
            at += part.len() + 1;
        }
        let nowhere = TextRange::empty(self.offset(self.at + list.trim_end().len()));
        let first = names.first().map_or(nowhere, |named| named.range);
        let list = names.last().map_or(first, |last| first.cover(last.range));
        if names.is_empty() {
            fault = Some(Fault::Nameless);
        }
        (names, list, fault)
    }
}

/// The start of the reason. No rule name contains `--`.
fn reason(rest: &str) -> usize {
    rest.find("--").unwrap_or(rest.len())
}

/// The words of a text, with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let from = at + rest.find(|c: char| !c.is_whitespace())?;
        let word = text.get(from..)?.split_whitespace().next()?;
        at = from + word.len();
        Some((from, word))
    })
}
