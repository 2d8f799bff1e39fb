//! Preview reports, shared by the `preview` command and `mangle/preview`.
//!
//! The input is a preview and the names of files; the output is a [`PromptReport`]. The prompt
//! itself is assembled by `prompt`.

mod explanations;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::file_findings::file_findings;
use super::registry;
use agent_prompt::jit::Corpus;
use agent_prompt::jit::rules::check_corpus;
use agent_prompt::rules::{self, Subject};
use agent_prompt::{
    DerivedContext, ExcludedAtom, Header, LineOrigin, LineRole, MAX_PROOFS, Manifest, OriginPlace, Preview,
    PreviewState, PreviewedPrompt, Section, SectionKind, StickyChanges,
};
use mangle_check::diagnostics::place_in_files;
use mangle_engine::kernel::{Proof, RuleId};
use mangle_report::prompts::{
    BudgetReport, ExcludedAtomReport, LineReport, Note, OriginReport, PromptReport, SectionReport,
    StickyReport, Totals,
};
use mangle_report::proof;
use mangle_settings::{RuleSettings, Settings};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{FileId, LineIndex, TextRange, TextSize};
use piggyback::envelope::runtime::built_in;

pub use explanations::{WhyNotQuestion, why, why_not};

/// Returns findings about prompt atoms that no preview uses, by file.
#[must_use]
pub fn corpus_findings(corpus: &Corpus, rules: &RuleSettings) -> Vec<(FileId, Vec<Diagnostic>)> {
    let mut by_file: BTreeMap<FileId, Vec<Finding>> = BTreeMap::new();
    for (file, finding) in check_corpus(corpus, &|_, _| false) {
        by_file.entry(file).or_default().push(finding);
    }
    by_file.into_iter().map(|(file, found)| (file, file_findings(file, found, rules))).collect()
}

/// Returns the findings of completed previews, by file.
#[must_use]
pub fn findings(
    preview: &mut Preview,
    header: &Header,
    sessions: &[Option<FileId>],
    paths: &[Finding],
    settings: &Settings,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let consumer = settings.transcripts.consumer.as_deref().and_then(|name| {
        let own = settings.transcripts.consumers.get(name);
        Some((name, own.or_else(|| built_in(name, settings.transcripts.caps.runtime))?))
    });
    let (common, shown) = preview.parts();
    let subject = Subject {
        common,
        shown,
        header,
        sessions,
        settings: &settings.prompt,
        transcripts: &settings.transcripts,
        consumer,
    };
    let found = rules::check(subject).into_iter().map(|found| (found.file, found.finding));
    let sample = common.sample();
    let paths = sample.into_iter().flat_map(|file| paths.iter().map(move |finding| (file, finding.clone())));
    let program = common.program();
    let (of_program, others): (Vec<_>, Vec<_>) =
        found.chain(paths).partition(|(file, _)| program.file(*file).is_some());
    let mut all: Vec<_> =
        place_in_files(program, &settings.rules, registry::all(), of_program).into_iter().collect();
    for (file, finding) in others {
        let placed = file_findings(file, vec![finding], &settings.rules);
        match all.iter_mut().find(|(other, _)| *other == file) {
            Some((_, list)) => list.extend(placed),
            None => all.push((file, placed)),
        }
    }
    all.sort_by_key(|(file, _)| *file);
    all
}

/// Names and texts of files in a preview.
#[derive(Clone, Copy)]
pub struct PreviewNames<'a> {
    /// Returns the name of any file.
    pub file: &'a dyn Fn(FileId) -> String,
    /// Returns the text of a file outside of the program: prompt atoms and their contents.
    pub text: &'a dyn Fn(FileId) -> Option<&'a str>,
    /// Name and text of the session file.
    pub session: Option<(&'a str, &'a str)>,
    /// A program file that corresponds to another file only line by line, so its byte ranges are
    /// omitted.
    pub by_line: Option<FileId>,
}

impl std::fmt::Debug for PreviewNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreviewNames").finish_non_exhaustive()
    }
}

/// Returns the report of a prompt. If `proofs` is set, derived lines include their proofs.
#[must_use]
pub fn report<'a>(
    common: &'a PreviewState,
    shown: &mut PreviewedPrompt,
    names: PreviewNames<'a>,
    proofs: bool,
) -> PromptReport {
    let sections: Vec<Section> = shown.prompt.sections.clone();
    let mut places = Lines::default();
    let of_section = |section: &Section| {
        let estimator = common.settings().estimator;
        let lines = section.lines.iter().map(|line| LineReport {
            text: line.text.clone(),
            tag: line.tag,
            role: match line.role {
                LineRole::Text => "text",
                LineRole::Heading => "heading",
                LineRole::Layout => "layout",
            },
            tokens: estimator.count(&line.text),
            origin: origin(common, shown, &line.origin, names, &mut places, proofs),
            is_new: false,
        });
        SectionReport {
            section: section.kind.as_str().to_owned(),
            from: section.from.as_str(),
            name: section.from.name().map(str::to_owned),
            title: section.title.clone(),
            tokens: estimator.count(&section.text()),
            lines: lines.collect(),
            blocks: if section.kind == SectionKind::Session { blocks(section) } else { Vec::new() },
        }
    };
    let sections = sections.iter().map(of_section).collect();
    let text = shown.prompt.text();
    let compilation = shown.prompt.compilation.as_ref();
    let left_out: Vec<_> = compilation
        .iter()
        .flat_map(|made| &made.manifest.dropped)
        .map(|dropped| left_out(common, dropped, names, &mut places))
        .collect();
    let mode = shown.request.part.word().unwrap_or(shown.prompt.mode.as_str());
    PromptReport {
        name: shown.request.name.clone(),
        shard: shown.request.context.shard_id.clone(),
        shard_type: shown.request.context.shard_type.clone(),
        mode,
        sections,
        derived: derived(&shown.derived),
        suffix: shown.prompt.suffix,
        fallback: shown.prompt.fallback.clone(),
        sticky: shown.sticky_changes.clone().map(|StickyChanges { after, gained, lost }| StickyReport {
            after,
            gained,
            lost,
        }),
        gone: 0,
        totals: totals(common, shown, &text),
        manifest: compilation.map_or(Value::Null, |made| manifest(&made.manifest, &left_out)),
        left_out,
        remarks: explanations::remarks(common, shown),
        diagnostics: Vec::new(),
    }
}

fn totals(common: &PreviewState, shown: &PreviewedPrompt, text: &str) -> Totals {
    use agent_prompt::{Estimator, TokenBudget};
    let allowance = TokenBudget::new(&shown.request, &shown.derived);
    let estimator = common.settings().estimator;
    Totals {
        bytes: text.len(),
        tokenizer: estimator.as_str(),
        tokens: estimator.count(text),
        bytes4: Estimator::Bytes4.count(text),
        chars4: Estimator::Chars4.count(text),
        available: allowance.available,
        budget: BudgetReport {
            tokens: allowance.budget.0,
            by: allowance.budget.1.as_str(),
            reserved: allowance.reserved.0,
            reserved_by: allowance.reserved.1.as_str(),
            headroom: allowance.headroom,
        },
        context: shown.request.context_tokens(),
        window: shown.request.limits.as_ref().map(|limits| limits.window),
    }
}

/// Converts a diagnostic to a note of a preview.
#[must_use]
pub fn note(diagnostic: &Diagnostic, place: String) -> Note {
    Note {
        code: diagnostic.rule.code,
        rule: diagnostic.rule.name,
        severity: diagnostic.severity.as_str(),
        message: diagnostic.headline_and_notes().replace('\n', "; "),
        place,
    }
}

/// Cached line indexes of texts.
#[derive(Default)]
struct Lines<'t>(Vec<(&'t str, LineIndex)>);

impl<'t> Lines<'t> {
    /// Returns the one-based line of a byte.
    fn line_number(&mut self, text: &'t str, at: TextSize) -> usize {
        if !self.0.iter().any(|(known, _)| std::ptr::eq(*known, text)) {
            self.0.push((text, LineIndex::new(text)));
        }
        let index = self.0.iter().find(|(known, _)| std::ptr::eq(*known, text));
        index.map_or(1, |(_, index)| index.line_of(at) as usize + 1)
    }
}

fn origin<'c>(
    common: &'c PreviewState,
    shown: &mut PreviewedPrompt,
    of: &LineOrigin,
    names: PreviewNames<'c>,
    lines: &mut Lines<'c>,
    proofs: bool,
) -> OriginReport {
    let mut report = OriginReport { kind: of.kind(), ..OriginReport::default() };
    match of {
        LineOrigin::Fact(held) => {
            report.fact = Some(held.fact.clone());
            report.rule =
                common.line_of_rule(held.rule).map(|(file, line)| format!("{}:{line}", (names.file)(file)));
            if proofs {
                let found = common.proofs(shown, held, MAX_PROOFS);
                report.proof = found.iter().map(|found| proof_text(common, shown, found, names)).collect();
            }
        }
        LineOrigin::Session { pointer, .. } => report.pointer = Some(pointer.clone()),
        LineOrigin::Intent { part, pointer, .. } => {
            report.name = Some((*part).to_owned());
            report.pointer = Some(pointer.clone()).filter(|pointer| !pointer.is_empty());
        }
        LineOrigin::Builtin { name } => report.name = Some(name.clone()),
        LineOrigin::Suffix { because } => report.name = Some((*because).to_owned()),
        LineOrigin::Atom { id, .. } => report.name = Some(id.clone()),
        LineOrigin::Turn { number, file, line } => {
            report.name = Some(number.to_string());
            (report.file, report.line) = (Some(file.to_string()), Some(*line));
        }
    }
    let place = common.place(shown, of);
    if let Some((file, text, range)) = place.and_then(|place| written(common, place, names)) {
        report.file = Some(file);
        report.line = Some(lines.line_number(text, range.start()));
        let is_by_line = matches!(place, Some(OriginPlace::File(file, _)) if names.by_line == Some(file));
        report.range = (!is_by_line).then(|| (range.start().into(), range.end().into()));
    }
    report
}

/// Returns the name and the text of the file of an origin, with the range.
fn written<'c>(
    common: &'c PreviewState,
    place: OriginPlace,
    names: PreviewNames<'c>,
) -> Option<(String, &'c str, TextRange)> {
    match place {
        OriginPlace::File(file, range) => {
            let of_program = common.program().file(file).map(|file| &*file.text);
            let text = of_program.or_else(|| (names.text)(file))?;
            Some(((names.file)(file), text, range))
        }
        OriginPlace::Header(range) => {
            let file = common.program().file(common.sample()?)?;
            Some(((names.file)(file.id), &file.text, range))
        }
        OriginPlace::Session(range) => {
            let (name, text) = names.session?;
            Some((name.to_owned(), text, range))
        }
    }
}

/// Formats a proof as indented text.
#[must_use]
pub fn proof_text(
    common: &PreviewState,
    shown: &PreviewedPrompt,
    of: &Proof,
    names: PreviewNames<'_>,
) -> String {
    // An asserted fact has no rule. Its location is found by its text.
    let place = |rule: RuleId| match common.line_of_rule(rule) {
        Some((file, line)) => format!("{}:{line}", (names.file)(file)),
        None => "given".to_owned(),
    };
    let mut text = proof::proof(of, &place);
    for node in of.nodes.iter().filter(|node| node.rule == RuleId::ASSERTED) {
        let found = common.place_of_given(shown, &node.fact);
        let said = match found {
            Some((file, line)) => format!("{}:{line}", (names.file)(file)),
            None => "synthetic".to_owned(),
        };
        text = text.replace(&format!("{}  [given]", node.fact), &format!("{}  [{said}]", node.fact));
    }
    text
}

/// Returns the parts of a session section, in the format of the conformance records.
#[must_use]
pub fn blocks(section: &Section) -> Vec<Value> {
    let mut names: Vec<_> = section.lines.iter().filter_map(|line| line.block).collect();
    names.dedup();
    let block = |block: agent_prompt::texts::Block| {
        let lines: Vec<_> = section.content().filter(|line| line.block == Some(block)).collect();
        match block {
            agent_prompt::texts::Block::History => {
                let text: Vec<_> = lines.iter().map(|line| line.value()).collect();
                json!({ "block": block.as_str(), "text": text.join("\n") })
            }
            agent_prompt::texts::Block::Dream => json!({ "block": block.as_str() }),
            agent_prompt::texts::Block::Cut => {
                let mark = lines.first().map_or("", |line| line.value());
                let number = |at| mark.split(' ').nth(at).and_then(|word| word.parse::<u64>().ok());
                json!({ "block": block.as_str(), "dropped": number(2), "of": number(4) })
            }
            agent_prompt::texts::Block::Rest => {
                let text: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
                json!({ "block": block.as_str(), "text": text.join("\n") })
            }
            _ => {
                let lines: Vec<_> = lines.iter().map(|line| json!([line.tag, line.value()])).collect();
                json!({ "block": block.as_str(), "lines": lines })
            }
        }
    };
    names.into_iter().map(block).collect()
}

/// Returns a situation as JSON. Empty values are omitted.
#[must_use]
pub fn derived(derived: &DerivedContext) -> Value {
    let mut found = Map::new();
    found.insert("instance".to_owned(), derived.instance.clone().into());
    let texts = [
        ("shard_type", derived.shard_type.as_str()),
        ("shard_id", &derived.shard_id),
        ("operational_mode", derived.operational_mode),
        ("campaign_phase", &derived.campaign_phase),
        ("campaign_name", &derived.campaign_name),
        ("campaign_id", &derived.campaign_id),
        ("build_layer", &derived.build_layer),
        ("init_phase", &derived.init_phase),
        ("northstar_phase", &derived.northstar_phase),
        ("ouroboros_stage", &derived.ouroboros_stage),
        ("language", &derived.language),
        ("provider", &derived.provider),
        ("model", &derived.model),
        ("intent_verb", &derived.intent_verb),
        ("intent_target", &derived.intent_target),
        ("semantic_query", &derived.semantic_query),
    ];
    let said = texts.iter().filter(|(_, text)| !text.is_empty());
    found.extend(said.map(|(key, text)| ((*key).to_owned(), Value::from(*text))));
    let lists = [
        ("frameworks", derived.frameworks.iter().map(String::as_str).collect::<Vec<_>>()),
        ("world_states", derived.world_states.clone()),
    ];
    found.extend(
        lists
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(key, list)| (key.to_owned(), json!(list))),
    );
    let numbers =
        [("token_budget", derived.token_budget), ("reserved", derived.reserved), ("top_k", derived.top_k)];
    found.extend(numbers.map(|(key, number)| (key.to_owned(), number.into())));
    found.into()
}

/// Returns an excluded atom with its location.
fn left_out<'c>(
    common: &'c PreviewState,
    dropped: &ExcludedAtom,
    names: PreviewNames<'c>,
    lines: &mut Lines<'c>,
) -> ExcludedAtomReport {
    let place =
        dropped.place.and_then(|(file, range)| written(common, OriginPlace::File(file, range), names));
    let (file, line) =
        place.map(|(file, text, range)| (file, lines.line_number(text, range.start()))).unzip();
    ExcludedAtomReport { id: dropped.id.clone(), reason: dropped.reason.clone(), file, line }
}

fn manifest(manifest: &Manifest, left_out: &[ExcludedAtomReport]) -> Value {
    let selected = manifest.selected.iter().map(|atom| {
        json!({
            "id": atom.id, "category": atom.category, "source": atom.source, "priority": atom.priority,
            "logic": atom.logic, "vector": atom.vector, "variant": atom.variant,
            "tokens": atom.tokens.0, "printed_tokens": atom.tokens.1,
        })
    });
    json!({ "selected": selected.collect::<Vec<_>>(), "dropped": left_out })
}
