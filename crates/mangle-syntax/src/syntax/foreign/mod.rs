//! Recognition of foreign syntax: constructs from Prolog, Soufflé, SQL, Python, Rego or outdated
//! manuals, with their Mangle equivalents.
//!
//! The module takes the text of one statement with syntax errors ([`Region`]). It returns
//! [`ForeignConstruct`]s: each has a range, a reading as Mangle, and a fix.
//!
//! Recognizers work on tokens, because a reliable tree does not exist. A reading is verified by
//! parsing it; see `recover`.

mod aggregates;
mod arithmetic;
mod bodies;
mod collections;
mod declarations;
mod group_by;
mod paths;
mod phrases;
mod premises;
mod region;
mod rego;
mod statement_kind;
mod statements;
mod terms;
mod token;

pub(super) use arithmetic::{as_functions, no_infix, value_advice};
pub(super) use collections::{MATCH_CONS, NO_LIST_PATTERN};
pub(super) use declarations::{TYPES_FOLLOW, typed_argument};
pub(super) use paths::{BIND_BY_PREMISE, has_known_root, no_field_access, path_note};
pub(super) use phrases::{CASES_ARE_RULES, is_control};
pub(super) use premises::{NEGATION_SIGN, does_not_negate, only_atoms_are_negated};
pub(super) use region::Region;
pub(super) use token::{Lexeme, LexemeKind, tokens};

use std::ops::Range;

use crate::lint::Rule;
use crate::text::{TextRange, size};

/// The headline about a query.
pub(super) const NO_QUERY: &str = "query in a file";

/// The reason that a query is an error.
pub(super) const IN_A_FILE: &str = "the engine accepts only declarations, facts and rules in a file";

/// The note about alternatives.
pub(super) const NO_DISJUNCTION: &str = "alternatives are separate rules with the same head";

/// The note about null and similar values.
const ABSENCE: &str = "what is unknown is expressed by the absence of a fact";

/// The title of the fix for text that is not code.
const TO_COMMENT: &str = "turn it into a comment";

/// The recognizers in order of priority: the first one that matches a position wins.
const RECOGNISERS: &[fn(&Region<'_>, &mut Hits)] = &[
    terms::lookalikes,
    statements::comments,
    rego::habits,
    statements::prose,
    statements::directives,
    statements::question,
    declarations::habits,
    statements::keywords,
    statements::markup,
    statements::arrows,
    statements::early_lets,
    statements::pipes,
    aggregates::habits,
    bodies::constructs,
    collections::quantifiers,
    collections::membership_tests,
    paths::habits,
    premises::negation,
    phrases::habits,
    premises::groups,
    premises::conjunction,
    premises::control,
    premises::comparison,
    bodies::disjunctions,
    terms::variables,
    terms::times,
    terms::literals,
    terms::names,
    collections::list_patterns,
    arithmetic::habits,
    terms::words,
    statements::commas,
    statements::ends,
];

/// The foreign constructs in a statement, in text order. Their edits do not overlap.
pub(super) fn habits(region: &Region<'_>) -> Vec<ForeignConstruct> {
    let mut hits = Hits::default();
    for recogniser in RECOGNISERS {
        recogniser(region, &mut hits);
    }
    hits.0.sort_by_key(|hit| (hit.range.start, hit.range.end));
    hits.0
}

/// A replacement of a range in a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegionEdit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl RegionEdit {
    /// The replaced range.
    fn text_range(&self) -> TextRange {
        TextRange::new(size(self.range.start), size(self.range.end.max(self.range.start)))
    }
}

/// The fix of a foreign construct.
#[derive(Debug, Clone)]
pub(super) enum HabitFix {
    /// The edits of the reading.
    AsRead,
    /// Other edits than the reading.
    By(Vec<RegionEdit>),
    /// No automatic fix.
    No,
}

/// A foreign construct in one statement.
#[derive(Debug, Clone)]
pub(super) struct ForeignConstruct {
    pub(super) rule: &'static Rule,
    /// The range of the finding.
    pub(super) range: Range<usize>,
    /// See [`Finding::message`](crate::lint::Finding::message).
    pub(super) headline: String,
    /// See [`Finding::label`](crate::lint::Finding::label).
    pub(super) label: Option<String>,
    /// See [`Finding::notes`](crate::lint::Finding::notes).
    pub(super) notes: Vec<String>,
    /// See [`Finding::help`](crate::lint::Finding::help).
    pub(super) help: Option<String>,
    /// The title of the fix in the imperative.
    pub(super) title: String,
    /// True if the fix is certain.
    pub(super) safe: bool,
    /// The edits that turn the statement into valid Mangle.
    pub(super) reading: Vec<RegionEdit>,
    pub(super) fix: HabitFix,
    /// Ranges that the fix rewrites, in addition to the edits of the reading.
    replaces: Vec<Range<usize>>,
    /// An alternative fix for another reading, with its title.
    pub(super) other: Option<(String, RegionEdit)>,
}

impl ForeignConstruct {
    fn new(rule: &'static Rule, range: Range<usize>, headline: impl Into<String>) -> Self {
        Self {
            rule,
            range,
            headline: headline.into(),
            label: None,
            notes: Vec::new(),
            help: None,
            title: String::new(),
            safe: true,
            reading: Vec::new(),
            fix: HabitFix::No,
            replaces: Vec::new(),
            other: None,
        }
    }

    /// Changes the range and the headline.
    fn named(mut self, headline: impl Into<String>, range: Range<usize>) -> Self {
        (self.headline, self.range) = (headline.into(), range);
        self
    }

    fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces `range` with `text` in the reading and in the fix.
    fn replace(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self = self.read(range, text);
        self.fix = HabitFix::AsRead;
        self
    }

    fn delete(self, range: Range<usize>) -> Self {
        self.replace(range, "")
    }

    fn change(self, edit: RegionEdit) -> Self {
        self.replace(edit.range, edit.text)
    }

    /// Replaces `range` with `text` only in the reading.
    fn read(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.reading.push(RegionEdit { range, text: text.into() });
        self
    }

    /// Adds an edit to the reading, like [`Hit::read`].
    fn read_as(self, edit: RegionEdit) -> Self {
        self.read(edit.range, edit.text)
    }

    /// Sets a fix that differs from the reading.
    fn fix_with(mut self, range: Range<usize>, text: impl Into<String>) -> Self {
        self.fix = HabitFix::By(vec![RegionEdit { range, text: text.into() }]);
        self
    }

    fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Marks the fix as a guess.
    fn guess(mut self) -> Self {
        self.safe = false;
        self
    }

    /// Sets the alternative fix for another reading.
    fn otherwise(mut self, title: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Self {
        self.other = Some((title.into(), RegionEdit { range, text: text.into() }));
        self
    }

    /// Declares that the fix rewrites `range`.
    fn replacing(mut self, range: Range<usize>) -> Self {
        self.replaces.push(range);
        self
    }

    /// The ranges that the fix rewrites: foreign syntax, and declared ranges.
    pub(super) fn replaced(&self) -> impl Iterator<Item = Range<usize>> {
        let reading = self.reading.iter().map(|change| &change.range).filter(|range| !range.is_empty());
        reading.chain(&self.replaces).cloned()
    }

    pub(super) fn fix(&self) -> Option<&[RegionEdit]> {
        match &self.fix {
            HabitFix::AsRead => Some(&self.reading),
            HabitFix::By(changes) => Some(changes),
            HabitFix::No => None,
        }
    }
}

/// The foreign constructs in one statement. Their edits do not overlap.
#[derive(Debug, Default)]
struct Hits(Vec<ForeignConstruct>);

impl Hits {
    /// True if a hit changes some of these bytes.
    fn takes(&self, range: &Range<usize>) -> bool {
        self.0.iter().flat_map(|hit| &hit.reading).any(|other| overlap(&other.range, range))
    }

    fn add(&mut self, hit: ForeignConstruct) {
        if !hit.reading.iter().any(|change| self.takes(&change.range)) {
            self.0.push(hit);
        }
    }
}

/// True if two ranges share a byte, or one is an insertion inside of the other.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Applies `changes`, which do not overlap, to `text`.
pub(super) fn apply(text: &str, changes: &[RegionEdit]) -> String {
    let mut sorted: Vec<&RegionEdit> = changes.iter().collect();
    sorted.sort_by_key(|change| (change.range.start, change.range.end));
    let edits = sorted.iter().map(|change| (change.text_range(), change.text.as_str()));
    // Incompatible edits leave the text unchanged, so that the reading does not parse.
    crate::text::apply(text, edits).unwrap_or_else(|| text.to_owned())
}

/// The note about the engine's reading of a foreign arrow.
pub(super) fn arrow_note(written: &str) -> &'static str {
    match written {
        "<=" => "the engine reads `<=` as less or equal",
        "<-" => "the engine reads `<-` as a temporal operator",
        _ => "a rule is written `head :- body`",
    }
}
