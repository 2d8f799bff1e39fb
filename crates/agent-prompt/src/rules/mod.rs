//! Lint rules about prompts and sample kernels (`PP…`).
//!
//! The input is a [`Subject`]: previews with their header, session files and settings. The output
//! is findings in files of the program, including the sample, and in session files.
//!
//! Each file contains one family of rules. Ranges count from the start of the file.

mod budget;
mod data_flow;
mod elision;
mod envelope;
mod examples;
mod facts;
pub(crate) mod header_rules;
mod headers;
mod kernel;
mod patterns;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::answers::Answer;
use super::header::Header;
use super::jit::rules::{check_compilation, check_corpus};
use super::jit::{Corpus, Dimension, has_value, rules as jit};
use super::origin::{FactOrigin, LineOrigin};
use super::preview::{OriginPlace, PreviewState, PreviewedPrompt, TokenBudget};
use mangle_engine::program::{FileSummary, PredicateId, Program, Site};
use mangle_settings::{Consumer, PromptSettings, TranscriptSettings};
use mangle_syntax::lint::{Finding, Rule, SharedText};
use mangle_syntax::syntax::ast::{Clause, Item, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{FileId, Symbol, TextRange, slice};

pub use header_rules::{HYBRID_DIRECTIVE, PREVIEW_INCOMPLETE, PREVIEW_KEY, PREVIEW_PATH, SESSION_KEY};
pub use headers::outside_kernel;

/// All rules about prompts, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &facts::DEAD_TARGET,
    &kernel::NEVER_INJECTABLE,
    &facts::WRONG_KEY_KIND,
    &kernel::BELOW_THRESHOLD,
    &kernel::PRIORITY_KIND,
    &data_flow::DISJOINT_JOIN,
    &envelope::TEMPLATE_MISSING,
    &envelope::TEMPLATE_DUPLICATE,
    &envelope::TEMPLATE_EMPTY,
    &facts::PRED_UNDECLARED,
    &facts::SHORT_FACT,
    &facts::ID_FORM,
    &kernel::BUDGET_IGNORED,
    &jit::INJECTED_BLOCKED,
    &facts::UNKNOWN_SHARD_TYPE,
    &kernel::NO_ACTIVE_SHARD,
    &data_flow::PACKET_FEEDS_PROMPT,
    &facts::MULTILINE_ATOM,
    &facts::DIRECTIVE_IN_DATA,
    &header_rules::PREVIEW_INCOMPLETE,
    &headers::UNRENDERED_FIELD,
    &headers::SESSION_IN_JIT,
    &headers::HISTORY_DROPPED,
    &header_rules::SESSION_KEY,
    &header_rules::PREVIEW_KEY,
    &header_rules::PREVIEW_PATH,
    &header_rules::HYBRID_DIRECTIVE,
    &kernel::SHARD_ID_LEAK,
    &kernel::KERNEL_FAILED,
    &kernel::EXTERNAL_EMPTY,
    &kernel::QUERY_ERROR,
    &kernel::ORDER_SENSITIVE,
    &envelope::NO_ENVELOPE_TEXT,
    &envelope::DOUBLE_ENVELOPE,
    &envelope::COMPETING_OUTPUT,
    &envelope::STRUCTURED_WITH_ENVELOPE,
    &envelope::EXAMPLE_WITHOUT_PERIOD,
    &examples::EXAMPLE_INVALID,
    &examples::VERSION_SKEW,
    &header_rules::PREVIEW_OUTSIDE_KERNEL,
    &jit::DUPLICATE_ID,
    &jit::EXCLUSIVE_UNENFORCED,
    &jit::SELECTOR_VALUE,
    &jit::MATCH_DIVERGENCE,
    &jit::CONFLICT_ONE_SIDED,
    &jit::VECTOR_ONLY,
    &jit::SKELETON_GAP,
    &jit::DEPENDENCY_CYCLE,
    &jit::MANDATORY_OVERFLOW,
    &jit::VARIANT_IGNORED,
    &kernel::DEAD_CONFIG,
    &jit::UNKNOWN_PLACEHOLDER,
    &jit::MISSING_DEPENDENCY,
    &jit::CONFLICT_BOTH_MANDATORY,
    &jit::ATOM_CATEGORY,
    &jit::ATOM_NO_CONTENT,
    &jit::ATOM_FILE,
    &jit::ATOM_KEY,
    &jit::UNREACHABLE_ATOM,
    &jit::NESTED_PLACEHOLDER,
    &budget::OVER_BUDGET,
    &budget::HUGE_LINE,
    &budget::EMPTY_PROMPT,
    &budget::DRIFT,
];

/// Checks previews.
#[must_use]
pub fn check(mut subject: Subject<'_>) -> Vec<PromptFinding> {
    let mut found = Vec::new();
    headers::check(&subject, &mut found);
    headers::check_sessions(&subject, &mut found);
    facts::check_keys(&subject, &mut found);
    envelope::check_templates(&subject, &mut found);
    facts::check(&subject, &mut found);
    kernel::check_policy(&mut subject, &mut found);
    kernel::check(&subject, &mut found);
    kernel::check_shard_ids(&subject, &mut found);
    data_flow::check_joins(&subject, &mut found);
    data_flow::check_packets(&subject, &mut found);
    envelope::check(&subject, &mut found);
    examples::check(&subject, &mut found);
    budget::check(&subject, &mut found);
    check_atoms(&subject, &mut found);
    let mut once: Vec<PromptFinding> = Vec::new();
    for one in found {
        let is_same = |other: &PromptFinding| {
            (other.file, other.finding.rule, other.finding.range)
                == (one.file, one.finding.rule, one.finding.range)
        };
        if !once.iter().any(is_same) {
            once.push(one);
        }
    }
    once
}

fn check_atoms(subject: &Subject<'_>, found: &mut Vec<PromptFinding>) {
    let mut corpora: Vec<&Arc<Corpus>> = Vec::new();
    for shown in subject.shown.iter() {
        let compiler = subject.common.settings().compiler(&shown.request);
        let corpus = compiler.map(|compiler| &compiler.corpus);
        corpora.extend(corpus.filter(|corpus| !corpora.iter().any(|known| Arc::ptr_eq(known, corpus))));
        let Some(compilation) = &shown.prompt.compilation else { continue };
        let (whole, placed) = check_compilation(
            compilation,
            &shown.derived,
            &shown.request.name,
            shown.request.range,
            TokenBudget::is_enforced(&shown.request, &shown.derived),
        );
        let sample = subject.sample();
        found.extend(whole.into_iter().filter_map(|finding| Some(PromptFinding { file: sample?, finding })));
        found.extend(placed.into_iter().map(|(file, finding)| PromptFinding { file, finding }));
    }
    let is_produced = |dimension: Dimension, name: &str| {
        subject.shown.iter().any(|shown| has_value(&shown.derived, dimension, name))
    };
    for corpus in corpora {
        let placed = check_corpus(corpus, &is_produced);
        found.extend(placed.into_iter().map(|(file, finding)| PromptFinding { file, finding }));
    }
}

/// Previews with their inputs.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The shared data of the prompts.
    pub common: &'a PreviewState,
    /// The prompts.
    pub shown: &'a mut [PreviewedPrompt],
    /// The header of the sample kernel.
    pub header: &'a Header,
    /// The session file of each prompt.
    pub sessions: &'a [Option<FileId>],
    /// The `[prompt]` settings for the kernel.
    pub settings: &'a PromptSettings,
    /// The transcript settings, which also apply to examples of replies.
    pub transcripts: &'a TranscriptSettings,
    /// The configured consumer of packet updates: its name, and the updates that it accepts.
    pub consumer: Option<(&'a str, &'a Consumer)>,
}

/// A finding with its file.
#[derive(Debug, Clone)]
pub struct PromptFinding {
    /// The file of the ranges.
    pub file: FileId,
    /// The finding, with ranges from the start of the file.
    pub finding: Finding,
}

impl PromptFinding {
    fn note(self, note: impl Into<SharedText>) -> Self {
        Self { finding: self.finding.note(note), ..self }
    }

    fn help(self, help: impl Into<SharedText>) -> Self {
        Self { finding: self.finding.help(help), ..self }
    }
}

impl Subject<'_> {
    /// The current program.
    fn program(&self) -> &Program {
        self.common.program()
    }

    fn sample(&self) -> Option<FileId> {
        self.common.sample()
    }

    /// Reports a finding in the file of the sample kernel.
    fn at_header(&self, found: &mut Vec<PromptFinding>, finding: Finding) {
        found.extend(self.sample().map(|file| PromptFinding { file, finding }));
    }

    /// The clauses with a head of this name and at least `least` arguments.
    fn heads<'p>(&'p self, name: &'static str, least: usize) -> impl Iterator<Item = Head<'p>> {
        let program = self.program();
        let named = program
            .named(Symbol::new(name))
            .filter(move |predicate| usize::from(predicate.key.arity) >= least);
        named.flat_map(move |predicate| program.clauses(predicate)).filter_map(Head::from_site)
    }

    /// The predicates that the given predicates depend on, including themselves.
    fn feeding(&self, read: &[&str]) -> FxHashSet<PredicateId> {
        let (program, graph) = (self.program(), self.program().dependencies());
        let named = read.iter().flat_map(|name| program.named(Symbol::new(name)));
        let mut queue: VecDeque<PredicateId> =
            named.filter_map(|predicate| program.id(predicate.key)).collect();
        let mut seen: FxHashSet<PredicateId> = queue.iter().copied().collect();
        while let Some(at) = queue.pop_front() {
            let next = graph.edges_from(at).iter().map(|edge| edge.to);
            queue.extend(next.filter(|to| seen.insert(*to)));
        }
        seen
    }

    /// The location of the argument of a fact; for a derived fact, its rule.
    fn place(
        &self,
        shown: &PreviewedPrompt,
        held: &FactOrigin,
        argument: usize,
    ) -> Option<(FileId, TextRange)> {
        match self.common.place(shown, &LineOrigin::Fact(held.showing(argument)))? {
            OriginPlace::File(file, range) => Some((file, range)),
            _ => None,
        }
    }

    /// The facts that a query finds for a shard.
    fn facts(&self, shown: &PreviewedPrompt, predicate: &str, least: usize) -> Vec<Answer> {
        self.common.facts(shown, predicate, least)
    }
}

/// The preview as the beginning of a note: ``in preview `fix` (coder-7)``.
fn within(shown: &PreviewedPrompt) -> String {
    format!("in preview `{}` ({})", shown.request.name, shown.request.context.shard_id)
}

/// A clause without syntax errors.
struct Head<'p> {
    file: &'p FileSummary,
    item: &'p Item,
    clause: &'p Clause,
}

impl<'p> Head<'p> {
    fn from_site(site: Site<'p>) -> Option<Self> {
        let clause = site.item.statement.clause().filter(|_| !site.item.statement.damaged)?;
        Some(Self { file: site.file, item: site.item, clause })
    }

    fn arg(&self, at: usize) -> Option<&'p Term> {
        self.clause.head.args.get(at)
    }

    /// The text of a name or string argument, and true for a name.
    fn constant(&self, at: usize) -> Option<(String, bool)> {
        let term = self.arg(at)?;
        match term.kind {
            TermKind::Name(name) => Some((name.as_str().to_owned(), true)),
            TermKind::String => {
                let source = slice(self.file.statement_text(self.item), term.range);
                literal::string_value(source).map(|text| (text.into(), false))
            }
            _ => None,
        }
    }

    /// The range of an argument in the file. Default: the range of the head.
    fn range(&self, at: usize) -> TextRange {
        self.arg(at).map_or(self.clause.head.range, |term| term.range) + self.item.start
    }

    /// A finding at an argument.
    fn found(&self, rule: &'static Rule, at: usize, message: impl Into<SharedText>) -> PromptFinding {
        PromptFinding { file: self.file.id, finding: Finding::new(rule, self.range(at), message) }
    }
}
