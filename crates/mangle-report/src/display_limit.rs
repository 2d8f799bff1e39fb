//! Display limits: the maximum number of findings of each rule in each file, and the number of hidden and
//! discarded findings.
//!
//! The limits keep the output short for files with a million similar findings.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::{ReportEntry, Sources};
use mangle_settings::MaxFindings;
use mangle_syntax::lint::{Diagnostic, Rule, Severity};
use mangle_syntax::text::FileId;

/// The maximum number of rules and files to list individually.
const LISTED: usize = 20;

/// The number of findings in text for a rule that exceeds the limit in a file.
const SHOWN_OVER_LIMIT: usize = 10;

/// The displayed and the hidden findings.
#[derive(Debug, Default)]
pub struct DisplayedFindings<'e> {
    /// The displayed findings, in order.
    pub entries: Vec<&'e ReportEntry>,
    /// The numbers of hidden findings.
    left_out: Vec<(FileId, &'static Rule, usize)>,
}

/// Counts hidden findings, in the order of their first occurrence.
#[derive(Debug)]
struct HiddenCounts<K> {
    counts: FxHashMap<K, usize>,
    /// The hidden findings, with their key in `counts`.
    left_out: Vec<(K, &'static Rule)>,
}

impl<K> Default for HiddenCounts<K> {
    fn default() -> Self {
        Self { counts: FxHashMap::default(), left_out: Vec::new() }
    }
}

impl<K: std::hash::Hash + Eq + Copy> HiddenCounts<K> {
    /// Counts a finding. Returns true if it is displayed.
    fn takes(&mut self, key: K, rule: &'static Rule, most: MaxFindings) -> bool {
        let count = self.counts.entry(key).or_default();
        *count += 1;
        let is_shown = most.allows(*count - 1);
        if !is_shown && most.allows(*count - 2) {
            self.left_out.push((key, rule));
        }
        is_shown
    }
}

/// The findings for annotations. `most` is the limit for each rule in a file.
#[must_use]
pub fn shown<'e>(
    entries: &'e [ReportEntry],
    sources: &Sources,
    most: &dyn Fn(FileId) -> MaxFindings,
) -> DisplayedFindings<'e> {
    displayed(entries, sources, &|file, _| most(file))
}

/// The findings for text. If a rule exceeds the limit `most` in a file, its first `FEW` findings.
#[must_use]
pub fn shown_in_text<'e>(
    entries: &'e [ReportEntry],
    sources: &Sources,
    most: &dyn Fn(FileId) -> MaxFindings,
) -> DisplayedFindings<'e> {
    let mut counts: FxHashMap<(FileId, &'static str), usize> = FxHashMap::default();
    for entry in entries {
        *counts.entry((sources.owner(entry.file), entry.diagnostic.rule.code)).or_default() += 1;
    }
    let few = |file: FileId, rule: &Rule| {
        let (most, all) = (most(file), counts.get(&(file, rule.code)).copied().unwrap_or(0));
        if most.allows(all.saturating_sub(1)) {
            most
        } else {
            most.smaller(MaxFindings::new(SHOWN_OVER_LIMIT))
        }
    };
    displayed(entries, sources, &few)
}

fn displayed<'e>(
    entries: &'e [ReportEntry],
    sources: &Sources,
    most: &dyn Fn(FileId, &Rule) -> MaxFindings,
) -> DisplayedFindings<'e> {
    let (mut shown, mut hidden) = (Vec::new(), HiddenCounts::default());
    for entry in entries {
        let (file, rule) = (sources.owner(entry.file), entry.diagnostic.rule);
        if hidden.takes((file, rule.code), rule, most(file, rule)) {
            shown.push(entry);
        }
    }
    let more = |(key, rule): &((FileId, &'static str), &'static Rule)| {
        let all = hidden.counts.get(key).copied().unwrap_or(0);
        (key.0, *rule, all.saturating_sub(most(key.0, rule).number()))
    };
    DisplayedFindings { entries: shown, left_out: hidden.left_out.iter().map(more).collect() }
}

impl DisplayedFindings<'_> {
    /// The number of hidden findings among `all`.
    #[must_use]
    pub fn more(&self, all: &[ReportEntry]) -> usize {
        all.len() - self.entries.len()
    }

    /// The hidden findings and the way to display them, line by line. Empty without hidden
    /// findings. `omitted` has findings that were only counted.
    #[must_use]
    pub fn rest(&self, sources: &Sources, omitted: &[OverflowCounts]) -> Vec<String> {
        let mut more: Vec<(&str, &str, &str, usize)> = self
            .left_out
            .iter()
            .map(|(file, rule, count)| (sources.name(*file), rule.code, rule.name, *count))
            .collect();
        for one in omitted {
            for ((code, name, _), count) in one.by_rule() {
                let known =
                    more.iter_mut().find(|(file, known, ..)| (*file, *known) == (one.name.as_str(), code));
                match known {
                    Some((.., all)) => *all += count,
                    None => more.push((&one.name, code, name, count)),
                }
            }
        }
        let line = |(file, code, name, count): &(&str, &str, &str, usize)| {
            format!("{file}: {count} more of {code} {name}")
        };
        let mut lines: Vec<String> = more.iter().take(LISTED).map(line).collect();
        match more.len() {
            0 => return lines,
            all if all > LISTED => lines.push(format!("and more of {} other rules and files", all - LISTED)),
            _ => {}
        }
        lines.push("`--max-findings 0` shows all findings".to_owned());
        lines
    }
}

/// The diagnostics of a file for an editor. For each rule that exceeds the limit, a summary at its
/// first hidden finding.
#[must_use]
pub fn shown_in_editor<'d>(
    found: Vec<&'d Diagnostic>,
    most: MaxFindings,
) -> (Vec<&'d Diagnostic>, Vec<Diagnostic>) {
    let mut rest: HiddenCounts<&'static str> = HiddenCounts::default();
    let mut first: FxHashMap<&'static str, &'d Diagnostic> = FxHashMap::default();
    let mut shown = Vec::with_capacity(found.len().min(1_000));
    for diagnostic in found {
        let rule = diagnostic.rule;
        if rest.takes(rule.code, rule, most) {
            shown.push(diagnostic);
        } else {
            first.entry(rule.code).or_insert(diagnostic);
        }
    }
    let said = rest.left_out.iter().filter_map(|(code, _)| {
        let (count, first) = (rest.counts.get(code)?, first.get(code)?);
        let (more, Diagnostic { rule, severity, range, .. }) = (count - most.number(), first);
        let what = if more == 1 { "one more finding" } else { &format!("{more} more findings") };
        let message = format!(
            "{what} of this rule from here on: `mangle-ls check --max-findings 0` shows all, and so does `max_findings = 0`"
        );
        Some(Diagnostic::new(rule, *severity, *range, message.into()))
    });
    let said = said.collect();
    (shown, said)
}

/// The counts of discarded findings of one file.
#[derive(Debug, Clone, Default)]
pub struct OverflowCounts {
    /// The display name of the file.
    pub name: String,
    /// True if one of the findings fails the check.
    pub fails: bool,
    counts: BTreeMap<(&'static str, &'static str, Severity), usize>,
}

impl OverflowCounts {
    /// Counts a finding.
    pub fn add(&mut self, diagnostic: &Diagnostic) {
        let rule = diagnostic.rule;
        *self.counts.entry((rule.code, rule.name, diagnostic.severity)).or_default() += 1;
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// The number of findings with a severity.
    #[must_use]
    pub fn of_severity(&self, wanted: Severity) -> usize {
        self.counts.iter().filter(|((.., severity), _)| *severity == wanted).map(|(_, count)| count).sum()
    }

    pub fn by_rule(&self) -> impl Iterator<Item = ((&'static str, &'static str, Severity), usize)> {
        self.counts.iter().map(|(key, count)| (*key, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceText;
    use mangle_settings::CONFIG_BAD_VALUE;
    use mangle_syntax::text::{TextRange, size};

    fn entry(file: u32, at: usize) -> ReportEntry {
        let range = TextRange::at(size(at), size(1));
        let diagnostic = Diagnostic::new(&CONFIG_BAD_VALUE, Severity::Error, range, "wrong".into());
        ReportEntry { file: FileId(file), diagnostic, fails: true }
    }

    #[test]
    fn each_file_has_its_own_count() {
        let mut sources = Sources::default();
        for (file, name) in [(0, "a.mg"), (1, "b.mg")] {
            sources.insert_source(FileId(file), SourceText::new(name.into(), "".into()));
        }
        let entries: Vec<_> = (0..5).map(|at| entry(0, at)).chain((0..2).map(|at| entry(1, at))).collect();
        let most = |_| MaxFindings::new(2);
        let some = shown(&entries, &sources, &most);
        assert_eq!((some.entries.len(), some.more(&entries)), (4, 3));
        let rest = some.rest(&sources, &[]);
        assert_eq!(rest.len(), 2);
        assert_eq!(rest.first().map(String::as_str), Some("a.mg: 3 more of MG903 config-bad-value"));
        let all = shown(&entries, &sources, &|_| MaxFindings::new(0));
        assert_eq!((all.more(&entries), all.rest(&sources, &[]).len()), (0, 0));
    }

    #[test]
    fn text_shows_a_few_of_what_is_too_much() {
        let mut sources = Sources::default();
        sources.insert_source(FileId(0), SourceText::new("a.mg".into(), "".into()));
        let entries: Vec<_> = (0..30).map(|at| entry(0, at)).collect();
        let count =
            |most: usize| shown_in_text(&entries, &sources, &|_| MaxFindings::new(most)).entries.len();
        assert_eq!([0, 5, 20, 29, 30, 100].map(count), [30, 5, 10, 10, 30, 30]);
    }

    #[test]
    fn what_is_not_kept_is_counted_with_the_rest() {
        let mut sources = Sources::default();
        sources.insert_source(FileId(0), SourceText::new("a.mg".into(), "".into()));
        let entries: Vec<_> = (0..30).map(|at| entry(0, at)).collect();
        let mut omitted = OverflowCounts { name: "a.mg".into(), ..OverflowCounts::default() };
        (0..7).for_each(|at| omitted.add(&entry(0, at).diagnostic));
        let few = shown_in_text(&entries, &sources, &|_| MaxFindings::new(20));
        let rest = few.rest(&sources, std::slice::from_ref(&omitted));
        assert_eq!(rest.first().map(String::as_str), Some("a.mg: 27 more of MG903 config-bad-value"));
        let all = shown_in_text(&[], &sources, &|_| MaxFindings::new(20));
        let rest = all.rest(&sources, &[omitted]);
        assert_eq!(rest.first().map(String::as_str), Some("a.mg: 7 more of MG903 config-bad-value"));
    }

    #[test]
    fn an_editor_is_told_how_many_more_there_are() {
        let found: Vec<_> = (0..5).map(|at| entry(0, at).diagnostic).collect();
        let (shown, said) = shown_in_editor(found.iter().collect(), MaxFindings::new(3));
        assert_eq!((shown.len(), said.len()), (3, 1));
        assert!(
            said.iter().all(|one| one.message.starts_with("2 more findings") && one.range == found[3].range)
        );
        let (shown, said) = shown_in_editor(found.iter().collect(), MaxFindings::new(5));
        assert_eq!((shown.len(), said.len()), (5, 0));
    }
}
