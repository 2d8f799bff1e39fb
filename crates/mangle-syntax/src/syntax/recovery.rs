//! Reading a statement that the grammar could not read: with the habits of other languages undone, it
//! parses, and so one knows what was meant.
//!
//! A reading counts only if it parses without damage, and the fix of a lone habit is offered
//! only if what it leaves does. The statements of a reading have their ranges in the text as it was written. They are marked
//! as damaged: their predicates count as defined and used, but no rule about meaning looks at them,
//! since it would quote text that is not there.

use tree_sitter::Tree;

use super::ast::ranges::each_range;
use super::ast::{Item, Statement, StatementKind};
use super::digest::digest;
use super::foreign::{self, HabitFix, Hit, Region, RegionEdit, apply};
use super::kind::{SyntaxKind, kind_of};
use super::{lower, rules};
use crate::lint::{Finding, Fix, Rule};
use crate::text::{StatementId, TextRange, TextSize, size};

/// Findings which say that a habit of another language may be behind them.
static DOUBTS: [&Rule; 17] = [
    &rules::SYNTAX_ERROR,
    &rules::MISSING_COMMA,
    &rules::MISSING_BRACKET,
    &rules::UNMATCHED_PARENTHESIS,
    &rules::UNTERMINATED_STRING,
    &rules::PREDICATE_AS_VALUE,
    &rules::NOT_A_PREMISE,
    &rules::NOT_A_TRANSFORM,
    &rules::LET_NEEDS_FUNCTION,
    &rules::DISJUNCTION,
    &rules::CONS_BAR,
    &rules::LEGACY_TYPED_ARG,
    &rules::DECL_ARG_NOT_VARIABLE,
    &rules::UNKNOWN_DECL_PART,
    &rules::WRONG_ARROW,
    &rules::MISSING_PARENS,
    &rules::TYPE_DOT_GLUED,
];

/// Parses a text.
pub(super) type Parse<'p> = &'p dyn Fn(&str) -> Option<Tree>;

/// A stretch of text that was understood after all.
#[derive(Debug, Clone)]
pub(super) struct RecoveredText {
    /// The statements in it; their starts count from the start of the stretch.
    pub(super) items: Vec<Item>,
    /// Whether something foreign is in it.
    pub(super) foreign: bool,
}

/// Whether a statement may be worth a second reading.
pub(super) fn is_doubtful(statement: &Statement) -> bool {
    let broken = matches!(statement.kind, StatementKind::Broken);
    let has = |rule: &&'static Rule| statement.findings.iter().any(|finding| finding.rule == *rule);
    broken || DOUBTS.iter().any(has) || (has(&&rules::MISSING_DOT) && has(&&rules::LOWERCASE_VARIABLE))
}

/// A statement read with the habits of other languages undone; `None` when no such reading parses.
/// `parse` parses.
pub(super) fn mend(region: &Region<'_>, parse: Parse<'_>) -> Option<RecoveredText> {
    let hits = foreign::habits(region);
    let attempt = |hits: &[Hit]| read(region.text(), hits, parse);
    let understood = attempt(&hits).or_else(|| {
        let alone = hits.iter().filter(|_| hits.len() > 1).take(4);
        alone.map(std::slice::from_ref).find_map(attempt)
    });
    understood.or_else(|| unreadable_characters(region, &hits))
}

/// A statement that stays unreadable, with the finding about its characters that only look like the right ones.
fn unreadable_characters(region: &Region<'_>, hits: &[Hit]) -> Option<RecoveredText> {
    let hit = hits.iter().find(|hit| hit.rule == &rules::LOOKALIKE_CHARACTER)?;
    let statement = Statement { findings: vec![finding(hit, false)], ..broken(region.text()) };
    let item = Item { start: TextSize::new(0), statement: statement.into(), rubble: false };
    Some(RecoveredText { items: vec![item], foreign: true })
}

fn read(text: &str, hits: &[Hit], parse: Parse<'_>) -> Option<RecoveredText> {
    let changes: Vec<RegionEdit> = hits.iter().flat_map(|hit| hit.reading.clone()).collect();
    let reading = apply(text, &changes);
    let statements = whole(&reading, parse)?;
    if hits.is_empty() {
        return Some(as_it_is(statements));
    }
    let map = Map::new(&changes);
    let placed = statements.into_iter().enumerate().map(|(index, (start, statement))| {
        // The first statement starts with what is dropped before it, for its findings count from there.
        let base = if index == 0 { 0 } else { map.start(start) };
        place(base, start, statement, &map, text)
    });
    let mut items: Vec<Item> = placed.collect();
    let covered = |range: TextRange| hits.iter().any(|hit| touches(hit, range));
    for item in &mut items {
        if let Some(statement) = std::sync::Arc::get_mut(&mut item.statement) {
            statement.findings.retain(|finding| !covered(finding.range + item.start));
        }
    }
    if items.is_empty() {
        items.push(Item { start: TextSize::new(0), statement: broken(text).into(), rubble: false });
    }
    // Of several, each fix leaves the others, and what is left cannot be read yet. What is read is parsed.
    let mendable = match hits {
        [Hit { mend: HabitFix::By(changes), .. }] => whole(&apply(text, changes), parse).is_some(),
        _ => true,
    };
    let first = items.first_mut()?;
    let statement = std::sync::Arc::get_mut(&mut first.statement)?;
    statement.findings.extend(hits.iter().map(|hit| finding(hit, mendable)));
    statement.findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
    Some(RecoveredText { items, foreign: true })
}

/// Statements in which there is nothing foreign.
fn as_it_is(statements: Vec<(usize, Statement)>) -> RecoveredText {
    let items = statements.into_iter().map(|(start, statement)| Item {
        start: size(start),
        statement: statement.into(),
        rubble: false,
    });
    RecoveredText { items: items.collect(), foreign: false }
}

/// The statements of `text`, if it has nothing but undamaged ones.
fn whole(text: &str, parse: Parse<'_>) -> Option<Vec<(usize, Statement)>> {
    let tree = parse(text)?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let mut cursor = root.walk();
    let mut statements = Vec::new();
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        match kind_of(node) {
            SyntaxKind::Comment | SyntaxKind::ForeignComment => {}
            _ => {
                let statement = lower::statement(&mut cursor, text);
                let unread = statement.findings.iter().any(|finding| is_unread(finding.rule));
                if unread || matches!(statement.kind, StatementKind::Broken) {
                    return None;
                }
                statements.push((node.start_byte(), statement));
            }
        }
        more = cursor.goto_next_sibling();
    }
    Some(statements)
}

/// Findings that a reading must not have.
fn is_unread(rule: &'static Rule) -> bool {
    let meant = [&rules::DISJUNCTION, &rules::MISSING_PARENS, &rules::WRONG_ARROW, &rules::TYPE_DOT_GLUED];
    DOUBTS.contains(&rule) && !meant.contains(&rule)
}

/// Moves a statement of a reading to where it stands in the text as it was written.
fn place(base: usize, start: usize, mut statement: Statement, map: &Map, text: &str) -> Item {
    let end = map.end(start + usize::from(statement.len)).max(base);
    let moved = |range: TextRange| {
        let from = map.start(start + usize::from(range.start())).clamp(base, end);
        let to = map.end(start + usize::from(range.end())).clamp(from, end);
        TextRange::new(size(from - base), size(to - base))
    };
    each_range(&mut statement, &mut |range| *range = moved(*range));
    for finding in &mut statement.findings {
        finding.range = moved(finding.range);
        if let Some(fix) = &mut finding.fix {
            fix.edits.iter_mut().for_each(|edit| edit.span.range = moved(edit.span.range));
            fix.replaces.iter_mut().for_each(|range| *range = moved(*range));
        }
    }
    statement.len = size(end - base);
    statement.damaged = true;
    statement.digest = digest(text.get(base..end).unwrap_or(""));
    Item { start: size(base), statement: statement.into(), rubble: false }
}

fn broken(text: &str) -> Statement {
    Statement {
        id: StatementId::fresh(),
        len: size(text.len()),
        kind: StatementKind::Broken,
        damaged: true,
        findings: Vec::new(),
        left_out: None,
        digest: digest(text),
    }
}

fn finding(hit: &Hit, mendable: bool) -> Finding {
    let range = |range: &std::ops::Range<usize>| TextRange::new(size(range.start), size(range.end));
    let mut finding = Finding::new(hit.rule, range(&hit.range), hit.headline.as_str());
    finding.label = hit.label.as_deref().map(Into::into);
    finding.notes = hit.notes.iter().map(Into::into).collect();
    finding.help = hit.help.as_deref().map(Into::into);
    let Some(changes) = hit.fix().filter(|_| mendable) else { return finding };
    let mut fix = if hit.safe { Fix::safe(hit.title.as_str()) } else { Fix::guess(hit.title.as_str()) };
    fix.replaces = hit.replaced().map(|bytes| range(&bytes)).collect();
    if let Some((title, change)) = &hit.other {
        fix = fix.otherwise(Fix::guess(title.as_str()).replace(range(&change.range), change.text.as_str()));
    }
    finding
        .fix(changes.iter().fold(fix, |fix, change| fix.replace(range(&change.range), change.text.as_str())))
}

/// Whether a finding is about what a hit is about.
fn touches(hit: &Hit, range: TextRange) -> bool {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let meets = |other: &std::ops::Range<usize>| start <= other.end && other.start <= end;
    let inside = |other: &std::ops::Range<usize>| start < other.end && other.start < end;
    inside(&hit.range)
        || hit
            .reading
            .iter()
            .any(|change| change.range.is_empty() && meets(&change.range) || inside(&change.range))
}

/// From offsets in a reading to offsets in the text as it was written.
struct Map {
    /// Per change: where it starts in the reading, how long it is there, where it starts in the text,
    /// how long it is there.
    pieces: Vec<[usize; 4]>,
}

impl Map {
    fn new(changes: &[RegionEdit]) -> Self {
        let mut sorted: Vec<&RegionEdit> = changes.iter().collect();
        sorted.sort_by_key(|change| (change.range.start, change.range.end));
        let mut pieces = Vec::with_capacity(sorted.len());
        let (mut removed, mut added) = (0, 0);
        for change in sorted {
            let old = change.range.end - change.range.start;
            pieces.push([change.range.start + added - removed, change.text.len(), change.range.start, old]);
            removed += old;
            added += change.text.len();
        }
        Self { pieces }
    }

    /// Where something starts that starts at `offset` of the reading.
    fn start(&self, offset: usize) -> usize {
        self.place(offset, |_, old_start, _| old_start)
    }

    /// Where something ends that ends at `offset` of the reading.
    fn end(&self, offset: usize) -> usize {
        self.place(
            offset,
            |inside, old_start, old_len| if inside == 0 { old_start } else { old_start + old_len },
        )
    }

    fn place(&self, offset: usize, within: impl Fn(usize, usize, usize) -> usize) -> usize {
        let Some([new_start, new_len, old_start, old_len]) =
            self.pieces.iter().rev().find(|piece| piece[0] <= offset).copied()
        else {
            return offset;
        };
        let inside = offset - new_start;
        if inside < new_len {
            within(inside, old_start, old_len)
        } else {
            old_start + old_len + inside - new_len
        }
    }
}
