//! What stands in a silencing comment: `mangle-ls: ignore NAME[, NAME] -- reason`. The same words are
//! understood wherever comments are written, so nothing here knows of `#`.

use crate::Registry;
use mangle_syntax::lint::Rule;
use mangle_syntax::syntax::format::directive as formatting;
use mangle_syntax::text::{TextRange, TextSize, size, text_len};

/// The word that every silencing comment starts with.
pub(super) const MARK: &str = "mangle-ls";

/// The words that may follow it. What stands behind the last one is for the formatter.
pub(super) const VERBS: [&str; 3] = ["ignore", "ignore-file", formatting::VERB];

/// What a comment says.
#[derive(Debug)]
pub(super) struct Directive {
    /// Whether it is about the whole file.
    pub(super) whole_file: bool,
    /// The rules that it names.
    pub(super) names: Vec<RuleReference>,
    /// From the first name to the last; empty, and where names belong, when there are none.
    pub(super) list: TextRange,
    /// What is wrong with its form.
    pub(super) fault: Option<Fault>,
}

/// A rule as a comment names it.
#[derive(Debug)]
pub(super) struct RuleReference {
    /// The word.
    pub(super) range: TextRange,
    /// The rule, unless no rule is called so.
    pub(super) rule: Option<&'static Rule>,
}

/// What keeps a comment from being read as it was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// No colon behind `mangle-ls`; it belongs here.
    Colon(TextSize),
    /// A word that is none of [`VERBS`].
    Verb(TextRange),
    /// A word behind `format` that is not one of its words.
    Format(TextRange),
    /// No name.
    Nameless,
    /// Further words behind a name: another name, where a comma is missing.
    Comma(TextRange),
    /// Further words behind a name: the reason, without `--` in front of it.
    Reason(TextRange),
}

/// Reads a comment whose text, which starts with [`MARK`], stands at `start`. `None` for a comment that
/// only mentions the tool.
pub(super) fn read(text: &str, start: TextSize, registry: &Registry) -> Option<Directive> {
    let mut reader = Reader { text, registry, at: MARK.len(), start };
    let colon = text.get(reader.at..)?.starts_with(':');
    let behind_mark = reader.at;
    reader.at += usize::from(colon);
    let word = reader.word();
    let verb = VERBS.iter().position(|verb| reader.slice(word) == *verb);
    let mut fault = match (colon, verb) {
        // A sentence that starts with the tool's name.
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
    /// How far it was read.
    at: usize,
    /// Where the text stands.
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

    /// What is wrong behind `format`.
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

    /// The names up to `--`, where the list stands, and what is wrong with it.
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

/// Where the reason starts. No rule has `--` in its name.
fn reason(rest: &str) -> usize {
    rest.find("--").unwrap_or(rest.len())
}

/// The words of a text, with their places.
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
