//! Mangle code in comments: expectations and properties of policy tests, and intents of previews.
//!
//! A comment such as `# @expect permitted(/deploy, X)` is parsed as the rule
//! `e():-permitted(/deploy, X).`, whose premise keeps the byte offsets of the comment. References,
//! rename, hover and completion treat it as one additional statement.

use std::sync::Arc;

use super::Place;
use super::mention::{Entity, Mention, StatementPart, Variable, each};
use agent_prompt::Header;
use mangle_check::policy_test::property::{Piece, PropertyText};
use mangle_check::policy_test::{Expectation, TestFile, TestKey, comment_at};
use mangle_engine::program::{FileSummary, PredicateKey, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::{Symbol, TextRange, TextSize, size, slice, text_len};

/// Prefix that turns a premise into a rule. Must be shorter than the shortest comment prefix with a
/// key.
const HEAD: &str = "e():-";

/// Mangle code in a comment.
#[derive(Debug, Clone)]
pub struct Directive {
    /// Range of the code in the file.
    bytes: TextRange,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    /// A rule with the atom as its premise. Ranges inside [`Directive::bytes`] are relative to the
    /// file.
    Premise(Item),
    /// A predicate name, for example in `@exact`.
    Name(PredicateKey),
    /// A name constant without slash, for example in `shard:`.
    Bare(Symbol),
}

impl Directive {
    /// Parses `premise`, which starts at `start` in the file.
    fn new(premise: &str, start: TextSize) -> Option<Self> {
        // The space prevents the full stop from becoming part of a name.
        let rule = SourceFile::parse(format!("{HEAD}{premise} .").as_str().into());
        let item = rule.items().first().filter(|item| !item.statement.damaged)?;
        let item = Item { start: start.checked_sub(text_len(HEAD))?, ..item.clone() };
        Some(Self { bytes: TextRange::at(start, text_len(premise)), content: Content::Premise(item) })
    }

    fn of_expectation(expectation: &Expectation) -> Option<Self> {
        let start = expectation.text_range.start();
        match expectation.predicate {
            Some(key) if expectation.key == TestKey::Exact => {
                let bytes = TextRange::at(start, text_len(key.name.as_str()));
                Some(Self { bytes, content: Content::Name(key) })
            }
            Some(_) => Self::new(expectation.text.trim_end_matches('.'), start),
            None => None,
        }
    }

    /// Parses the body of a property.
    fn of_body(body: &Piece) -> Option<Self> {
        Self::new(&body.text, body.range.start())
    }

    fn of_name(key: PredicateKey, bytes: TextRange) -> Self {
        Self { bytes, content: Content::Name(key) }
    }

    /// Parses a name constant in an intent.
    fn of_word(file: &FileSummary, range: TextRange) -> Option<Self> {
        let word = slice(&file.text, range);
        // The name is an argument, so the premise starts further left.
        let start = range.start().checked_sub(size(2)).filter(|_| word.starts_with('/'))?;
        Self::new(&format!("w({word})"), start).map(|found| Self { bytes: range, ..found })
    }

    /// Parses the type of a shard, which facts contain as a name: `coder` is `/coder`.
    fn of_shard(file: &FileSummary, range: TextRange) -> Self {
        let word = slice(&file.text, range);
        let name = if word.starts_with('/') { word.to_owned() } else { format!("/{word}") };
        Self { bytes: range, content: Content::Bare(Symbol::new(&name)) }
    }

    /// Range of the code in the file.
    #[must_use]
    pub fn bytes(&self) -> TextRange {
        self.bytes
    }

    /// Calls `visit` for each mention. Ranges are relative to the file.
    pub fn mentions(&self, visit: &mut impl FnMut(Mention)) {
        let (range, part) = (self.bytes, StatementPart::Comment);
        match &self.content {
            Content::Name(key) => visit(Mention { range, entity: Entity::Predicate(*key), part }),
            Content::Bare(name) => visit(Mention { range, entity: Entity::Name(*name), part }),
            Content::Premise(item) => each(item, &mut |mention| {
                if range.contains_range(mention.range) {
                    visit(Mention { part, ..mention });
                }
            }),
        }
    }
}

/// Returns the comments with Mangle code in a file, in source order.
#[must_use]
pub fn directives(program: &Program, file: &FileSummary) -> Vec<Directive> {
    let mut all = Vec::new();
    if program.embedding.is_test(file.id) {
        all.extend(TestFile::read(file).expectations().filter_map(Directive::of_expectation));
        let properties = PropertyText::read(file);
        all.extend(properties.bodies.iter().filter_map(Directive::of_body));
        all.extend(properties.names.into_iter().map(|(key, bytes)| Directive::of_name(key, bytes)));
        all.sort_by_key(|directive| directive.bytes.start());
    }
    if program.embedding.is_kernel(file.id) {
        all.extend(intent_words(file).into_iter().filter_map(|range| Directive::of_word(file, range)));
        all.extend(shard_types(file).into_iter().map(|range| Directive::of_shard(file, range)));
        all.sort_by_key(|directive| directive.bytes.start());
    }
    all
}

/// Returns the words of the intents in a preview header. Groups share words from common settings,
/// so duplicates are removed.
fn intent_words(file: &FileSummary) -> Vec<TextRange> {
    let header = Header::read(&file.text);
    let intents = header.groups.iter().filter_map(|group| group.intent.as_ref());
    let mut ranges: Vec<_> = intents
        .flat_map(|intent| [&intent.category, &intent.verb, &intent.target, &intent.constraint])
        .map(|word| word.range)
        .collect();
    ranges.sort_unstable_by_key(|range| range.start());
    ranges.dedup();
    ranges
}

/// Returns the shard types in a preview header. Groups share values from common settings, so
/// duplicates are removed.
fn shard_types(file: &FileSummary) -> Vec<TextRange> {
    let header = Header::read(&file.text);
    let shards = header.groups.iter().filter_map(|group| group.shard.as_ref());
    let mut ranges: Vec<_> = shards.map(|(_, word)| word.range).filter(|range| !range.is_empty()).collect();
    ranges.sort_unstable_by_key(|range| range.start());
    ranges.dedup();
    ranges
}

/// Returns the ranges of comments with malformed Mangle code.
#[must_use]
pub fn malformed_directives(program: &Program, file: &FileSummary) -> Vec<TextRange> {
    if !program.embedding.is_test(file.id) {
        return Vec::new();
    }
    let tests = TestFile::read(file);
    let malformed =
        tests.expectations().filter(|expectation| Directive::of_expectation(expectation).is_none());
    let malformed = malformed.map(|expectation| expectation.text_range);
    let bodies = PropertyText::read(file).bodies;
    let bodies = bodies.iter().filter(|body| Directive::of_body(body).is_none()).map(|body| body.range);
    malformed.chain(bodies).chain(tests.ignored_comments.iter().copied()).collect()
}

impl Place<'_> {
    /// Returns the mention at the offset, in a statement or in a comment. Between two adjacent
    /// words, the second word is returned.
    #[must_use]
    pub fn mention(&self) -> Option<Mention> {
        self.mention_in_statement().or_else(|| mention_at(*self).map(|(_, mention)| mention))
    }
}

/// Returns the mention in the comment at a place, and the index of the comment in [`directives`].
#[must_use]
pub fn mention_at(place: Place<'_>) -> Option<(usize, Mention)> {
    if !is_on_comment(place) {
        return None;
    }
    let mut found: Option<(usize, Mention)> = None;
    for (number, directive) in directives(place.program(), place.file).iter().enumerate() {
        directive.mentions(&mut |mention| {
            let holds = mention.range.contains_inclusive(place.offset);
            if holds && found.is_none_or(|(_, found)| mention.range.start() > found.range.start()) {
                found = Some((number, mention));
            }
        });
    }
    found
}

/// True if the line of a place is a comment.
fn is_on_comment(place: Place<'_>) -> bool {
    let text = place.text();
    let start = text.get(..place.offset.into()).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_start();
    line.starts_with('#')
}

/// Returns the index of the comment that contains a variable. `None` for a variable of a statement.
#[must_use]
pub fn comment_of_variable(file: &FileSummary, variable: Variable) -> Option<usize> {
    (variable.item as usize).checked_sub(file.items.len())
}

/// Returns the statement number used for the variables of a comment.
#[must_use]
pub fn number_of_item(file: &FileSummary, comment: usize) -> u32 {
    u32::try_from(file.items.len() + comment).unwrap_or(u32::MAX)
}

/// The premise of a comment as a separate file with the same offsets, for cursor-based features.
#[derive(Debug)]
pub struct DirectiveFile {
    file: FileSummary,
    source: SourceFile,
}

impl DirectiveFile {
    /// Parses the possibly incomplete premise of the comment at a place of a policy test.
    #[must_use]
    pub fn new(place: Place<'_>) -> Option<Self> {
        if !place.program().embedding.is_test(place.file.id) || !is_on_comment(place) {
            return None;
        }
        if let Some(body) = PropertyText::body_at(place.file, place.offset) {
            let start = if body.text.is_empty() { place.offset } else { body.range.start() };
            return Self::parse(place, &body.text, start);
        }
        let comment = comment_at(place.file, place.offset)?;
        let key = TestKey::parse(comment.key).filter(|_| place.offset > comment.key_range.end())?;
        let start = if comment.value.is_empty() { place.offset } else { comment.value_range.start() };
        let written = TextRange::new(start, comment.value_range.end().max(start));
        let premise = match key {
            TestKey::Test => return None,
            TestKey::Exact => {
                let (name, arity) = comment.value.split_once('/')?;
                let is_in_name = place.offset <= start + text_len(name);
                let arity: u8 = arity.parse().ok().filter(|_| is_in_name)?;
                format!("{name}({})", vec!["_"; usize::from(arity)].join(", "))
            }
            TestKey::Expect | TestKey::Forbid => {
                slice(place.text(), written).trim_end_matches('.').to_owned()
            }
        };
        Self::parse(place, &premise, start)
    }

    /// Parses a premise that starts at `start`.
    fn parse(place: Place<'_>, premise: &str, start: TextSize) -> Option<Self> {
        let before = usize::from(start).checked_sub(HEAD.len())?;
        // The space prevents the full stop from becoming part of an unfinished name.
        let text: Arc<str> = format!("{:before$}{HEAD}{premise} .", "").into();
        let source = SourceFile::parse(text);
        let mut file = FileSummary::new(place.file.id, &source);
        file.package = place.file.package;
        file.used_packages.clone_from(&place.file.used_packages);
        Some(Self { file, source })
    }

    /// Returns the place at the same offset in the file of the premise.
    #[must_use]
    pub fn place<'a>(&'a self, outer: Place<'a>) -> Place<'a> {
        Place { analysis: outer.analysis, file: &self.file, source: &self.source, offset: outer.offset }
    }
}

/// True if a text contains a word that is not part of a longer word.
#[must_use]
pub fn has_word(text: &str, word: Symbol) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let word = word.as_str();
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
