//! Second reading of unreadable text: its extent, the cached result of the previous reading, and
//! its limits.

use rustc_hash::FxHashMap;

use super::ast::Item;
use super::foreign::Region;
use super::recovery::{Parse, RecoveredText, recover};
use super::rules;
use crate::lint::{Finding, Fix};
use crate::text::{TextRange, TextSize, size};

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
