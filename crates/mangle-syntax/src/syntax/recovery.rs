//! Recovery of statements with syntax errors: replaces foreign syntax with its Mangle equivalent
//! and parses the result. The results of the previous reading are cached, and the work is limited.
//!
//! A reading is accepted only if it parses without errors. The fix of a single construct is offered
//! only if the remaining text also parses.
//!
//! The statements of a reading have ranges in the original text and are marked as damaged. Their
//! predicates are defined and used, but semantic rules skip the statements. Otherwise findings
//! would quote text that does not exist.

use rustc_hash::FxHashMap;
use tree_sitter::Tree;

use super::ast::{Item, Statement, StatementKind, each_range};
use super::foreign::{self, ForeignConstruct, HabitFix, Region, RegionEdit, apply};
use super::{SyntaxKind, digest, kind_of, lower, rules};
use crate::lint::{Finding, Fix, Rule};
use crate::text::{StatementId, TextRange, TextSize, size};

/// Findings that can be caused by foreign syntax.
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

/// A parser for a text.
pub(super) type Parse<'p> = &'p dyn Fn(&str) -> Option<Tree>;

/// A text range that was read successfully.
#[derive(Debug, Clone)]
struct RecoveredText {
    /// The statements, with starts relative to the start of the range.
    items: Vec<Item>,
    /// True if the range contains foreign syntax.
    foreign: bool,
}

/// True if a statement can benefit from a second reading.
pub(super) fn is_doubtful(statement: &Statement) -> bool {
    let broken = matches!(statement.kind, StatementKind::Broken);
    let has = |rule: &&'static Rule| statement.findings.iter().any(|finding| finding.rule == *rule);
    broken || DOUBTS.iter().any(has) || (has(&&rules::MISSING_DOT) && has(&&rules::LOWERCASE_VARIABLE))
}

/// Reads a statement with foreign syntax replaced. `None` if no reading parses with `parse`.
fn recover(region: &Region<'_>, parse: Parse<'_>) -> Option<RecoveredText> {
    let hits = foreign::habits(region);
    let attempt = |hits: &[ForeignConstruct]| read(region.text(), hits, parse);
    let understood = attempt(&hits).or_else(|| {
        let alone = hits.iter().filter(|_| hits.len() > 1).take(4);
        alone.map(std::slice::from_ref).find_map(attempt)
    });
    understood.or_else(|| unreadable_characters(region, &hits))
}

/// A statement that stays unreadable, with the finding about its lookalike characters.
fn unreadable_characters(region: &Region<'_>, hits: &[ForeignConstruct]) -> Option<RecoveredText> {
    let hit = hits.iter().find(|hit| hit.rule == &rules::LOOKALIKE_CHARACTER)?;
    let statement = Statement { findings: vec![finding(hit, false)], ..broken(region.text()) };
    let item = Item { start: TextSize::new(0), statement: statement.into(), follows_damage: false };
    Some(RecoveredText { items: vec![item], foreign: true })
}

fn read(text: &str, hits: &[ForeignConstruct], parse: Parse<'_>) -> Option<RecoveredText> {
    let changes: Vec<RegionEdit> = hits.iter().flat_map(|hit| hit.reading.clone()).collect();
    let reading = apply(text, &changes);
    let statements = whole(&reading, parse)?;
    if hits.is_empty() {
        return Some(as_it_is(statements));
    }
    let map = Map::new(&changes);
    let placed = statements.into_iter().enumerate().map(|(index, (start, statement))| {
        // The first statement starts with the text dropped before it, because its findings are
        // relative to that start.
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
        items.push(Item { start: TextSize::new(0), statement: broken(text).into(), follows_damage: false });
    }
    // With several constructs, each fix leaves the others, so the remaining text is unreadable.
    // Only the full reading is parsed.
    let mendable = match hits {
        [ForeignConstruct { fix: HabitFix::By(changes), .. }] => {
            whole(&apply(text, changes), parse).is_some()
        }
        _ => true,
    };
    let first = items.first_mut()?;
    let statement = std::sync::Arc::get_mut(&mut first.statement)?;
    statement.findings.extend(hits.iter().map(|hit| finding(hit, mendable)));
    statement.findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
    Some(RecoveredText { items, foreign: true })
}

/// Statements without foreign syntax.
fn as_it_is(statements: Vec<(usize, Statement)>) -> RecoveredText {
    let items = statements.into_iter().map(|(start, statement)| Item {
        start: size(start),
        statement: statement.into(),
        follows_damage: false,
    });
    RecoveredText { items: items.collect(), foreign: false }
}

/// The statements of `text`. `None` if one has a syntax error.
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

/// True for findings that a reading must not have.
fn is_unread(rule: &'static Rule) -> bool {
    let meant = [&rules::DISJUNCTION, &rules::MISSING_PARENS, &rules::WRONG_ARROW, &rules::TYPE_DOT_GLUED];
    DOUBTS.contains(&rule) && !meant.contains(&rule)
}

/// Moves a statement of a reading to its position in the original text.
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
    Item { start: size(base), statement: statement.into(), follows_damage: false }
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

fn finding(hit: &ForeignConstruct, mendable: bool) -> Finding {
    let range = |range: &std::ops::Range<usize>| TextRange::new(size(range.start), size(range.end));
    let mut finding = Finding::new(hit.rule, range(&hit.range), hit.headline.as_str());
    finding.label = hit.label.as_deref().map(Into::into);
    finding.notes = hit.notes.iter().map(Into::into).collect();
    finding.help = hit.help.as_deref().map(Into::into);
    let Some(changes) = hit.fix().filter(|_| mendable) else { return finding };
    let mut fix = if hit.safe { Fix::safe(hit.title.as_str()) } else { Fix::guess(hit.title.as_str()) };
    fix.replaces = hit.replaced().map(|bytes| range(&bytes)).collect();
    if let Some((title, change)) = &hit.other {
        fix = fix
            .with_alternative(Fix::guess(title.as_str()).replace(range(&change.range), change.text.as_str()));
    }
    finding
        .fix(changes.iter().fold(fix, |fix, change| fix.replace(range(&change.range), change.text.as_str())))
}

/// True if a finding and a hit concern the same text.
fn touches(hit: &ForeignConstruct, range: TextRange) -> bool {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let meets = |other: &std::ops::Range<usize>| start <= other.end && other.start <= end;
    let inside = |other: &std::ops::Range<usize>| start < other.end && other.start < end;
    inside(&hit.range)
        || hit
            .reading
            .iter()
            .any(|change| change.range.is_empty() && meets(&change.range) || inside(&change.range))
}

/// Maps offsets in a reading to offsets in the original text.
struct Map {
    /// For each change: start and length in the reading, start and length in the text.
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

    /// The original start of text that starts at `offset` in the reading.
    fn start(&self, offset: usize) -> usize {
        self.place(offset, |_, old_start, _| old_start)
    }

    /// The original end of text that ends at `offset` in the reading.
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

/// Maximum number of second readings per file.
const MAX_READINGS: u32 = 2000;

/// Budget for second readings of a file, in bytes. Ranges can overlap. Broken text takes more than
/// linear time to parse: a range of [`LONG`] bytes costs twice its length.
const MAX_BYTES: usize = 256 << 10;
const LONG: usize = 256;

/// The Markdown code fence.
const FENCE: &str = "```";

/// Results by text. Equal texts have one entry each, because statements have an identity.
type ReparseCache = FxHashMap<Box<str>, Vec<Option<RecoveredText>>>;

/// Second readings of a file.
#[derive(Debug, Default)]
pub(super) struct SecondReadings {
    /// The readings before the edit.
    old: ReparseCache,
    /// The readings of this version.
    new: ReparseCache,
    /// The number of readings.
    count: u32,
    /// The total cost of the readings, in bytes.
    bytes: usize,
    /// The index of the finding for an open fence.
    fence: Option<usize>,
}

/// Statements, and the position of the text after them.
#[derive(Debug)]
pub(super) struct RecoveredStatements {
    /// The statements, with starts relative to the file.
    pub(super) items: Vec<Item>,
    /// The lines that are only a code fence.
    pub(super) fences: Vec<TextRange>,
    /// The end offset.
    pub(super) end: usize,
}

impl SecondReadings {
    /// Takes over the results from before an edit.
    pub(super) fn after(before: &Self) -> Self {
        Self { old: before.new.clone(), ..Self::default() }
    }

    /// Reads the text from `start` on, until `reaches` accepts the end offset.
    pub(super) fn read(
        &mut self,
        text: &str,
        start: usize,
        parse: Parse<'_>,
        mut reaches: impl FnMut(usize) -> bool,
    ) -> Option<RecoveredStatements> {
        if self.is_out_of_patience() {
            return None;
        }
        let mut all = RecoveredStatements { items: Vec::new(), fences: Vec::new(), end: start };
        let mut foreign = false;
        while all.end == start || !reaches(all.end) {
            self.count += 1;
            if self.is_out_of_patience() {
                return None;
            }
            let rest = text.get(all.end..)?;
            let blank = rest.len() - rest.trim_start().len();
            let (at, rest) = (all.end + blank, rest.trim_start());
            if rest.starts_with('#') || (rest.is_empty() && foreign) {
                all.end = at + rest.find('\n').unwrap_or(rest.len());
                if rest.is_empty() { break } else { continue }
            }
            let region = Region::parse(rest)?;
            let len = region.text().len();
            self.bytes += len * (1 + len / LONG);
            all.end = at + region.text().len();
            if region.text().starts_with(FENCE) {
                all.fences.push(TextRange::new(size(at), size(all.end)));
                foreign = true;
                continue;
            }
            let recovered = self.recovered(&region, parse)?;
            foreign |= recovered.foreign;
            all.items.extend(
                recovered.items.into_iter().map(|item| Item { start: item.start + size(at), ..item }),
            );
        }
        foreign.then_some(all)
    }

    fn is_out_of_patience(&self) -> bool {
        self.count > MAX_READINGS || self.bytes > MAX_BYTES
    }

    fn recovered(&mut self, region: &Region<'_>, parse: Parse<'_>) -> Option<RecoveredText> {
        let known = self.old.get_mut(region.text()).and_then(Vec::pop);
        let recovered = known.unwrap_or_else(|| recover(region, parse));
        self.new.entry(region.text().into()).or_default().push(recovered.clone());
        recovered
    }

    /// Adds the finding for an opening fence, or extends the previous finding by a closing fence.
    pub(super) fn fence(&mut self, line: TextRange, text: &str, findings: &mut Vec<Finding>) {
        let next = text.get(usize::from(line.end())..).and_then(|rest| rest.starts_with('\n').then_some(1));
        let whole = TextRange::new(line.start(), line.end() + TextSize::new(next.unwrap_or(0)));
        let open = self.fence.take().and_then(|open| findings.get_mut(open));
        if let Some(fix) = open.and_then(|finding| finding.fix.as_mut()) {
            *fix = fix.clone().replace(whole, "");
            return;
        }
        self.fence = Some(findings.len());
        let fix = Fix::safe("delete the fences").replace(whole, "");
        let finding = Finding::new(&rules::PASTED_MARKUP, line, "Markdown fence in a program");
        findings.push(finding.note("the engine rejects it").fix(fix));
    }
}
