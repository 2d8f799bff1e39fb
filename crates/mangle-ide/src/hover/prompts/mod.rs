//! Hover on sources of prompts: the prompt lines produced by a clause or text, with context, or the
//! reason for their absence.
//!
//! [`prompts`] handles places in a policy, and [`prompts_in_source_file`] handles other files that
//! previews load. The prompts come from the previews of sample kernels.

mod atoms;
#[cfg(test)]
mod tests;

use super::Hover;
use crate::Place;
use crate::markup::Markup;
use crate::mention::{Entity, StatementPart};
use agent_prompt::{
    ClauseId, FactProvenance, OmissionReason, PromptProvenance, Provenance, is_read, is_template,
};
use mangle_engine::program::{PredicateKey, key_of};
use mangle_report::sink::code_span;
use mangle_syntax::syntax::TokenKind;
use mangle_syntax::text::{FileId, TextRange, TextSize};

/// Maximum number of prompts shown with their lines.
const SHOWN: usize = 3;

/// Prompts of a sample kernel, as passed to features.
#[derive(Debug, Clone, Copy)]
pub struct SampleProvenance<'a> {
    /// Name of the kernel.
    pub sample: &'a str,
    /// Prompts. `None` before the first preview.
    pub provenance: Option<&'a Provenance>,
    /// True if the prompts belong to the current texts.
    pub is_current: bool,
}

impl<'a> SampleProvenance<'a> {
    fn prompts(&self) -> &'a [PromptProvenance] {
        self.provenance.map_or(&[], |provenance| &provenance.prompts)
    }
}

enum HoverSubject {
    /// A clause, if the cursor is on its head.
    Clause(ClauseId, PredicateKey),
    Predicate(PredicateKey),
}

/// Returns the hover at a place of a policy. `None` if its subject feeds no prompt.
#[must_use]
pub fn prompts(place: Place<'_>, provenance: &[SampleProvenance<'_>]) -> Option<Hover> {
    let Some((range, about)) = about(place) else {
        // A `PROMPT:` line, or the intent in the comments of a sample kernel.
        return prompts_in_source_file(place.file.id, place.text(), place.offset, provenance);
    };
    let (HoverSubject::Clause(_, key) | HoverSubject::Predicate(key)) = about;
    if provenance.iter().all(|by| by.provenance.is_none()) {
        let says = match provenance.is_empty() {
            true => {
                "No sample kernel shows a prompt of it: `# @preview` comments in a `*.kernel.mg` select prompts."
            }
            false => "Which prompts it feeds is being worked out.",
        };
        return is_read(key).then(|| Hover { range, markup: Markup::default().text(says) });
    }
    let feeds = |by: &&SampleProvenance<'_>| {
        by.provenance.is_some_and(|provenance| provenance.dependencies.contains(&key))
    };
    let provenance: Vec<SampleProvenance<'_>> = provenance.iter().filter(feeds).copied().collect();
    if provenance.iter().all(|by| by.prompts().is_empty()) {
        return None;
    }
    let mut markup = match about {
        HoverSubject::Clause(clause, key) => of_clause(clause, key, &provenance),
        HoverSubject::Predicate(key) => of_predicate(key, &provenance),
    };
    if provenance.iter().any(|by| !by.is_current) {
        markup = Markup::default().text("Before the last edit:").and(markup);
    }
    Some(Hover { range, markup })
}

/// Returns the hover at an offset of a session file or a file of prompt atoms.
#[must_use]
pub fn prompts_in_source_file(
    file: FileId,
    text: &str,
    offset: TextSize,
    provenance: &[SampleProvenance<'_>],
) -> Option<Hover> {
    // Outdated prompts are skipped, because their ranges refer to older texts.
    let provenance: Vec<SampleProvenance<'_>> =
        provenance.iter().filter(|by| by.is_current).copied().collect();
    let found = atoms::atom_at(file, text, offset, &provenance)
        .or_else(|| lines_from_text(file, offset, &provenance));
    let limits = atoms::limits_at(text, offset, &provenance);
    match (found, limits) {
        (Some(found), Some(limits)) => Some(Hover { markup: found.markup.and(limits.markup), ..limits }),
        (found, limits) => found.or(limits),
    }
}

/// Returns the predicate or clause at a place.
fn about(place: Place<'_>) -> Option<(TextRange, HoverSubject)> {
    let item = place.item()?;
    let clause = item.statement.clause().filter(|_| !item.statement.damaged);
    let of_clause = |range| {
        let key = place.program().meaning(place.file, key_of(&clause?.head));
        Some((range, HoverSubject::Clause((place.file.id, item.statement.digest), key)))
    };
    match place.mention() {
        Some(mention) => match mention.entity {
            Entity::Predicate(_) if matches!(mention.part, StatementPart::Fact | StatementPart::Head) => {
                of_clause(mention.range)
            }
            Entity::Predicate(key) => {
                let key = place.program().meaning(place.file, key);
                Some((mention.range, HoverSubject::Predicate(key)))
            }
            _ => None,
        },
        // A string in the head, which a prompt may show.
        None => {
            let around = TextRange::new(place.offset, place.offset + TextSize::new(1));
            let tokens = place.source.tokens(around).into_iter();
            let mut strings = tokens.filter(|token| token.kind == TokenKind::String);
            let range = strings.find(|token| token.range.contains_inclusive(place.offset))?.range;
            let is_in_head = clause?.head.range.contains_range(range - item.start);
            of_clause(range).filter(|_| is_in_head)
        }
    }
}

/// Shows the prompt lines of a clause, or the reason for their absence.
fn of_clause(clause: ClauseId, key: PredicateKey, provenance: &[SampleProvenance<'_>]) -> Markup {
    let mut markup = Markup::default();
    let mut others = Vec::new();
    let mut shown = 0;
    for (by, prompt) in each(provenance) {
        let with = |at: &usize| prompt.lines.get(*at).is_some_and(|line| line.clauses.contains(&clause));
        let lines: Vec<usize> = (0..prompt.lines.len()).filter(with).collect();
        if lines.is_empty() {
            continue;
        }
        shown += 1;
        if shown <= SHOWN {
            markup = excerpt_lines(markup, by, prompt, &lines);
        } else {
            others.push(called(prompt));
        }
    }
    if !others.is_empty() {
        markup = markup.text(format!("Also in {}.", others.join(", ")));
    }
    if shown > 0 {
        return markup;
    }
    if !is_read(key) {
        let prompts: Vec<_> = each(provenance).map(|(_, prompt)| called(prompt)).collect();
        let says = format!("Possible source of prompts. No line of {} depends on it.", prompts.join(", "));
        return markup.text(says);
    }
    reasons(clause, provenance).into_iter().fold(markup, Markup::text)
}

/// Returns the reasons for the absence of a clause, each with the affected prompts.
fn reasons(clause: ClauseId, provenance: &[SampleProvenance<'_>]) -> Vec<String> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (by, prompt) in each(provenance) {
        let of_it = |fact: &&FactProvenance| fact.clause == Some(clause);
        let mut reasons: Vec<String> = prompt
            .facts
            .iter()
            .filter(of_it)
            .filter_map(|fact| Some(reason(fact.missing.as_ref()?)))
            .collect();
        reasons.dedup();
        if reasons.is_empty() {
            let gives_nothing = !prompt.facts.iter().any(|fact| fact.clause == Some(clause));
            reasons.push(if gives_nothing {
                format!("with {} it derives no additional fact", quoted(by.sample))
            } else {
                "nothing of it is shown".to_owned()
            });
        }
        for reason in reasons {
            match all.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, prompts)) => prompts.push(called(prompt)),
                None => all.push((reason, vec![called(prompt)])),
            }
        }
    }
    all.truncate(4);
    all.into_iter().map(|(why, prompts)| format!("Not in {}: {why}.", prompts.join(", "))).collect()
}

fn reason(missing: &OmissionReason) -> String {
    match missing {
        OmissionReason::Key(key) => format!(
            "its shard key is {}, but a prompt accepts only the exact ID of its shard, `*` and `/_all`",
            quoted(key)
        ),
        OmissionReason::Score(score) => {
            format!("its score is {score}, and only scores above 50 are injected")
        }
        OmissionReason::NotInjected => "no rule injects it".to_owned(),
        OmissionReason::Type(key) => format!("it is the template of {}", quoted(key)),
        OmissionReason::OtherTemplate => {
            "another template of this type comes first; empty templates are ignored".to_owned()
        }
        OmissionReason::NoKnowledge => {
            "mode `legacy` shows knowledge only if rules derive context from it".to_owned()
        }
        OmissionReason::Mode => "prompts in this mode do not show it".to_owned(),
        OmissionReason::Skipped => "arguments without text are ignored".to_owned(),
    }
}

/// Describes the contribution of a predicate.
fn of_predicate(key: PredicateKey, provenance: &[SampleProvenance<'_>]) -> Markup {
    let mut said = Vec::new();
    let mut without = Vec::new();
    for (_, prompt) in each(provenance) {
        let lines = prompt.lines.iter().filter(|line| line.predicates.contains(&key)).count();
        match lines {
            0 => without.push(called(prompt)),
            1 => said.push(format!("1 line of {}", called(prompt))),
            lines => said.push(format!("{lines} lines of {}", called(prompt))),
        }
    }
    let mut markup = Markup::default();
    if !said.is_empty() {
        markup = markup.text(format!("Contributes to prompts: {} depend on its facts.", said.join(", ")));
    } else if !without.is_empty() {
        let says =
            format!("Possible source of prompts. No line of {} depends on its facts.", without.join(", "));
        markup = markup.text(says);
    }
    if is_template(key) {
        markup = each(provenance).filter_map(|(_, prompt)| base(prompt)).fold(markup, Markup::text);
    }
    markup
}

/// Describes the replacement of a missing template.
fn base(prompt: &PromptProvenance) -> Option<String> {
    let (from, name) = prompt.base.as_ref().filter(|(from, _)| *from != "kernel")?;
    let what = match (*from, name) {
        ("builtin", Some(name)) => format!("the built-in text {}", quoted(name)),
        ("configured", Some(name)) => format!("the text {} of `[prompt.templates]`", quoted(name)),
        _ => "what the mandatory atoms say".to_owned(),
    };
    Some(format!("No template for {}: {} begins with {what}.", quoted(&prompt.shard.1), called(prompt)))
}

/// Returns the prompt lines whose text comes from an offset of a file.
fn lines_from_text(file: FileId, offset: TextSize, provenance: &[SampleProvenance<'_>]) -> Option<Hover> {
    let mut markup = Markup::default();
    let mut narrowest: Option<TextRange> = None;
    for (by, prompt) in each(provenance) {
        let range_of = |at: usize| {
            let (of, range) = prompt.lines.get(at)?.place?;
            (of == file && range.contains_inclusive(offset)).then_some(range)
        };
        let lines: Vec<usize> = (0..prompt.lines.len()).filter(|at| range_of(*at).is_some()).collect();
        let ranges = lines.iter().filter_map(|at| range_of(*at)).chain(narrowest);
        narrowest = ranges.min_by_key(|range| range.len());
        if !lines.is_empty() {
            markup = excerpt_lines(markup, by, prompt, &lines);
        }
    }
    narrowest.map(|range| Hover { range, markup })
}

/// Iterates over the prompts of all kernels.
fn each<'a>(
    provenance: &'a [SampleProvenance<'a>],
) -> impl Iterator<Item = (&'a SampleProvenance<'a>, &'a PromptProvenance)> {
    provenance.iter().flat_map(|by| by.prompts().iter().map(move |prompt| (by, prompt)))
}

/// Returns the display name of a prompt.
fn called(prompt: &PromptProvenance) -> String {
    format!("{} ({})", quoted(&prompt.name), plain(&prompt.shard.0))
}

/// Number of context lines before and after a line.
const AROUND: usize = 1;

/// Maximum number of lines per excerpt.
const MAX_LINES: usize = 10;

/// Maximum line length, in characters.
const WIDEST: usize = 100;

/// Adds lines of a prompt with context. Selected lines are marked with `>`.
fn excerpt_lines(
    markup: Markup,
    by: &SampleProvenance<'_>,
    prompt: &PromptProvenance,
    meant: &[usize],
) -> Markup {
    let mut sections: Vec<&str> = Vec::new();
    let mut tokens = 0;
    for line in meant.iter().filter_map(|at| prompt.lines.get(*at)) {
        tokens += line.tokens;
        let section = prompt.sections.get(line.section).map_or("", String::as_str);
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let says = format!(
        "In the prompt {} of {}, mode `{}`, section {}: {tokens} of {} tokens.",
        called(prompt),
        quoted(by.sample),
        prompt.mode,
        sections.iter().map(|section| quoted(section)).collect::<Vec<_>>().join(", "),
        prompt.tokens,
    );
    markup.text(says).excerpt(excerpt(prompt, meant))
}

fn excerpt(prompt: &PromptProvenance, meant: &[usize]) -> String {
    let is_near = |at: usize| meant.iter().any(|line| line.abs_diff(at) <= AROUND);
    let mut rows: Vec<String> = Vec::new();
    let mut last = None;
    for (at, line) in prompt.lines.iter().enumerate().filter(|(at, _)| is_near(*at)) {
        if last.is_some_and(|last: usize| last + 1 < at) {
            rows.push("  …".to_owned());
        }
        last = Some(at);
        let mark = if meant.contains(&at) { "> " } else { "  " };
        rows.extend(line.text.split('\n').map(|text| format!("{mark}{}", cut(text))));
        if rows.len() >= MAX_LINES {
            rows.truncate(MAX_LINES);
            rows.push("  …".to_owned());
            break;
        }
    }
    let is_blank = |row: &String| row.trim().is_empty();
    let first = rows.iter().position(|row| !is_blank(row)).unwrap_or(0);
    let end = rows.iter().rposition(|row| !is_blank(row)).map_or(0, |last| last + 1);
    rows.get(first..end).unwrap_or_default().join("\n")
}

fn cut(text: &str) -> String {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    match text.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// Formats quoted text as code.
fn quoted(text: &str) -> String {
    code_span(&cut(text))
}

/// Formats a message of the runtime about an atom, which may quote its file.
fn plain(text: &str) -> String {
    cut(&text.replace('`', "'"))
}
